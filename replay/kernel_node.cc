#include "replay/kernel_node.h"

#include <cstdint>

#include "capture/kernel_node_params.h"

namespace reprise {
namespace {

CUDA_KERNEL_NODE_PARAMS ParamsOf(const KernelCode& code,
                                 const KernelLaunch& launch,
                                 KernelNodeParams& storage) {
  CUDA_KERNEL_NODE_PARAMS params = storage.Of(code.function, launch);
  params.kern = code.kernel;
  params.ctx = code.context;
  return params;
}

// What the function may take was right when the launch was captured; since then
// a launch that takes less may have set it lower.
CUresult AllowSharedBytes(const Driver& driver, CUfunction function,
                          std::uint32_t bytes) {
  if (function == nullptr || bytes == 0) return CUDA_SUCCESS;
  constexpr CUfunction_attribute kMost =
      CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  int most = 0;
  const CUresult result = driver.FuncGetAttribute(&most, kMost, function);
  if (result != CUDA_SUCCESS) return result;
  const int wanted = static_cast<int>(bytes);
  if (most >= wanted) return CUDA_SUCCESS;
  return driver.FuncSetAttribute(function, kMost, wanted);
}

}  // namespace

CUresult GetCode(const Driver& driver, CUgraphNode handle, KernelCode* code) {
  CUDA_KERNEL_NODE_PARAMS params{};
  const CUresult result = driver.GraphKernelNodeGetParams(handle, &params);
  *code = {params.func, params.kern, params.ctx};
  return result;
}

CUresult SetLaunch(const Driver& driver, CUgraphNode handle,
                   const KernelCode& code, const KernelLaunch& launch) {
  const CUresult allowed =
      AllowSharedBytes(driver, code.function, launch.shared_bytes);
  if (allowed != CUDA_SUCCESS) return allowed;
  KernelNodeParams storage;
  const CUDA_KERNEL_NODE_PARAMS params = ParamsOf(code, launch, storage);
  return driver.GraphKernelNodeSetParams(handle, &params);
}

CUresult SetLaunch(const Driver& driver, CUgraphExec exec, CUgraphNode handle,
                   const KernelCode& code, const KernelLaunch& launch) {
  const CUresult allowed =
      AllowSharedBytes(driver, code.function, launch.shared_bytes);
  if (allowed != CUDA_SUCCESS) return allowed;
  KernelNodeParams storage;
  const CUDA_KERNEL_NODE_PARAMS params = ParamsOf(code, launch, storage);
  return driver.GraphExecKernelNodeSetParams(exec, handle, &params);
}

}  // namespace reprise
