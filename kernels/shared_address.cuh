// Shared memory by its 32-bit address.
#ifndef REPRISE_KERNELS_SHARED_ADDRESS_CUH_
#define REPRISE_KERNELS_SHARED_ADDRESS_CUH_

#include <cstdint>

namespace reprise {

__device__ inline std::uint32_t SharedAddress(const void* at) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}

__device__ inline std::uint8_t* Shared(std::uint32_t address) {
  return static_cast<std::uint8_t*>(__cvta_shared_to_generic(address));
}

// Hides how an address was made, or the compiler makes it anew at each use.
__device__ inline std::uint32_t Opaque(std::uint32_t address) {
  asm("" : "+r"(address));
  return address;
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_SHARED_ADDRESS_CUH_
