// Copies from global to shared memory that a warp starts and awaits later.
// Before sm_80 they are plain copies, done when the call returns.
#ifndef REPRISE_KERNELS_ASYNC_COPY_CUH_
#define REPRISE_KERNELS_ASYNC_COPY_CUH_

#include <cstdint>

namespace reprise {

// What one copy moves. A staged byte keeps its address modulo this.
inline constexpr int kPieceBytes = 16;

__device__ inline std::uint32_t Skew(const std::uint8_t* at) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(at)) %
         kPieceBytes;
}

// Whether other warps of the multiprocessor copy the same bytes, so that they
// should go through the first-level cache.
enum class Reuse { kNone, kByOthers };

// Copies a piece to a shared address. REQUIRES: both addresses are multiples of
// kPieceBytes.
template <Reuse kReuse>
__device__ inline void CopyPiece(std::uint32_t to, const std::uint8_t* from) {
#if __CUDA_ARCH__ >= 800
  if constexpr (kReuse == Reuse::kNone) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),
                 "l"(from)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to),
                 "l"(from)
                 : "memory");
  }
#else
  *static_cast<uint4*>(__cvta_shared_to_generic(to)) =
      *reinterpret_cast<const uint4*>(from);
#endif
}

// Closes the group of all copies since the last call.
__device__ inline void CommitCopies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most `kPending` groups of this lane are under way. The other
// lanes' copies need a __syncwarp() besides.
template <int kPending>
__device__ inline void AwaitCopies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
#endif
}

// Asks for the bytes in the second-level cache. Harmless at any time: it reads
// nothing, so it needs no wait. Only sm_90 has kernels that start early enough.
__device__ inline void PrefetchToL2(const std::uint8_t* from,
                                    std::int64_t bytes) {
#if __CUDA_ARCH__ >= 900
  const auto start = reinterpret_cast<std::uintptr_t>(from);
  const std::uintptr_t first = (start + 15) & ~std::uintptr_t{15};
  const std::uintptr_t last = (start + bytes) & ~std::uintptr_t{15};
  if (first >= last) return;
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                   __cvta_generic_to_global(reinterpret_cast<void*>(first))),
               "r"(static_cast<std::uint32_t>(last - first))
               : "memory");
#endif
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_ASYNC_COPY_CUH_
