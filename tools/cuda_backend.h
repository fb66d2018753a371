// Whether this build has the parts of the command that run on a GPU: its
// sources named *_cuda.cc. Ask by `if constexpr`, which leaves no reference to
// what is not there.
#ifndef REPRISE_TOOLS_CUDA_BACKEND_H_
#define REPRISE_TOOLS_CUDA_BACKEND_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace reprise {

inline constexpr bool kCudaBackend = REPRISE_CUDA_BACKEND != 0;

// `what` needs it.
inline absl::Status NoCudaBackend(absl::string_view what) {
  return absl::UnimplementedError(
      absl::StrCat(what, ": this build has no CUDA support"));
}

}  // namespace reprise

#endif  // REPRISE_TOOLS_CUDA_BACKEND_H_
