// Makes a context current for a while.
#ifndef REPRISE_INJECT_CONTEXT_SCOPE_H_
#define REPRISE_INJECT_CONTEXT_SCOPE_H_

#include <cuda.h>

#include "driver/driver.h"

namespace reprise {

// Where it cannot, the one that was current stays, and the calls that need the
// other say so.
class ContextScope {
 public:
  ContextScope(const Driver& driver, CUcontext context) : driver_(driver) {
    CUcontext current = nullptr;
    const CUresult asked = driver.CtxGetCurrent(&current);
    if (asked == CUDA_SUCCESS && current == context) return;
    pushed_ = driver.CtxPushCurrent(context) == CUDA_SUCCESS;
  }
  ~ContextScope() {
    CUcontext popped = nullptr;
    if (pushed_) driver_.CtxPopCurrent(&popped);
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const Driver& driver_;
  bool pushed_ = false;
};

}  // namespace reprise

#endif  // REPRISE_INJECT_CONTEXT_SCOPE_H_
