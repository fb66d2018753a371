// A program with a subscription to CUPTI of its own, as under a profiler.
#include <cupti.h>
#include <dlfcn.h>

#include <atomic>

#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

std::atomic<int> graph_launches = 0;

void CUPTIAPI Count(void*, CUpti_CallbackDomain, CUpti_CallbackId,
                    const void* data) {
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.callbackSite == CUPTI_API_ENTER) ++graph_launches;
}

// Whether all calls are there and work.
bool Subscribe(void* cupti) {
  const auto subscribe = reinterpret_cast<decltype(&cuptiSubscribe)>(
      dlsym(cupti, "cuptiSubscribe"));
  const auto enable = reinterpret_cast<decltype(&cuptiEnableCallback)>(
      dlsym(cupti, "cuptiEnableCallback"));
  CUpti_SubscriberHandle subscriber;
  if (subscribe == nullptr || enable == nullptr ||
      subscribe(&subscriber, Count, nullptr) != CUPTI_SUCCESS) {
    return false;
  }
  for (const CUpti_CallbackId launch :
       {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
        CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz}) {
    if (enable(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, launch) !=
        CUPTI_SUCCESS) {
      return false;
    }
  }
  return true;
}

const Scenario kProfiled("profiled", [] {
  void* cupti = dlopen("libcupti.so.13", RTLD_NOW);
  if (cupti == nullptr || !Subscribe(cupti)) Skip("CUPTI");
  const Model model(1);
  const Stream stream = NewStream();
  const Exec exec = MakeExec(model.Step(), stream);
  for (int step = 0; step < 4; ++step) {
    const int before = graph_launches;
    Launch(exec, stream);
    Synchronize(stream);
    PrintStep(step, model);
    std::puts(graph_launches > before ? "seen" : "not seen");
  }
  Destroy(exec);
  Destroy(stream);
});

}  // namespace
}  // namespace victims
