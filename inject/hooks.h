// What the preloaded library and the rest of Reprise say to each other.
//
// The preloaded library is in every process that the program starts, so it is
// small and needs nothing but the C library. The rest, with all that it is
// linked to, comes into a process at its first CUDA graph, under names that the
// program does not see (dlopen with RTLD_LOCAL and RTLD_DEEPBIND).
#ifndef REPRISE_INJECT_HOOKS_H_
#define REPRISE_INJECT_HOOKS_H_

#include <cuda.h>

#include <cstdint>

namespace reprise {

// ProgramGraphs, as plain functions.
struct Hooks {
  void (*instantiated)(CUgraphExec exec, CUgraph graph, std::uint64_t flags);
  void (*updated)(CUgraphExec exec, CUgraph graph, CUresult result);
  void (*kernel_params_set)(CUgraphExec exec, CUgraphNode node,
                            const CUDA_KERNEL_NODE_PARAMS* params,
                            CUresult result);
  void (*changed)(CUgraphExec exec, const char* call);
  void (*upload)(CUgraphExec exec, CUstream stream);
  // `original` is called with `exec` and `asked`; `stream` is what is meant.
  CUresult (*launch)(CUgraphExec exec, CUstream stream, CUstream asked,
                     CUresult (*original)(CUgraphExec, CUstream));
  void (*destroyed)(CUgraphExec exec);
  void (*stream_ends)(CUstream stream);
  // Before the driver unloads a module or a library.
  void (*code_unloads)();
  // Before the driver ends it.
  void (*context_ends)(CUcontext context);
  // After a call that may have ended the device's primary context.
  void (*primary_context_released)(CUdevice device);
};

// The name under which the library has OpenHooks.
inline constexpr char kOpenHooks[] = "reprise_open_hooks";
// Null where nothing is to be done: the environment says so, or a line on the
// standard error says why not. To be called once.
using OpenHooks = const Hooks* (*)();

// Writes the summary, also where the hooks were never opened.
inline constexpr char kReportRun[] = "reprise_report_run";
using ReportRun = void (*)();

}  // namespace reprise

#endif  // REPRISE_INJECT_HOOKS_H_
