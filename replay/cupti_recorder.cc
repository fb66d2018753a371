#include "replay/cupti_recorder.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "replay/cupti_status.h"

namespace reprise {
namespace {

constexpr CUpti_ActivityKind kKinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
    CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMSET,
};

// Some thousand records.
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kBufferAlignment = 8;  // as CUPTI asks

Dim3 GridOf(const CUpti_ActivityKernel10& kernel) {
  return {static_cast<std::uint32_t>(kernel.gridX),
          static_cast<std::uint32_t>(kernel.gridY),
          static_cast<std::uint32_t>(kernel.gridZ)};
}

// An executable that was made before CUPTI came runs small copies and fills as
// kernels of the driver's own: "memcpy32_post", "memset32".
NodeKind KindOf(absl::string_view symbol) {
  for (const auto& [prefix, kind] :
       {std::pair<absl::string_view, NodeKind>{"memcpy", NodeKind::kCopy},
        {"memset", NodeKind::kFill}}) {
    if (absl::StartsWith(symbol, prefix) && symbol.size() > prefix.size() &&
        absl::ascii_isdigit(
            static_cast<unsigned char>(symbol[prefix.size()]))) {
      return kind;
    }
  }
  return NodeKind::kKernel;
}

// What all three kinds of record have.
template <typename Activity>
NodeRecord RecordOf(NodeKind kind, const Activity& activity) {
  NodeRecord record;
  record.kind = kind;
  record.stream = activity.streamId;
  record.start_ns = activity.start;
  record.end_ns = activity.end;
  record.graph_node = activity.graphNodeId;
  return record;
}

// CUPTI's callbacks carry no user data: what they hand over lands here. Once
// constructed it is never destroyed, since CUPTI's thread may outlive main.
class Mailbox {
 public:
  // False where a recording is open already.
  bool Open(const CuptiCalls& cupti) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (cupti_ != nullptr) return false;
    cupti_ = &cupti;
    return true;
  }

  // What came in since it was opened.
  absl::StatusOr<std::vector<NodeRecord>> Close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    cupti_ = nullptr;
    std::vector<NodeRecord> records = std::exchange(records_, {});
    const absl::Status status = std::exchange(status_, absl::OkStatus());
    if (!status.ok()) return status;
    return records;
  }

  // On a thread of CUPTI's, or on one that flushes.
  void Read(std::uint8_t* buffer, std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (cupti_ == nullptr || bytes == 0) return;
    CUpti_Activity* activity = nullptr;
    CUptiResult result;
    while ((result = cupti_->ActivityGetNextRecord(buffer, bytes, &activity)) ==
           CUPTI_SUCCESS) {
      Add(*activity);
    }
    if (result == CUPTI_ERROR_MAX_LIMIT_REACHED) return;
    status_.Update(CuptiStatus(*cupti_, result, "read CUPTI's records"));
  }

 private:
  void Add(const CUpti_Activity& activity) {
    switch (activity.kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        const auto& kernel =
            reinterpret_cast<const CUpti_ActivityKernel10&>(activity);
        const absl::string_view symbol = absl::NullSafeStringView(kernel.name);
        NodeRecord record = RecordOf(KindOf(symbol), kernel);
        if (record.kind == NodeKind::kKernel) {
          record.symbol = std::string(symbol);
          record.grid = GridOf(kernel);
        }
        records_.push_back(std::move(record));
        return;
      }
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        records_.push_back(
            RecordOf(NodeKind::kCopy,
                     reinterpret_cast<const CUpti_ActivityMemcpy6&>(activity)));
        return;
      case CUPTI_ACTIVITY_KIND_MEMSET:
        records_.push_back(
            RecordOf(NodeKind::kFill,
                     reinterpret_cast<const CUpti_ActivityMemset4&>(activity)));
        return;
      default:
        return;
    }
  }

  std::mutex mutex_;
  const CuptiCalls* cupti_ = nullptr;  // of the open recording
  std::vector<NodeRecord> records_;
  absl::Status status_;
};

Mailbox& TheMailbox() {
  static Mailbox& mailbox = *new Mailbox;
  return mailbox;
}

