// A producer that emits nothing pays nothing for its twin: the compiler has
// left no trace of the emission in it.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>

#include "kernels/emission.h"
#include "kernels/host_kernels.h"
#include "tests/kernels/on_device.h"

namespace reprise {
namespace {

cudaFuncAttributes AttributesOf(const std::string& symbol) {
  cudaFuncAttributes attributes{};
  Require(cudaFuncGetAttributes(&attributes, FindDeviceFunction(symbol)),
          symbol);
  return attributes;
}

TEST_F(OnDevice, APlainProducerUsesNoMoreOfItThanItsTwin) {
  int pairs = 0;
  for (const HostKernel& kernel : HostKernels()) {
    const std::string symbol(kernel.symbol);
    const std::string twin_symbol = symbol + std::string(kEmitSuffix);
    if (FindHostKernel(twin_symbol) == nullptr) continue;
    SCOPED_TRACE(symbol);
    const cudaFuncAttributes plain = AttributesOf(symbol);
    const cudaFuncAttributes twin = AttributesOf(twin_symbol);
    EXPECT_LE(plain.numRegs, twin.numRegs);
    EXPECT_LE(plain.sharedSizeBytes, twin.sharedSizeBytes);
    EXPECT_EQ(plain.localSizeBytes, 0u);
    EXPECT_EQ(twin.localSizeBytes, 0u);
    ++pairs;
  }
  EXPECT_EQ(pairs, 11);
}

}  // namespace
}  // namespace reprise
