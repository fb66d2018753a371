#include "capture/meaning_table.h"

namespace reprise {

const Meaning* MeaningTable::Find(const KernelLaunch& launch) {
  std::optional<Meaning>* meaning = &unkept_;
  if (has_keys_ && KeyOf(signature(), launch, &key_)) {
    const auto known = known_.find(key_);
    if (known != known_.end()) {
      return known->second ? &*known->second : nullptr;
    }
    if (known_.size() >= kMaxMeanings) known_.clear();
    meaning = &known_[key_];
  }
  *meaning = signature_.Interpret(launch);
  return *meaning ? &**meaning : nullptr;
}

}  // namespace reprise
