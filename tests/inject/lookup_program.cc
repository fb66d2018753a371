// A program that finds the driver's calls on graphs in the way that is asked
// for, and makes each of them.
//
//   lookup_program linked
//   lookup_program dlsym
//   lookup_program cuGetProcAddress VERSION [per_thread]
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/victims/engine/captured.h"
#include "tests/victims/engine/model.h"

namespace {

using GetProcAddress = CUresult(const char*, void**, int, cuuint64_t,
                                CUdriverProcAddressQueryResult*);

int version = 0;
cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT;

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "lookup_program: no %s\n", what);
  std::exit(1);
}

void* FromDlsym(const char* exported_name) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  void* found = dlsym(driver, exported_name);
  Require(found != nullptr, exported_name);
  return found;
}

void* FromDriver(const char* name) {
  static auto* const find =
      reinterpret_cast<GetProcAddress*>(FromDlsym("cuGetProcAddress_v2"));
  void* found = nullptr;
  CUdriverProcAddressQueryResult status;
  Require(find(name, &found, version, flags, &status) == CUDA_SUCCESS, name);
  return found;
}

// The types of before CUDA 12.
using InstantiateWithLog = CUresult(CUgraphExec*, CUgraph, CUgraphNode*, char*,
                                    std::size_t);
using UpdateWithNode = CUresult(CUgraphExec, CUgraph, CUgraphNode*,
                                CUgraphExecUpdateResult*);

struct Calls {
  decltype(&cuGraphInstantiateWithFlags) instantiate = nullptr;
  InstantiateWithLog* instantiate_with_log = nullptr;
  decltype(&cuGraphUpload) upload = nullptr;  // not before CUDA 11.1
  decltype(&cuGraphLaunch) launch = nullptr;
  decltype(&cuGraphExecUpdate_v2) update = nullptr;
  UpdateWithNode* update_with_node = nullptr;
  decltype(&cuGraphExecDestroy) destroy = nullptr;
};

Calls LinkedCalls() {
  Calls calls;
  calls.instantiate = cuGraphInstantiateWithFlags;
  calls.upload = cuGraphUpload;
  calls.launch = cuGraphLaunch;
  calls.update = cuGraphExecUpdate_v2;
  calls.destroy = cuGraphExecDestroy;
  return calls;
}

template <typename Call>
void Set(Call& call, void* address) {
  call = reinterpret_cast<Call>(address);
}

Calls CallsByDlsym() {
  Calls calls;
  Set(calls.instantiate, FromDlsym("cuGraphInstantiateWithFlags"));
  Set(calls.upload, FromDlsym("cuGraphUpload"));
  Set(calls.launch, FromDlsym("cuGraphLaunch"));
  Set(calls.update, FromDlsym("cuGraphExecUpdate_v2"));
  Set(calls.destroy, FromDlsym("cuGraphExecDestroy"));
  return calls;
}

Calls CallsByVersion() {
  Calls calls;
  if (version >= 12000) {
    Set(calls.instantiate, FromDriver("cuGraphInstantiate"));
    Set(calls.update, FromDriver("cuGraphExecUpdate"));
  } else {
    Set(calls.instantiate_with_log, FromDriver("cuGraphInstantiate"));
    Set(calls.update_with_node, FromDriver("cuGraphExecUpdate"));
  }
  if (version >= 11010) Set(calls.upload, FromDriver("cuGraphUpload"));
  Set(calls.launch, FromDriver("cuGraphLaunch"));
  Set(calls.destroy, FromDriver("cuGraphExecDestroy"));
  return calls;
}

CUresult Instantiate(const Calls& calls, CUgraphExec* exec, CUgraph graph) {
  if (calls.instantiate != nullptr) return calls.instantiate(exec, graph, 0);
  CUgraphNode node;
  char log[256];
  return calls.instantiate_with_log(exec, graph, &node, log, sizeof log);
}

CUresult Update(const Calls& calls, CUgraphExec exec, CUgraph graph) {
  if (calls.update != nullptr) {
    CUgraphExecUpdateResultInfo info;
    return calls.update(exec, graph, &info);
  }
  CUgraphNode node;
  CUgraphExecUpdateResult result;
  return calls.update_with_node(exec, graph, &node, &result);
}

void Run(const Calls& calls) {
  const victims::Model models[] = {victims::Model(1), victims::Model(2)};
  const victims::Stream stream = victims::NewStream();
  const CUgraph graphs[] = {victims::Capture(models[0].Step(), stream).graph,
                            victims::Capture(models[1].Step(), stream).graph};
  CUgraphExec exec = nullptr;
  std::printf("instantiate %d\n", Instantiate(calls, &exec, graphs[0]));
  if (calls.upload != nullptr) {
    std::printf("upload %d\n", calls.upload(exec, stream));
  }
  std::printf("launch %d\n", calls.launch(exec, stream));
  std::printf("launch %d\n", calls.launch(exec, nullptr));
  std::printf("update %d\n", Update(calls, exec, graphs[1]));
  std::printf("launch %d\n", calls.launch(exec, stream));
  std::printf("destroy %d\n", calls.destroy(exec));
  for (const victims::Model& model : models) {
    std::printf("%016llx\n", static_cast<unsigned long long>(model.Digest()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Require(argc > 1, "way to find the calls");
  victims::Start();
  if (std::strcmp(argv[1], "linked") == 0) {
    Run(LinkedCalls());
  } else if (std::strcmp(argv[1], "dlsym") == 0) {
    Run(CallsByDlsym());
  } else {
    Require(argc > 2, "version");
    version = std::atoi(argv[2]);
    if (argc > 3) flags = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    Run(CallsByVersion());
  }
}
