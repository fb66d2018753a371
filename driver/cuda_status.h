// A CUDA error as a Status: the one place where that is decided.
//
// The message is `what`, then the error's name: "instantiate the graph:
// CUDA_ERROR_OUT_OF_MEMORY". Codes: ResourceExhausted for memory, Unavailable
// without a driver or device, Unimplemented for what the driver does not
// support, FailedPrecondition for a capture that was broken or is in the way,
// InvalidArgument for what it calls invalid, Internal for all else.
#ifndef REPRISE_DRIVER_CUDA_STATUS_H_
#define REPRISE_DRIVER_CUDA_STATUS_H_

#include <driver_types.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "driver/driver.h"

namespace reprise {

absl::Status CudaStatus(const Driver& driver, CUresult result,
                        absl::string_view what);

// Of a runtime call.
absl::Status CudaStatus(cudaError_t result, absl::string_view what);

}  // namespace reprise

#endif  // REPRISE_DRIVER_CUDA_STATUS_H_
