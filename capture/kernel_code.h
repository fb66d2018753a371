// What a kernel node runs, as the driver's handles.
#ifndef REPRISE_CAPTURE_KERNEL_CODE_H_
#define REPRISE_CAPTURE_KERNEL_CODE_H_

#include <cuda.h>

namespace reprise {

// What a symbol cannot tell: two modules may each have a kernel of that name.
struct KernelCode {
  CUfunction function = nullptr;
  // Both count only where there is no function.
  CUkernel kernel = nullptr;
  CUcontext context = nullptr;

  friend bool operator==(const KernelCode&, const KernelCode&) = default;
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_KERNEL_CODE_H_
