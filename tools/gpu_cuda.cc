#include <cuda_runtime_api.h>

#include <utility>

#include "capture/annotate.h"
#include "capture/import_graph.h"
#include "capture/stream_capture.h"
#include "driver/cuda_status.h"
#include "tools/gpu.h"

namespace reprise {

absl::StatusOr<const Driver*> OpenGpu() {
  const absl::Status opened =
      CudaStatus(cudaSetDevice(0), "open a CUDA device");
  if (!opened.ok()) return opened;
  return LoadDriver();
}

absl::StatusOr<CapturedStep> CaptureStep(const Driver& driver,
                                         const decoder::DeviceDecoder& decoder,
                                         CUstream stream) {
  absl::StatusOr<GraphHandle> handle =
      CaptureStream(driver, stream, [&] { return decoder.Step(stream); });
  if (!handle.ok()) return handle.status();
  absl::StatusOr<ImportedGraph> imported =
      GraphImporter(driver).Import(handle->get());
  if (!imported.ok()) return imported.status();
  Annotate(BuiltInPacks(), imported->graph);
  return CapturedStep{*std::move(handle), std::move(imported->graph)};
}

}  // namespace reprise
