#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "driver/cuda_status.h"
#include "driver/driver.h"
#include "graph/text.h"
#include "replay/device_verifier.h"
#include "tests/kernels/on_device.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

constexpr std::size_t kCount = 32;

class DeviceVerifierOnDevice : public OnDevice {};

// The floats of an earlier replay are still there, so only poison can tell that
// a copy needs those which the rewritten graph leaves out.
TEST_F(DeviceVerifierOnDevice, FindsAHiddenReaderOfDroppedFloats) {
  const Driver& driver = **LoadDriver();
  const DeviceArray<float> x(std::vector<float>(kCount, 1));
  DeviceArray<float> floats(std::vector<float>(kCount, 1));
  DeviceArray<float> read(std::vector<float>(kCount, 0));
  const auto view = [](const DeviceArray<float>& of) {
    return absl::StrCat("0x",
                        absl::Hex(reinterpret_cast<std::uintptr_t>(of.data())),
                        ":f32:", kCount);
  };
  const auto graph = GraphFromText(
      absl::StrCat("chain\n0: rms_norm mul | ", view(x), " -> ", view(floats),
                   "\n1: memcpy | ", view(floats), " -> ", view(read), "\n"));
  ASSERT_OK(graph);
  const auto copy = [](const DeviceArray<float>& from, DeviceArray<float>& to,
                       CUstream stream) {
    return CudaStatus(
        cudaMemcpyAsync(to.data(), from.data(), kCount * sizeof(float),
                        cudaMemcpyDeviceToDevice, stream),
        "copy");
  };
  const auto hidden = [&](CUstream on) { return copy(floats, read, on); };
  const auto original = [&](CUstream on) {
    absl::Status status = copy(x, floats, on);
    status.Update(hidden(on));
    return status;
  };
  for (const bool drops : {false, true}) {
    absl::StatusOr<DeviceVerifier> verifier = DeviceVerifier::Create(
        driver, *graph,
        drops ? std::vector<NodeId>{NodeId{0}} : std::vector<NodeId>());
    ASSERT_OK(verifier);
    const Verification verification =
        verifier->Run({original, hidden, {}}, nullptr);
    EXPECT_OK(verification.step);
    ASSERT_OK(verification.difference);
    ASSERT_EQ(verification.difference->has_value(), drops);
    if (drops) {
      EXPECT_EQ((*verification.difference)->node, NodeId{1});
    }
    EXPECT_EQ(read.Download(), std::vector<float>(kCount, 1));
  }
}

}  // namespace
}  // namespace reprise
