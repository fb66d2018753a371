#include "capture/pack.h"
#include "capture/packs/ggml_cuda.json.h"
#include "capture/packs/reprise.json.h"
#include "capture/signature.h"

namespace reprise {

// A text that is compiled in and does not parse is a fault of this library,
// which tests/capture/pack_test.cc would have shown.
const std::vector<Pack>& BuiltInPacks() {
  static const auto* packs = [] {
    auto* parsed = new std::vector<Pack>;
    for (absl::string_view text : {kRepriseJson, kGgmlCudaJson}) {
      parsed->push_back(Pack::Parse(text).value());
    }
    return parsed;
  }();
  return *packs;
}

}  // namespace reprise