// Without a buffer CUPTI drops records, and counts those.
void CUPTIAPI GiveBuffer(std::uint8_t** buffer, std::size_t* bytes,
                         std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(
      std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;  // as many as fit
}

void CUPTIAPI TakeBuffer(CUcontext, std::uint32_t, std::uint8_t* buffer,
                         std::size_t, std::size_t valid_bytes) {
  if (buffer != nullptr) TheMailbox().Read(buffer, valid_bytes);
  std::free(buffer);
}

// A subscription claims CUPTI; no callback is ever enabled for it.
void CUPTIAPI Ignore(void*, CUpti_CallbackDomain, CUpti_CallbackId,
                     const void*) {}

class Recording {
 public:
  explicit Recording(const CuptiCalls& cupti) : cupti_(cupti) {}

  // After an error as well, Stop undoes what was done.
  absl::Status Start() {
    // Before anything else: it is what keeps two tools from taking each
    // other's buffers.
    absl::Status status = Subscribe();
    if (!status.ok()) return status;
    status = Check(cupti_.ActivityRegisterCallbacks(GiveBuffer, TakeBuffer),
                   "hand buffers to CUPTI");
    for (CUpti_ActivityKind kind : kKinds) {
      if (!status.ok()) break;
      status = Check(cupti_.ActivityEnable(kind), "start CUPTI's recording");
      if (status.ok()) ++enabled_;
    }
    return status;
  }

  // Takes every step, whatever the ones before it say; the first error is
  // returned.
  absl::Status Stop() {
    absl::Status status;
    if (enabled_ > 0) {
      status.Update(
          Check(cupti_.ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED),
                "flush CUPTI's records"));
      for (int k = 0; k < enabled_; ++k) {
        status.Update(
            Check(cupti_.ActivityDisable(kKinds[k]), "end CUPTI's recording"));
      }
      status.Update(CheckDropped());
    }
    if (subscriber_ != nullptr) {
      status.Update(
          Check(cupti_.Unsubscribe(subscriber_), "unsubscribe from CUPTI"));
    }
    return status;
  }

 private:
  absl::Status Check(CUptiResult result, absl::string_view what) {
    return CuptiStatus(cupti_, result, what);
  }

  absl::Status Subscribe() {
    char name[] = "Reprise";
    char holder[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
    CUpti_SubscriberParams params{};
    params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    params.subscriberName = name;
    params.oldSubscriberName = holder;
    params.oldSubscriberSize = sizeof holder;
    const CUptiResult result =
        cupti_.Subscribe_v2(&subscriber_, Ignore, nullptr, &params);
    if (result == CUPTI_SUCCESS) return absl::OkStatus();
    subscriber_ = nullptr;
    holder[sizeof holder - 1] = '\0';
    std::string what = "subscribe to CUPTI";
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
      absl::StrAppend(&what, ", which ",
                      holder[0] == '\0' ? "another tool" : holder, " holds");
    }
    return Check(result, what);
  }

  absl::Status CheckDropped() {
    std::size_t dropped = 0;
    const absl::Status status =
        Check(cupti_.ActivityGetNumDroppedRecords(nullptr, 0, &dropped),
              "ask what CUPTI dropped");
    if (!status.ok() || dropped == 0) return status;
    return absl::DataLossError(absl::StrCat(
        "CUPTI dropped ", dropped, dropped == 1 ? " record" : " records"));
  }

  const CuptiCalls& cupti_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  int enabled_ = 0;  // of kKinds, the first so many
};

}  // namespace

absl::StatusOr<std::vector<NodeRecord>> RecordWithCupti(
    const CuptiCalls& cupti, absl::FunctionRef<absl::Status()> run) {
  if (!TheMailbox().Open(cupti)) {
    return absl::FailedPreconditionError(
        "launches are being counted already, and CUPTI serves one at a time");
  }
  Recording recording(cupti);
  absl::Status status = recording.Start();
  if (status.ok()) status = run();
  status.Update(recording.Stop());
  absl::StatusOr<std::vector<NodeRecord>> records = TheMailbox().Close();
  if (!status.ok()) return status;
  return records;
}

}  // namespace reprise
