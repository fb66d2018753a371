#include "replay/window_memo.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "capture/stream_capture.h"
#include "driver/cuda_status.h"

namespace reprise {
namespace {

// Beyond these, bytes of a view might not be a number of 64 bits.
constexpr std::int64_t kMostRows = std::int64_t{1} << 24;
constexpr std::int64_t kMostColumns = std::int64_t{1} << 31;

// From the first float of a view to behind its last.
std::int64_t SourceBytes(const MemoProduct& product) {
  return ((product.rows - 1) * product.row_stride + product.columns) *
         static_cast<std::int64_t>(sizeof(float));
}

bool WritesOnItsSource(const MemoProduct& product) {
  const auto source = reinterpret_cast<std::uintptr_t>(product.source);
  const auto output = reinterpret_cast<std::uintptr_t>(product.output);
  return output < source + static_cast<std::uintptr_t>(SourceBytes(product)) &&
         source < output + static_cast<std::uintptr_t>(product.output_bytes);
}

}  // namespace

WindowMemo::~WindowMemo() {
  // A launch that may still write must not write into somebody else's memory.
  if (!WaitForLaunches().ok()) planes_.Abandon();
}

absl::Status WindowMemo::RunStep(std::int64_t bytes,
                                 absl::FunctionRef<absl::Status()> step) {
  if (within_ != Within::kNothing) {
    failed_.Update(absl::FailedPreconditionError(
        "a window memo is asked for a run within a run"));
    return failed_;
  }
  const absl::Status begun = Begin(bytes);
  if (!begun.ok()) return begun;
  absl::Status ended;
  absl::Status ran = [&] {
    const absl::Cleanup end = [&] { ended = End(); };
    return step();
  }();
  ran.Update(failed_);
  ran.Update(ended);
  return ran;
}

absl::Status WindowMemo::Begin(std::int64_t bytes) {
  if (bytes < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a window memo is asked for ", bytes, " bytes"));
  }
  CUcontext current = nullptr;
  const CUresult asked = driver_->CtxGetCurrent(&current);
  if (asked != CUDA_SUCCESS) {
    return CudaStatus(*driver_, asked, "ask for the current context");
  }
  if (current == nullptr) {
    return absl::FailedPreconditionError(
        "a window memo runs with no context current");
  }
  if (context_ == nullptr) context_ = current;
  const absl::Status same = CheckContext();
  if (!same.ok()) return same;
  if (!done_) {
    const RelaxedCapture relaxed(*driver_);
    CUevent event = nullptr;
    const CUresult created =
        driver_->EventCreate(&event, CU_EVENT_DISABLE_TIMING);
    if (created != CUDA_SUCCESS) {
      return CudaStatus(*driver_, created, "make a window memo's event");
    }
    done_ = EventHandle(*driver_, event);
  }
  if (static_cast<std::uint64_t>(bytes) > planes_.allocation().bytes) {
    const absl::Status grown = Grow(bytes);
    if (!grown.ok()) return grown;
  }
  within_ = Within::kRun;
  failed_ = absl::OkStatus();
  ++counts_.runs;
  return absl::OkStatus();
}

absl::Status WindowMemo::Grow(std::int64_t bytes) {
  const absl::Status waited = WaitForLaunches();
  if (!waited.ok()) return waited;
  image_.reset();
  // First back, so that no more is held at once than is asked for.
  planes_ = DeviceArena();
  absl::StatusOr<DeviceArena> planes =
      DeviceArena::Create(*driver_, static_cast<std::uint64_t>(bytes));
  if (!planes.ok()) return planes.status();
  planes_ = *std::move(planes);
  ++counts_.allocations;
  return absl::OkStatus();
}

absl::Status WindowMemo::End() {
  within_ = Within::kNothing;
  image_.reset();
  if (!stream_) return absl::OkStatus();
  const CUstream stream = *std::exchange(stream_, std::nullopt);
  absl::Status ended = RefuseCapture(stream);
  if (ended.ok()) {
    ended = CudaStatus(*driver_, driver_->EventRecord(done_.get(), stream),
                       "mark the end of a window memo's run");
  }
  if (ended.ok()) {
    recorded_ = true;
  } else {
    // Nobody can wait for what uses them.
    planes_.Abandon();
  }
  return ended;
}

absl::Status WindowMemo::RunNode(absl::FunctionRef<absl::Status()> node) {
  if (within_ != Within::kRun) {
    const absl::Status refused = absl::FailedPreconditionError(
        "a window memo is asked for a node outside of its run, or within "
        "another node");
    if (within_ == Within::kNode) failed_.Update(refused);
    return refused;
  }
  if (!failed_.ok()) return failed_;
  within_ = Within::kNode;
  const absl::Cleanup back = [this] { within_ = Within::kRun; };
  failed_.Update(node());
  return failed_;
}

absl::Status WindowMemo::RunProduct(
    CUstream stream, const MemoProduct& product,
    absl::FunctionRef<absl::Status(void*)> quantize,
    absl::FunctionRef<absl::Status(const void*)> multiply) {
  return RunNode([&]() -> absl::Status {
    // Comes back only where all goes well.
    const std::optional<Image> known = std::exchange(image_, std::nullopt);
    absl::Status status = CheckContext();
    if (status.ok()) status = CheckProduct(product);
    if (!status.ok()) return status;

    const Image image = {.source = product.source,
                         .rows = product.rows,
                         .columns = product.columns,
                         .row_stride = product.row_stride,
                         .layout = product.layout,
                         .stream = stream,
                         .planes = planes_.allocation()};
    void* const place = reinterpret_cast<void*>(image.planes.address);
    if (known == image) {
      ++counts_.hits;
    } else {
      status = Order(stream);
      if (!status.ok()) return status;
      ++counts_.misses;
      status = quantize(place);
      if (!status.ok()) return status;
    }
    status = multiply(place);
    if (status.ok() && failed_.ok() && !WritesOnItsSource(product)) {
      image_ = image;
    }
    return status;
  });
}

absl::Status WindowMemo::RunOther(absl::FunctionRef<absl::Status()> launch) {
  return RunNode([&] {
    image_.reset();
    ++counts_.others;
    return launch();
  });
}

absl::Status WindowMemo::CheckContext() const {
  CUcontext current = nullptr;
  const CUresult asked = driver_->CtxGetCurrent(&current);
  if (asked != CUDA_SUCCESS) {
    return CudaStatus(*driver_, asked, "ask for the current context");
  }
  if (current == context_) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "a window memo is used with another context current than at its first "
      "run; a device has a memo of its own");
}

