#include "replay/kernel_node.h"

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

}  // namespace

CUresult GetCode(const Driver& driver, CUgraphNode handle, KernelCode* code) {
  CUDA_KERNEL_NODE_PARAMS params{};
  const CUresult result = driver.GraphKernelNodeGetParams(handle, &params);
  *code = {params.func, params.kern, params.ctx};
  return result;
}

CUresult SetLaunch(const Driver& driver, CUgraphNode handle,
                   const KernelCode& code, const KernelLaunch& launch) {
  KernelNodeParams storage;
  const CUDA_KERNEL_NODE_PARAMS params = ParamsOf(code, launch, storage);
  return driver.GraphKernelNodeSetParams(handle, &params);
}

CUresult SetLaunch(const Driver& driver, CUgraphExec exec, CUgraphNode handle,
                   const KernelCode& code, const KernelLaunch& launch) {
  KernelNodeParams storage;
  const CUDA_KERNEL_NODE_PARAMS params = ParamsOf(code, launch, storage);
  return driver.GraphExecKernelNodeSetParams(exec, handle, &params);
}

}  // namespace reprise
