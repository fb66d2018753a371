#include "driver/cuda_status.h"

#include <gtest/gtest.h>

namespace reprise {
namespace {

CUresult NameOf(CUresult result, const char** name) {
  if (result != CUDA_ERROR_OUT_OF_MEMORY) return CUDA_ERROR_INVALID_VALUE;
  *name = "CUDA_ERROR_OUT_OF_MEMORY";
  return CUDA_SUCCESS;
}

Driver Naming() {
  Driver driver;
  driver.GetErrorName = NameOf;
  return driver;
}

TEST(CudaStatus, IsOkForASuccess) {
  EXPECT_TRUE(CudaStatus(Naming(), CUDA_SUCCESS, "launch").ok());
  EXPECT_TRUE(CudaStatus(cudaSuccess, "launch").ok());
}

TEST(CudaStatus, SaysWhatFailedAndTheDriversNameForIt) {
  const absl::Status status =
      CudaStatus(Naming(), CUDA_ERROR_OUT_OF_MEMORY, "allocate the arena");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "allocate the arena: CUDA_ERROR_OUT_OF_MEMORY");
}

TEST(CudaStatus, SaysSoWhereTheDriverHasNoNameForIt) {
  const absl::Status status =
      CudaStatus(Naming(), CUDA_ERROR_UNKNOWN, "launch");
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(status.message(),
            "launch: an error that the driver has no name for");
}

TEST(CudaStatus, GivesARuntimeErrorTheCodeOfTheDriversOfThatNumber) {
  EXPECT_EQ(CudaStatus(cudaErrorMemoryAllocation, "x").code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(CudaStatus(cudaErrorNoDevice, "x").code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(CudaStatus(cudaErrorInsufficientDriver, "x").code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(CudaStatus(cudaErrorNotSupported, "x").code(),
            absl::StatusCode::kUnimplemented);
  EXPECT_EQ(CudaStatus(cudaErrorStreamCaptureUnjoined, "x").code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CudaStatus(cudaErrorInvalidValue, "x").code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace reprise
