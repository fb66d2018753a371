#include "examples/decoder/launches_alone.h"

#include "capture/stream_capture.h"
#include "examples/decoder/device_step.h"
#include "replay/graph_exec.h"

namespace reprise::decoder {

absl::StatusOr<GraphExecHandle> LaunchesAlone(const Driver& driver,
                                              const Graph& step,
                                              absl::Span<const NodeId> nodes,
                                              CUstream stream) {
  Graph chain;
  for (const NodeId node : nodes) {
    chain.AddKernel(step.launch(node), StreamId{0});
  }
  const absl::StatusOr<DeviceStep> launches =
      DeviceStep::Create(chain, Dependency::kProgrammatic);
  if (!launches.ok()) return launches.status();
  const absl::StatusOr<GraphHandle> captured =
      CaptureStream(driver, stream, [&] { return launches->Launch(stream); });
  if (!captured.ok()) return captured.status();
  return Instantiate(driver, captured->get(), /*flags=*/0, /*program=*/nullptr);
}

}  // namespace reprise::decoder
