// Copies of contiguous bytes from global to shared memory for a whole thread
// block. On sm_90 one thread asks the copy engine for them, and a barrier in
// shared memory says when they have arrived; before sm_90 all threads copy.
#ifndef REPRISE_KERNELS_BULK_COPY_CUH_
#define REPRISE_KERNELS_BULK_COPY_CUH_

#include <cstdint>

#include "kernels/async_copy.cuh"

namespace reprise {

// The copies of one stage, which follow one another: Expect() and Copy() as
// often as needed, then Await() by every thread that reads.
class BulkCopies {
 public:
  // `barrier` is the shared address of eight bytes at a multiple of eight;
  // `thread` of `threads` calls.
  __device__ BulkCopies(std::uint32_t barrier, int thread, int threads)
      : barrier_(barrier), thread_(thread), threads_(threads) {}

  // Before any other use, and before a __syncthreads().
  __device__ void Init() const {
#if __CUDA_ARCH__ >= 900
    if (thread_ != 0) return;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier_)
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
  }

  // All bytes of the copies that follow.
  __device__ void Expect(int bytes) const {
#if __CUDA_ARCH__ >= 900
    if (thread_ != 0) return;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     barrier_),
                 "r"(bytes)
                 : "memory");
#endif
  }

  // REQUIRES: addresses and bytes are multiples of kPieceBytes.
  __device__ void Copy(std::uint32_t to, const std::uint8_t* from,
                       int bytes) const {
#if __CUDA_ARCH__ >= 900
    if (thread_ != 0) return;
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1], %2, [%3];" ::"r"(to),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier_)
        : "memory");
#else
    for (int at = thread_ * kPieceBytes; at < bytes;
         at += threads_ * kPieceBytes) {
      CopyPiece<Reuse::kNone>(to + at, from + at);
    }
#endif
  }

  // `turn` counts the waits before this one. Before sm_90 the caller waits for
  // pieces of its own anyway (AwaitCopies).
  __device__ void Await(int turn) const {
#if __CUDA_ARCH__ >= 900
    std::uint32_t arrived = 0;
    while (arrived == 0) {
      asm volatile(
          "{\n"
          ".reg .pred done;\n"
          "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
          "selp.u32 %0, 1, 0, done;\n"
          "}"
          : "=r"(arrived)
          : "r"(barrier_), "r"(turn % 2)
          : "memory");
    }
#endif
  }

 private:
  std::uint32_t barrier_;
  int thread_;
  int threads_;
};

}  // namespace reprise

#endif  // REPRISE_KERNELS_BULK_COPY_CUH_
