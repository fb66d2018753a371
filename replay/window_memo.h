// Shares images in a loop that is launched call by call: the projections of a
// layer follow each other and quantize the same activation, which is done once.
// A loop that can be captured is wrapped by replay/loop.h instead.
//
//   WindowMemo memo(driver);
//   const std::int64_t bytes = ImageBytes(layout, tokens, most_columns);
//   while (prefilling) {
//     absl::Status ran = memo.Run(bytes, [&] {
//       memo.Other([&] { LaunchNorm(stream); });                  // clears
//       for (const Matrix& matrix : {q, k, v}) {
//         memo.Product(
//             stream, {.source = normed, .rows = tokens, ...},
//             [&](void* image) { LaunchQuantize(image, stream); },    // once
//             [&](const void* image) { LaunchMatMul(matrix, image, stream); });
//       }
//     });
//   }
//
// Every launch of the step goes through the memo, and what it is told to launch
// says whether the image is still good; there is no call that only clears, and
// so none to forget. A step may not launch past it: the memo would not see a
// writer of the source.
//
// Hit      the product in front, with nothing else between, had the same
//          source view (pointer, rows, columns, row stride), layout and stream,
//          was of the same Run, and did not write on that source.
// Cleared  by any other node (kernel, copy, fill, event, wait, host code that
//          writes device memory), the end of a Run, another stream, a product
//          of another view, one that writes on the source, one that fails, and
//          new planes: an image counts only where it was written to.
// Planes   one allocation of the memo's own, from the driver, for one image at
//          a time. It grows only as a Run begins, before the step is called,
//          and is never given back before the memo goes. An image's address is
//          good only in the call that gets it.
// Streams  those of a Run live until it has returned. What uses the planes on
//          another stream is put behind what used them before, on the device.
// Device   that of the first Run: a memo belongs to the context that is current
//          then, and is destroyed with it current. A loop on two devices has a
//          memo for each, and a node of it goes through both.
// Errors   of Run, the step not called: ResourceExhausted where there is no
//          memory for the planes. Of a node, which then launches nothing:
//            InvalidArgument     a product that is no product of a view, or one
//                                whose image is longer than the Run was told
//            FailedPrecondition  no context or another one; a Run within a Run;
//                                a node outside of a Run or within another; a
//                                stream that is captured
//          and what a callable returns, and what CudaStatus makes of a failed
//          call. After a node's first error the Run's others launch nothing
//          and return it too, and so does Run: who calls need not look.
//          An exception of a callable goes on to the caller.
// Threads  one caller at a time; all of a Run on the thread that called it. Two
//          memos know nothing of each other.
#ifndef REPRISE_REPLAY_WINDOW_MEMO_H_
#define REPRISE_REPLAY_WINDOW_MEMO_H_

#include <cuda.h>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "graph/graph.h"
#include "graph/image_layout.h"
#include "replay/device_arena.h"

namespace reprise {

// A matrix product as far as its image goes. `source` is rows of floats as they
// lie: rows that numbers in memory pick are no source, and such a product is
// another node.
struct MemoProduct {
  const float* source = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;  // in floats, at least `columns`
  ImageLayout layout = ImageLayout::kQ8_1;
  std::int64_t slack = 0;  // bytes behind the image that `multiply` loads
  // All that `multiply` writes but scratch of its own, what lies between its
  // rows included. In bytes.
  const void* output = nullptr;
  std::int64_t output_bytes = 0;
};

struct WindowMemoCounts {
  std::uint64_t runs = 0;         // that called their step
  std::uint64_t hits = 0;         // products that quantized nothing
  std::uint64_t misses = 0;       // products that quantized
  std::uint64_t others = 0;       // other nodes
  std::uint64_t allocations = 0;  // of planes

  friend bool operator==(const WindowMemoCounts&,
                         const WindowMemoCounts&) = default;
};

class WindowMemo {
 public:
  // Has no planes yet. REQUIRES: the table outlives the memo.
  explicit WindowMemo(const Driver& driver) : driver_(&driver) {}
  WindowMemo(const WindowMemo&) = delete;
  WindowMemo& operator=(const WindowMemo&) = delete;
  // Waits for what still uses the planes. REQUIRES: no Run is running.
  ~WindowMemo();

  // One execution of the loop: calls `step` once there are planes of at least
  // `bytes`, the longest image of the step with its slack (ImageBytes). Growing
  // waits for the last Run's launches; without growth, Run waits for nothing.
  // `step`, as the callables below, returns nothing or an absl::Status.
  template <typename Step>
  absl::Status Run(std::int64_t bytes, Step&& step) {
    return RunStep(bytes, [&] { return StatusOf(step); });
  }

  // In a Run: launches a matrix product on `stream`. `multiply(const void*)`
  // gets the image; `quantize(void*)` is called first where it has to be made,
  // and writes all of it, as every quantizer of that layout does, from the
  // source alone. Both launch on `stream`.
  template <typename Quantize, typename Multiply>
  absl::Status Product(CUstream stream, const MemoProduct& product,
                       Quantize&& quantize, Multiply&& multiply) {
    return RunProduct(
        stream, product, [&](void* image) { return StatusOf(quantize, image); },
        [&](const void* image) { return StatusOf(multiply, image); });
  }

  // In a Run: launches anything else, on whatever streams.
  template <typename Launch>
  absl::Status Other(Launch&& launch) {
    return RunOther([&] { return StatusOf(launch); });
  }

  const WindowMemoCounts& counts() const { return counts_; }

 private:
  // What the planes hold.
  struct Image {
    const float* source;
    std::int64_t rows, columns, row_stride;
    ImageLayout layout;
    CUstream stream;
    Allocation planes;  // where it was written to

    friend bool operator==(const Image&, const Image&) = default;
  };
  // Where a call of the caller's is under way.
  enum class Within { kNothing, kRun, kNode };

  template <typename Call, typename... Args>
  static absl::Status StatusOf(Call& call, Args... args) {
    if constexpr (std::is_void_v<std::invoke_result_t<Call&, Args...>>) {
      call(args...);
      return absl::OkStatus();
    } else {
      return call(args...);
    }
  }

  absl::Status RunStep(std::int64_t bytes,
                       absl::FunctionRef<absl::Status()> step);
  absl::Status RunProduct(
      CUstream stream, const MemoProduct& product,
      absl::FunctionRef<absl::Status(void*)> quantize,
      absl::FunctionRef<absl::Status(const void*)> multiply);
  absl::Status RunOther(absl::FunctionRef<absl::Status()> launch);

  absl::Status RunNode(absl::FunctionRef<absl::Status()> node);

  absl::Status Begin(std::int64_t bytes);
  absl::Status End();
  absl::Status Grow(std::int64_t bytes);
  absl::Status CheckContext() const;
  absl::Status CheckProduct(const MemoProduct& product) const;
  absl::Status RefuseCapture(CUstream stream) const;
  // Puts what `stream` does next behind all that used the planes.
  absl::Status Order(CUstream stream);
  absl::Status WaitForLaunches() const;

  const Driver* driver_;
  CUcontext context_ = nullptr;  // from the first Run on
  DeviceArena planes_;
  std::optional<Image> image_;
  Within within_ = Within::kNothing;
  absl::Status failed_;             // the first error of this Run's nodes
  std::optional<CUstream> stream_;  // that used the planes last, in this Run
  EventHandle done_;                // behind what used them before that
  bool recorded_ = false;           // whether it was ever recorded
  WindowMemoCounts counts_;
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_WINDOW_MEMO_H_
