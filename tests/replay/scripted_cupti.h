// CUPTI played by a test: a table whose calls keep account of what is enabled,
// deliver the records that a run asks for, and fail where the test says so.
//
// State is the process's own, as CUPTI's is: one test at a time.
#ifndef REPRISE_TESTS_REPLAY_SCRIPTED_CUPTI_H_
#define REPRISE_TESTS_REPLAY_SCRIPTED_CUPTI_H_

#include <cupti.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "replay/cupti_calls.h"

namespace reprise::testing {

struct CuptiScript {
  // The call that fails, by its name in the table, and how. Of ActivityEnable
  // and ActivityDisable, the one for `fails_for` where it is set.
  std::string fails = {};
  CUptiResult result = CUPTI_ERROR_UNKNOWN;
  std::optional<CUpti_ActivityKind> fails_for = {};
  std::string holder = {};  // who is subscribed already
  std::size_t drops = 0;

  // What happened.
  bool subscribed = false;
  std::set<CUpti_ActivityKind> enabled = {};
  std::vector<std::string> calls = {};
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  std::vector<std::uint8_t> pending = {};  // records not yet delivered
};

inline CuptiScript& Script() {
  static CuptiScript script;
  return script;
}

inline std::size_t BytesOf(const CUpti_Activity& activity) {
  switch (activity.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    default:
      return 0;
  }
}

// The device did this: it shows in the records if its kind is enabled.
template <typename Activity>
void Happen(const Activity& activity) {
  if (Script().enabled.count(activity.kind) == 0) return;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&activity);
  std::vector<std::uint8_t>& pending = Script().pending;
  pending.insert(pending.end(), bytes, bytes + sizeof activity);
}

inline CUpti_ActivityKernel10 KernelActivity(const char* name,
                                             std::uint64_t graph_node) {
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = name;
  kernel.graphNodeId = graph_node;
  return kernel;
}

// What each call does beside being counted: the error to return.
inline CUptiResult Called(const char* name,
                          std::optional<CUpti_ActivityKind> kind = {}) {
  CuptiScript& script = Script();
  script.calls.push_back(name);
  const bool fails = script.fails == name && (!script.fails_for.has_value() ||
                                              script.fails_for == kind);
  return fails ? script.result : CUPTI_SUCCESS;
}

// Every pending record, in buffers of at most one megabyte as they are given.
inline void Deliver() {
  CuptiScript& script = Script();
  if (script.pending.empty()) return;
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0;
  std::size_t max_records = 1;
  script.request(&buffer, &size, &max_records);
  std::memcpy(buffer, script.pending.data(), script.pending.size());
  script.complete(nullptr, 0, buffer, size, script.pending.size());
  script.pending.clear();
}

inline CuptiCalls ScriptedCupti() {
  CuptiCalls cupti;
  cupti.GetVersion = [](std::uint32_t* version) {
    *version = CUPTI_API_VERSION;
    return Called("GetVersion");
  };
  cupti.GetResultString = [](CUptiResult result, const char** name) {
    static char text[32];
    std::snprintf(text, sizeof text, "CUPTI_ERROR_%d",
                  static_cast<int>(result));
    *name = text;
    return CUPTI_SUCCESS;
  };
  cupti.Subscribe_v2 = [](CUpti_SubscriberHandle* subscriber,
                          CUpti_CallbackFunc, void*,
                          CUpti_SubscriberParams* params) {
    if (!Script().holder.empty()) {
      std::snprintf(params->oldSubscriberName, params->oldSubscriberSize, "%s",
                    Script().holder.c_str());
      Called("Subscribe_v2");
      return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    }
    const CUptiResult result = Called("Subscribe_v2");
    if (result != CUPTI_SUCCESS) return result;
    *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&Script());
    Script().subscribed = true;
    return result;
  };
  // What undoes something does so even where it reports an error.
  cupti.Unsubscribe = [](CUpti_SubscriberHandle) {
    Script().subscribed = false;
    return Called("Unsubscribe");
  };
  cupti.ActivityRegisterCallbacks =
      [](CUpti_BuffersCallbackRequestFunc request,
         CUpti_BuffersCallbackCompleteFunc complete) {
        Script().request = request;
        Script().complete = complete;
        return Called("ActivityRegisterCallbacks");
      };
  cupti.ActivityEnable = [](CUpti_ActivityKind kind) {
    const CUptiResult result = Called("ActivityEnable", kind);
    if (result == CUPTI_SUCCESS) Script().enabled.insert(kind);
    return result;
  };
  cupti.ActivityDisable = [](CUpti_ActivityKind kind) {
    Script().enabled.erase(kind);
    return Called("ActivityDisable", kind);
  };
  cupti.ActivityFlushAll = [](std::uint32_t) {
    Deliver();
    return Called("ActivityFlushAll");
  };
  cupti.ActivityGetNextRecord = [](std::uint8_t* buffer, std::size_t bytes,
                                   CUpti_Activity** record) {
    const CUptiResult result = Called("ActivityGetNextRecord");
    if (result != CUPTI_SUCCESS) return result;
    std::uint8_t* next =
        *record == nullptr
            ? buffer
            : reinterpret_cast<std::uint8_t*>(*record) + BytesOf(**record);
    if (next == buffer + bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity*>(next);
    return CUPTI_SUCCESS;
  };
  cupti.ActivityGetNumDroppedRecords = [](CUcontext, std::uint32_t,
                                          std::size_t* dropped) {
    *dropped = Script().drops;
    return Called("ActivityGetNumDroppedRecords");
  };
  return cupti;
}

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_REPLAY_SCRIPTED_CUPTI_H_
