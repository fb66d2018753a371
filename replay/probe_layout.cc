#include "replay/probe_layout.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "planner/rewrite.h"

namespace reprise {
namespace {

// Memory of the program, and where it lies in the probe's.
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t moved_by = 0;  // modulo 2^64
};

bool OverlapsOrTouches(const Stretch& a, const Stretch& b) {
  return a.begin <= b.end && b.begin <= a.end;
}

// One stretch for each parameter, joined where they meet.
std::vector<Stretch> StretchesOf(absl::Span<const Access> accesses) {
  std::map<std::uint32_t, Stretch> by_parameter;
  for (const Access& access : accesses) {
    const Stretch added{access.view.begin(), access.view.end()};
    const auto [entry, is_new] =
        by_parameter.try_emplace(access.parameter, added);
    Stretch& known = entry->second;
    known.begin = std::min(known.begin, added.begin);
    known.end = std::max(known.end, added.end);
  }
  std::vector<Stretch> stretches;
  for (const auto& [parameter, stretch] : by_parameter) {
    stretches.push_back(stretch);
  }
  std::sort(
      stretches.begin(), stretches.end(),
      [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  std::vector<Stretch> joined;
  for (const Stretch& stretch : stretches) {
    if (!joined.empty() && OverlapsOrTouches(joined.back(), stretch)) {
      joined.back().end = std::max(joined.back().end, stretch.end);
    } else {
      joined.push_back(stretch);
    }
  }
  return joined;
}

// Hands out places, each between guards.
class Places {
 public:
  explicit Places(std::uint64_t base) : base_(base), next_(base) {}

  void Take(Stretch& stretch) {
    const std::uint64_t guarded = next_ + kProbeGuardBytes;
    const std::uint64_t aligned =
        (guarded + kProbeAlignment - 1) / kProbeAlignment * kProbeAlignment;
    const std::uint64_t place = aligned + stretch.begin % kProbeAlignment;
    stretch.moved_by = place - stretch.begin;
    next_ = place + std::min(stretch.end - stretch.begin, kMaxProbeBytes);
  }
  std::uint64_t bytes() const { return next_ + kProbeGuardBytes - base_; }

 private:
  std::uint64_t base_;
  std::uint64_t next_;
};

absl::Status CheckKernel(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const auto refuse = [&](absl::string_view why) {
    return absl::UnimplementedError(absl::StrCat(Named(graph, id), " ", why));
  };
  if (node.launch == Node::kNoIndex) return refuse("has no launch to try");
  if (!node.effects_complete || !node.pure) {
    return refuse("is no pure function of what it reads");
  }
  if (graph.launch(id).cooperative || graph.launch(id).cluster) {
    return refuse("is launched cooperatively or in clusters");
  }
  for (const Access& access : graph.accesses(id)) {
    const bool image = access.role == Role::kImage && access.writes();
    if ((!image && access.view.type != ElementType::kF32) ||
        access.parameter == Access::kNoParameter) {
      return refuse("reads or writes what is neither floats nor an image");
    }
  }
  return absl::OkStatus();
}

// The pointer of an access, from where the captured launch has it.
void Move(const KernelLaunch& captured, const Access& access,
          const Stretch& stretch, KernelLaunch& launch) {
  std::uint64_t pointer = 0;
  std::memcpy(&pointer, captured.bytes.data() + access.parameter,
              sizeof pointer);
  pointer += stretch.moved_by;
  std::memcpy(launch.bytes.data() + access.parameter, &pointer, sizeof pointer);
}

View Moved(View view, const Stretch& stretch) {
  view.address += stretch.moved_by;
  return view;
}

// REQUIRES: one of them holds the view.
const Stretch& StretchOf(const std::vector<Stretch>& stretches,
                         const View& view) {
  return *std::find_if(
      stretches.begin(), stretches.end(), [&](const Stretch& stretch) {
        return stretch.begin <= view.begin() && view.end() <= stretch.end;
      });
}

}  // namespace

absl::StatusOr<ProbeLayout> LayOutProbe(const Graph& graph, NodeId producer,
                                        NodeId quantizer, std::uint64_t base) {
  for (NodeId id : {producer, quantizer}) {
    if (absl::Status s = CheckKernel(graph, id); !s.ok()) return s;
  }
  const View& image =
      graph.FindAccess(quantizer, Role::kImage, AccessMode::kWrite)->view;
  std::vector<Stretch> floats = StretchesOf(graph.accesses(producer));
  Stretch image_place{image.begin(), image.end()};
  Places places(base);
  for (Stretch& stretch : floats) places.Take(stretch);
  places.Take(image_place);
  if (places.bytes() > kMaxProbeBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        Named(graph, producer), " works on too much memory to try it"));
  }

  ProbeLayout layout;
  layout.bytes = places.bytes();
  layout.image = Moved(image, image_place);
  layout.producer = graph.launch(producer);
  for (const Access& access : graph.accesses(producer)) {
    const Stretch& stretch = StretchOf(floats, access.view);
    Move(graph.launch(producer), access, stretch, layout.producer);
    (access.reads() ? layout.inputs.emplace_back() : layout.output) =
        Moved(access.view, stretch);
  }
  layout.quantizer = graph.launch(quantizer);
  for (const Access& access : graph.accesses(quantizer)) {
    Move(graph.launch(quantizer), access,
         access.reads() ? StretchOf(floats, access.view) : image_place,
         layout.quantizer);
  }
  layout.replacement = layout.producer;
  UseEmittingKernel(
      *graph.FindEmittingKernel(producer, *LayoutOf(graph.node(quantizer).op)),
      layout.image.begin(), layout.replacement);
  return layout;
}

}  // namespace reprise
