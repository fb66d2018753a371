#include "capture/import_transfer.h"

#include <cstdint>

namespace reprise {
namespace {

MemoryKind KindOf(CUmemorytype type) {
  switch (type) {
    case CU_MEMORYTYPE_HOST:
      return MemoryKind::kHost;
    case CU_MEMORYTYPE_DEVICE:
      return MemoryKind::kDevice;
    case CU_MEMORYTYPE_ARRAY:
      return MemoryKind::kArray;
    case CU_MEMORYTYPE_UNIFIED:
      return MemoryKind::kUnified;
  }
  return MemoryKind::kUnknown;
}

// One side of a copy as the driver describes it: a box of bytes in planes of
// `height` rows of `pitch` bytes.
struct Side {
  MemoryKind kind;
  CUdeviceptr device;
  std::uint64_t x, y, z;
  std::uint64_t pitch, height;

  std::uint64_t first_byte() const {
    if (kind != MemoryKind::kDevice && kind != MemoryKind::kUnified) return 0;
    return device + (z * height + y) * pitch + x;
  }
};

}  // namespace

Copy CopyOf(const CUDA_MEMCPY3D& params) {
  const Side source = {.kind = KindOf(params.srcMemoryType),
                       .device = params.srcDevice,
                       .x = params.srcXInBytes,
                       .y = params.srcY,
                       .z = params.srcZ,
                       .pitch = params.srcPitch,
                       .height = params.srcHeight};
  const Side target = {.kind = KindOf(params.dstMemoryType),
                       .device = params.dstDevice,
                       .x = params.dstXInBytes,
                       .y = params.dstY,
                       .z = params.dstZ,
                       .pitch = params.dstPitch,
                       .height = params.dstHeight};
  return {.source = source.first_byte(),
          .target = target.first_byte(),
          .width_bytes = params.WidthInBytes,
          .height = params.Height,
          .depth = params.Depth,
          .source_pitch = source.pitch,
          .target_pitch = target.pitch,
          .source_kind = source.kind,
          .target_kind = target.kind};
}

Fill FillOf(const CUDA_MEMSET_NODE_PARAMS& params) {
  return {.target = params.dst,
          .width = params.width,
          .height = params.height,
          .pitch = params.pitch,
          .element_bytes = params.elementSize,
          .value = params.value};
}

}  // namespace reprise
