#include "capture/pack.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "capture/file_bytes.h"
#include "capture/pack_parser.h"
#include "capture/pack_reader.h"
#include "capture/signature.h"

namespace reprise {

absl::StatusOr<Pack> Pack::Parse(absl::string_view json) {
  const absl::StatusOr<nlohmann::json> value = ReadJson(json);
  if (!value.ok()) return value.status();
  absl::Status error;
  Pack pack;
  pack.signatures_ = std::make_shared<const std::vector<Signature>>(
      ParsePack(*value, &pack.name_, &error));
  if (!error.ok()) return error;
  return pack;
}

absl::Span<const Signature> Pack::signatures() const { return *signatures_; }

const Signature* Pack::Find(const KernelLaunch& launch) const {
  for (const Signature& signature : *signatures_) {
    if (signature.layout.Fits(launch) &&
        signature.symbol.Match(launch.symbol)) {
      return &signature;
    }
  }
  return nullptr;
}

void Pack::Bind(absl::string_view symbol,
                std::vector<BoundSignature>* bound) const {
  for (const Signature& signature : *signatures_) {
    if (auto match = BoundSignature::Of(signature, symbol)) {
      bound->push_back(*std::move(match));
    }
  }
}

absl::StatusOr<Pack> ReadPack(const std::string& path) {
  const absl::StatusOr<std::string> json = ReadBytes(path, kMaxPackBytes);
  if (!json.ok()) return json.status();
  absl::StatusOr<Pack> pack = Pack::Parse(*json);
  if (!pack.ok()) return InFile(path, pack.status());
  return pack;
}

}  // namespace reprise
