#include "capture/import_kernel.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "driver/cuda_status.h"

namespace reprise {
namespace {

// The runtime's launches have both handles, those of the driver a function, and
// a node made by hand may have a kernel alone.
absl::StatusOr<CUfunction> FunctionOf(const Driver& driver,
                                      const CUDA_KERNEL_NODE_PARAMS& params) {
  if (params.func != nullptr) return params.func;
  CUfunction function = nullptr;
  if (const CUresult result = driver.KernelGetFunction(&function, params.kern);
      result != CUDA_SUCCESS) {
    return CudaStatus(driver, result, "cuKernelGetFunction");
  }
  return function;
}

absl::Status CopyBuffer(void* const* extra, const FunctionInfo& info,
                        KernelLaunch& launch) {
  const void* buffer = nullptr;
  std::size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[1];
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      bytes = *static_cast<const std::size_t*>(extra[1]);
    }
  }
  if (buffer == nullptr || bytes < info.bytes) {
    return absl::FailedPreconditionError(
        absl::StrCat(info.symbol, " takes ", info.bytes,
                     " bytes of parameters, the launch has ", bytes));
  }
  std::memcpy(launch.bytes.data(), buffer, info.bytes);
  return absl::OkStatus();
}

// A launch has its parameters one by one, or all in one buffer.
absl::Status CopyParameters(const CUDA_KERNEL_NODE_PARAMS& params,
                            const FunctionInfo& info, KernelLaunch& launch) {
  launch.parameters = info.parameters;
  launch.bytes.assign(info.bytes, 0);
  if (info.bytes == 0) return absl::OkStatus();
  if (params.extra != nullptr) return CopyBuffer(params.extra, info, launch);
  if (params.kernelParams == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(info.symbol, " takes parameters, the launch has none"));
  }
  for (std::size_t i = 0; i < info.parameters.size(); ++i) {
    const Parameter& parameter = info.parameters[i];
    std::memcpy(launch.bytes.data() + parameter.offset, params.kernelParams[i],
                parameter.size);
  }
  return absl::OkStatus();
}

// Both belong to the launch and not to the function: the next node of the same
// function may have others.
absl::Status ReadAttributes(const Driver& driver, CUgraphNode node,
                            KernelLaunch& launch) {
  CUlaunchAttributeValue value = {};
  CUresult result = driver.GraphKernelNodeGetAttribute(
      node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value);
  launch.cooperative = value.cooperative != 0;
  launch.cluster.reset();
  if (result == CUDA_SUCCESS) {
    value = {};
    result = driver.GraphKernelNodeGetAttribute(
        node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value);
  }
  if (result != CUDA_SUCCESS) {
    return CudaStatus(driver, result, "cuGraphKernelNodeGetAttribute");
  }
  // Zeros say that none was set; a cluster of one block is none.
  const auto& cluster = value.clusterDim;
  if (std::max({cluster.x, cluster.y, cluster.z}) > 1) {
    launch.cluster = Dim3{cluster.x, cluster.y, cluster.z};
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadKernel(const Driver& driver, FunctionTable& functions,
                        CUgraphNode node, KernelLaunch& launch,
                        KernelCode& code) {
  CUDA_KERNEL_NODE_PARAMS params = {};
  if (const CUresult result = driver.GraphKernelNodeGetParams(node, &params);
      result != CUDA_SUCCESS) {
    return CudaStatus(driver, result, "cuGraphKernelNodeGetParams");
  }
  if (absl::Status s = ReadLaunch(driver, functions, params, launch, code);
      !s.ok()) {
    return s;
  }
  return ReadAttributes(driver, node, launch);
}

absl::Status ReadLaunch(const Driver& driver, FunctionTable& functions,
                        const CUDA_KERNEL_NODE_PARAMS& params,
                        KernelLaunch& launch, KernelCode& code) {
  code = {params.func, params.kern, params.ctx};
  const absl::StatusOr<CUfunction> function = FunctionOf(driver, params);
  if (!function.ok()) return function.status();
  const absl::StatusOr<const FunctionInfo*> info = functions.Find(*function);
  if (!info.ok()) return info.status();
  launch.symbol = (*info)->symbol;
  launch.grid = {params.gridDimX, params.gridDimY, params.gridDimZ};
  launch.block = {params.blockDimX, params.blockDimY, params.blockDimZ};
  launch.shared_bytes = params.sharedMemBytes;
  return CopyParameters(params, **info, launch);
}

}  // namespace reprise
