// Whether two stretches of memory hold the same bytes: what a verification on
// the device compares by.
#ifndef REPRISE_KERNELS_COMPARE_BYTES_H_
#define REPRISE_KERNELS_COMPARE_BYTES_H_

#include <cuda_runtime_api.h>

#include <cstdint>

namespace reprise {

// Reads 2 * bytes once. Fastest where both addresses are equal modulo 16.
struct CompareBytesParams {
  const std::uint8_t* expected = nullptr;
  const std::uint8_t* actual = nullptr;
  std::int64_t bytes = 0;
  // Set to 1 where a byte differs, else left as it is.
  std::uint32_t* different = nullptr;
};

// Launches nothing for 0 bytes. Any thread; the current device.
cudaError_t CompareBytesOnStream(const CompareBytesParams& params,
                                 cudaStream_t stream);

}  // namespace reprise

#endif  // REPRISE_KERNELS_COMPARE_BYTES_H_
