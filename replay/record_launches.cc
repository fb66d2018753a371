#include "replay/cupti_calls.h"
#include "replay/cupti_recorder.h"
#include "replay/launch_counter.h"

namespace reprise {

absl::StatusOr<std::vector<NodeRecord>> RecordLaunches(Workload run) {
  const absl::StatusOr<const CuptiCalls*> cupti = LoadCupti();
  if (!cupti.ok()) return cupti.status();
  return RecordWithCupti(**cupti, run);
}

}  // namespace reprise
