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

constexpr CUfunction_attribute kMostShared =
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;

// The limits of the runtime's kernels are those of their handles: a limit of
// the function itself would hide them, now and from later launches.
CUresult AllowOfKernel(const Driver& driver, CUkernel kernel, int bytes) {
  CUdevice device = 0;
  CUresult result = driver.CtxGetDevice(&device);
  if (result != CUDA_SUCCESS) return result;
  int most = 0;
  result = driver.KernelGetAttribute(&most, kMostShared, kernel, device);
  if (result != CUDA_SUCCESS || most >= bytes) return result;
  return driver.KernelSetAttribute(kMostShared, bytes, kernel, device);
}

CUresult AllowOfFunction(const Driver& driver, CUfunction function, int bytes) {
  int most = 0;
  const CUresult result = driver.FuncGetAttribute(&most, kMostShared, function);
  if (result != CUDA_SUCCESS || most >= bytes) return result;
  return driver.FuncSetAttribute(function, kMostShared, bytes);
}

// What the code may take was right when the launch was captured; since then a
// launch that takes less may have set it lower.
CUresult AllowSharedBytes(const Driver& driver, const KernelCode& code,
                          std::uint32_t bytes) {
  const int wanted = static_cast<int>(bytes);
  if (wanted == 0) return CUDA_SUCCESS;
  return code.kernel != nullptr
             ? AllowOfKernel(driver, code.kernel, wanted)
             : AllowOfFunction(driver, code.function, wanted);
}

}  // namespace

CUresult SetLaunch(const Driver& driver, CUgraphNode handle,
                   const KernelCode& code, const KernelLaunch& launch) {
  const CUresult allowed = AllowSharedBytes(driver, code, launch.shared_bytes);
  if (allowed != CUDA_SUCCESS) return allowed;
  KernelNodeParams storage;
  const CUDA_KERNEL_NODE_PARAMS params = ParamsOf(code, launch, storage);
  return driver.GraphKernelNodeSetParams(handle, &params);
}

CUresult SetLaunch(const Driver& driver, CUgraphExec exec, CUgraphNode handle,
                   const KernelCode& code, const KernelLaunch& launch) {
  const CUresult allowed = AllowSharedBytes(driver, code, launch.shared_bytes);
  if (allowed != CUDA_SUCCESS) return allowed;
  KernelNodeParams storage;
  const CUDA_KERNEL_NODE_PARAMS params = ParamsOf(code, launch, storage);
  return driver.GraphExecKernelNodeSetParams(exec, handle, &params);
}

}  // namespace reprise
