// The launches of one kernel that were interpreted before: one meaning serves
// all that differ in nothing but where their memory lies.
#ifndef REPRISE_CAPTURE_MEANING_TABLE_H_
#define REPRISE_CAPTURE_MEANING_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "capture/signature.h"
#include "capture/signature_key.h"
#include "graph/node.h"

namespace reprise {

class MeaningTable {
 public:
  // A loop whose numbers change with every step would fill any memory: with as
  // many meanings as this, the table starts anew.
  static constexpr std::size_t kMaxMeanings = 1024;

  explicit MeaningTable(BoundSignature signature)
      : signature_(std::move(signature)),
        has_keys_(HasKeys(signature_.signature())) {}

  const Signature& signature() const { return signature_.signature(); }

  // What BoundSignature::Interpret says; null for nothing. Valid until the next
  // call. REQUIRES: the layout fits the launch.
  const Meaning* Find(const KernelLaunch& launch);

  std::size_t size() const { return known_.size(); }

 private:
  BoundSignature signature_;
  bool has_keys_;
  // A meaning is large, and stays where it is.
  absl::node_hash_map<std::vector<std::uint64_t>, std::optional<Meaning>>
      known_;
  std::vector<std::uint64_t> key_;  // of the launch at hand
  std::optional<Meaning> unkept_;   // of one that has no key
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_MEANING_TABLE_H_
