// Programmatic dependent launch: how a kernel of this layer starts while the
// one before it still runs.
//
// Every kernel calls TriggerDependents() first, or before its last stores where
// it takes tens of microseconds: blocks of a dependent that wait all that time
// take up places and crowd those to come. It calls WaitForPrimaries() before
// its first read or write of memory that another kernel may touch, in every
// thread block. Then an edge between two of them may be programmatic: a
// dependent that starts early does nothing that can be seen before it has
// waited, and because each kernel waits, the end of one means the end of all
// before it. Prefetching into a cache is allowed before the wait, reading is
// not. Both calls do nothing before sm_90 and on full edges.
#ifndef REPRISE_KERNELS_PROGRAMMATIC_CUH_
#define REPRISE_KERNELS_PROGRAMMATIC_CUH_

namespace reprise {

__device__ inline void TriggerDependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

__device__ inline void WaitForPrimaries() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_PROGRAMMATIC_CUH_