absl::Status WindowMemo::CheckProduct(const MemoProduct& product) const {
  if (product.source == nullptr || product.rows < 1 ||
      product.rows > kMostRows || product.columns < 1 ||
      product.columns > kMostColumns || product.row_stride < product.columns ||
      product.row_stride > kMostColumns || product.slack < 0 ||
      product.slack > kMostColumns || product.output == nullptr ||
      product.output_bytes < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a window memo is asked for a product of ", product.rows, " rows of ",
        product.columns, " floats, ", product.row_stride, " apart, with ",
        product.slack, " bytes of slack and ", product.output_bytes,
        " of output"));
  }
  const std::int64_t bytes =
      ImageBytes(product.layout, product.rows, product.columns) + product.slack;
  if (static_cast<std::uint64_t>(bytes) <= planes_.allocation().bytes) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "a window memo is asked for an image of ", bytes, " bytes in layout ",
      InfoOf(product.layout).name, ", and its planes have ",
      planes_.allocation().bytes, ": its run was told of shorter ones"));
}

absl::Status WindowMemo::RefuseCapture(CUstream stream) const {
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult asked = driver_->StreamIsCapturing(stream, &capture);
  if (asked != CUDA_SUCCESS) {
    return CudaStatus(*driver_, asked, "ask whether a stream is captured");
  }
  if (capture == CU_STREAM_CAPTURE_STATUS_NONE) return absl::OkStatus();
  // The graph would go on using the planes when they are gone.
  return absl::FailedPreconditionError(
      "a window memo is used on a stream that is captured; that is what "
      "replay/loop.h is for");
}

absl::Status WindowMemo::Order(CUstream stream) {
  const absl::Status eager = RefuseCapture(stream);
  if (!eager.ok()) return eager;
  if (stream_ == stream) return absl::OkStatus();
  CUresult result = CUDA_SUCCESS;
  if (stream_) {
    const absl::Status left_eager = RefuseCapture(*stream_);
    if (!left_eager.ok()) return left_eager;
    result = driver_->EventRecord(done_.get(), *stream_);
    if (result == CUDA_SUCCESS) recorded_ = true;
  }
  // Also where the last Run had a stream of that name: it may be another now.
  if (result == CUDA_SUCCESS && recorded_) {
    result =
        driver_->StreamWaitEvent(stream, done_.get(), CU_EVENT_WAIT_DEFAULT);
  }
  if (result == CUDA_SUCCESS) stream_ = stream;
  return CudaStatus(*driver_, result,
                    "put a stream behind what used a window memo's planes");
}

absl::Status WindowMemo::WaitForLaunches() const {
  if (!recorded_) return absl::OkStatus();
  const RelaxedCapture relaxed(*driver_);
  return CudaStatus(*driver_, driver_->EventSynchronize(done_.get()),
                    "wait for a window memo's launches");
}

}  // namespace reprise
