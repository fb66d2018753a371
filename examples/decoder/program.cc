#include "examples/decoder/program.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "examples/decoder/kernel_launch.h"
#include "examples/decoder/model.h"
#include "examples/decoder/projection.h"

namespace reprise::decoder {
namespace {

std::uint64_t ImageBytesOf(const Rows& x, ImageLayout layout) {
  return static_cast<std::uint64_t>(ImageBytes(layout, x.rows, x.columns));
}

// The largest image of a step.
std::uint64_t ScratchBytes(const Options& o) {
  const auto bytes = [&](ImageLayout layout, int rows, int columns) {
    return ImageBytesOf({.rows = rows, .columns = columns}, layout);
  };
  const ImageLayout layout = LayoutFor(o.format, o.tokens);
  const std::uint64_t most =
      std::max(bytes(layout, o.tokens, o.hidden),
               bytes(layout, o.tokens, o.heads * o.head_dim));
  if (o.model == Model::kDense) {
    return std::max(most, bytes(layout, o.tokens, o.feed_forward));
  }
  return std::max(
      {most, bytes(LayoutFor(kRouterFormat, o.tokens), o.tokens, o.hidden),
       bytes(ImageLayout::kQ8_1, o.tokens, o.hidden),
       bytes(ImageLayout::kQ8_1, o.tokens * o.experts_used, o.feed_forward)});
}

std::vector<ScratchStack> AddScratch(const Options& options,
                                     HostMemory& memory) {
  std::vector<ScratchStack> scratch;
  for (int i = 0; i < options.streams; ++i) {
    scratch.emplace_back(
        memory.Add(absl::StrCat(kScratch, i), ScratchBytes(options)).address);
  }
  return scratch;
}

}  // namespace

Program::Program(const Options& options, HostMemory& memory)
    : options_(options),
      memory_(memory),
      streams_{recorder_.origin()},
      scratch_(AddScratch(options, memory)),
      activations_(memory.next_address()) {
  while (static_cast<int>(streams_.size()) < options.streams) {
    streams_.push_back(recorder_.NewStream());
  }
}

Rows Program::Embed(const Rows& table, Address tokens) {
  const Rows out = Take(options_.tokens, table.columns);
  Launch(Lane::kMain, EmbedCall(table, tokens, out));
  return out;
}

Rows Program::Norm(const Rows& x, const Rows& weights) {
  const Rows out = Take(x.rows, x.columns);
  Launch(Lane::kMain,
         RmsNormCall("_mul", x, weights, {}, options_.epsilon, out));
  return out;
}

Rows Program::Project(Lane lane, const Rows& x, const Matrix& weights) {
  const Rows out = Take(x.rows, weights.rows);
  ProjectOn(lane, x, weights, out);
  return out;
}

void Program::ProjectInto(const Rows& x, const Matrix& weights,
                          const Rows& out) {
  ProjectOn(Lane::kMain, x, weights, out);
}

Rows Program::Rope(Lane lane, const Rows& x, int heads, Address positions) {
  const Rows out = Take(x.rows, x.columns);
  Launch(lane, RopeCall(x, {heads, options_.head_dim}, positions, out));
  return out;
}

void Program::Append(Lane lane, const Rows& x, Address positions,
                     const Cache& cache) {
  Launch(lane, AppendCall(x, positions, cache));
}

Rows Program::Attend(const Rows& q, const Cache& keys, const Cache& values,
                     Address positions) {
  const Rows out = Take(q.rows, q.columns);
  Launch(Lane::kMain,
         AttendCall(q, {options_.heads, options_.head_dim}, options_.kv_heads,
                    keys, values, positions, out));
  return out;
}

Rows Program::Glu(const Rows& gate, const Rows& up) {
  const Rows out = Take(gate.rows, gate.columns);
  Launch(Lane::kMain, GluCall("swiglu", gate, up, out));
  return out;
}

Rows Program::Add(const Rows& a, const Rows& b) {
  const Rows out = Take(a.rows, a.columns);
  Launch(Lane::kMain, AddCall(a, b, out));
  return out;
}

Routing Program::Route(const Rows& logits) {
  const std::uint64_t bytes = sizeof(float) *
                              static_cast<std::uint64_t>(logits.rows) *
                              static_cast<std::uint64_t>(options_.experts_used);
  Routing routing;
  routing.ids = activations_.Take(bytes);
  routing.weights = activations_.Take(bytes);
  routing.tokens = options_.tokens;
  routing.slots = options_.experts_used;
  Launch(Lane::kMain, RouteCall(logits, routing));
  return routing;
}

Rows Program::RoutedProject(const Rows& x, const Matrix& weights,
                            const Routing& routing) {
  const Rows out =
      Take(std::int64_t{routing.tokens} * routing.slots, weights.rows);
  const std::int32_t image_rows = x.rows == routing.tokens ? 1 : routing.slots;
  constexpr ImageLayout kLayout = ImageLayout::kQ8_1;
  const Address image = PushImage(Lane::kMain, x, kLayout);
  Launch(Lane::kMain,
         RoutedMatVecCall(weights, image, image_rows, routing, out));
  PopImage(Lane::kMain, x, kLayout);
  return out;
}

Rows Program::WeightedSum(const Rows& slots, const Routing& routing) {
  const Rows out = Take(routing.tokens, slots.columns);
  Launch(Lane::kMain, WeightedSumCall(slots, routing, out));
  return out;
}

void Program::Release(const Routing& routing) {
  activations_.Release(routing.ids);
  activations_.Release(routing.weights);
}

void Program::Fork() {
  if (streams_.size() == 1) return;
  activations_.Fork();
  const EventId ready = recorder_.NewEvent();
  recorder_.RecordEvent(ready, streams_[0]).IgnoreError();
  for (std::size_t i = 1; i < streams_.size(); ++i) {
    recorder_.WaitEvent(streams_[i], ready).IgnoreError();
  }
}

void Program::Join() {
  if (streams_.size() == 1) return;
  activations_.Join();
  for (std::size_t i = 1; i < streams_.size(); ++i) {
    const EventId done = recorder_.NewEvent();
    recorder_.RecordEvent(done, streams_[i]).IgnoreError();
    recorder_.WaitEvent(streams_[0], done).IgnoreError();
  }
}

absl::StatusOr<Graph> Program::Finish() && {
  memory_.Add(kActivations, activations_.bytes());
  for (const HostMemory::Stretch& stretch : memory_.stretches()) {
    recorder_.DeclareAllocation(stretch.allocation);
  }
  return std::move(recorder_).Finish();
}

Rows Program::Take(std::int64_t rows, std::int64_t columns) {
  const std::uint64_t bytes = sizeof(float) * static_cast<std::uint64_t>(rows) *
                              static_cast<std::uint64_t>(columns);
  return {activations_.Take(bytes), rows, columns};
}

StreamId Program::StreamOf(Lane lane) const {
  return streams_.size() == 1 ? streams_[0]
                              : streams_[static_cast<std::size_t>(lane)];
}

void Program::Launch(Lane lane, const KernelCall& call) {
  recorder_.Launch(StreamOf(lane), LaunchOf(call)).IgnoreError();
}

void Program::ProjectOn(Lane lane, const Rows& x, const Matrix& weights,
                        const Rows& out) {
  const ImageLayout layout = LayoutFor(weights.format, x.rows);
  Launch(lane, ProjectCall(weights, PushImage(lane, x, layout), out));
  PopImage(lane, x, layout);
}

Address Program::PushImage(Lane lane, const Rows& x, ImageLayout layout) {
  const Address image =
      scratch_[StreamOf(lane).value].Push(ImageBytesOf(x, layout));
  Launch(lane, QuantizeCall(x, image, layout));
  return image;
}

void Program::PopImage(Lane lane, const Rows& x, ImageLayout layout) {
  scratch_[StreamOf(lane).value].Pop(ImageBytesOf(x, layout));
}

}  // namespace reprise::decoder
