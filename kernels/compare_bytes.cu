#include <algorithm>

#include "kernels/compare_bytes.h"

namespace reprise {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMaxBlocks = 4096;
constexpr std::int64_t kPieceBytes = 16;

__device__ bool DiffersIn(const std::uint8_t* a, const std::uint8_t* b,
                          std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    if (a[i] != b[i]) return true;
  }
  return false;
}

// A thread takes every n-th piece of sixteen bytes; the pieces begin where
// `expected` is a multiple of sixteen.
__global__ void CompareBytes(const CompareBytesParams params) {
  const std::uint8_t* a = params.expected;
  const std::uint8_t* b = params.actual;
  const auto skew_of = [](const std::uint8_t* at) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at) %
                                     kPieceBytes);
  };
  const bool aligned = skew_of(a) == skew_of(b);
  const std::int64_t stride = kPieceBytes * kThreads * gridDim.x;
  bool differs = false;
  for (std::int64_t piece =
           kPieceBytes * (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) -
           skew_of(a);
       piece < params.bytes; piece += stride) {
    if (aligned && piece >= 0 && piece + kPieceBytes <= params.bytes) {
      const uint4 x = *reinterpret_cast<const uint4*>(a + piece);
      const uint4 y = *reinterpret_cast<const uint4*>(b + piece);
      differs |= x.x != y.x || x.y != y.y || x.z != y.z || x.w != y.w;
    } else {
      differs |= DiffersIn(a, b, max(piece, std::int64_t{0}),
                           min(piece + kPieceBytes, params.bytes));
    }
  }
  if (differs) *params.different = 1;
}

}  // namespace

cudaError_t CompareBytesOnStream(const CompareBytesParams& params,
                                 cudaStream_t stream) {
  if (params.bytes <= 0) return cudaSuccess;
  const std::int64_t pieces = params.bytes / kPieceBytes + 2;
  const std::int64_t blocks =
      std::min((pieces + kThreads - 1) / kThreads, kMaxBlocks);
  CompareBytes<<<static_cast<unsigned int>(blocks), kThreads, 0, stream>>>(
      params);
  return cudaGetLastError();
}

}  // namespace reprise
