// What an engine's kernels mean, as data: a pack is a JSON text with one
// signature a kernel. docs/packs.md describes the format.
//
// A kernel is recognised only when its symbol matches and every parameter's
// offset and size are the signature's; otherwise it stays opaque.
// Cost     parsing takes about 0.1 ms a signature; binding a symbol a few
//          microseconds.
// Threads  const methods may run at the same time.
// Copies   share the signatures, so one costs next to nothing.
#ifndef REPRISE_CAPTURE_PACK_H_
#define REPRISE_CAPTURE_PACK_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "graph/node.h"

namespace reprise {

class BoundSignature;
struct Signature;

class Pack {
 public:
  // InvalidArgument with the place ("ggml-cuda: signatures[3] rms_norm_f32:
  // effects[1].length: unknown name 'ncol'") for unknown keys, bad
  // expressions, overlapping parameters, roles that the op does not have.
  static absl::StatusOr<Pack> Parse(absl::string_view json);

  const std::string& name() const { return name_; }
  absl::Span<const Signature> signatures() const;

  // The signature that recognises this launch; null when there is none.
  const Signature* Find(const KernelLaunch& launch) const;

  // Adds every signature that matches the symbol, in the pack's order. They
  // point into the pack and live as long as one of its copies.
  void Bind(absl::string_view symbol, std::vector<BoundSignature>* bound) const;

 private:
  Pack() = default;

  std::string name_;
  std::shared_ptr<const std::vector<Signature>> signatures_;
};

// A pack in a file: what Parse says, or the system, after the file's path.
absl::StatusOr<Pack> ReadPack(const std::string& path);

// Our own kernels and ggml-cuda's, compiled in.
const std::vector<Pack>& BuiltInPacks();

}  // namespace reprise

#endif  // REPRISE_CAPTURE_PACK_H_
