#include "replay/host_executable.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "replay/schedule.h"

namespace reprise {
namespace {

struct StepRunner {
  HostMemory& memory;
  RunCounts& counts;
  std::uint8_t poison;

  void operator()(const KernelStep& step) const {
    RunStep(step);
    ++counts.kernels;
    counts.quantizers += step.quantizes;
    counts.emitting += step.emits;
  }
  void operator()(const CallStep& step) const {
    if (step.call) step.call(memory);
  }
  void operator()(const CopyStep& step) const { RunStep(step); }
  void operator()(const FillStep& step) const { RunStep(step); }
  void operator()(const PoisonStep& step) const {
    std::fill_n(step.target, step.bytes, poison);
  }
  void operator()(const EmptyStep&) const {}
};

}  // namespace

absl::StatusOr<HostExecutable> HostExecutable::Create(const Graph& graph,
                                                      HostMemory& memory,
                                                      HostOptions options) {
  absl::StatusOr<std::vector<NodeId>> order =
      ScheduleOf(graph, options.order_seed);
  if (!order.ok()) return order.status();
  HostExecutable executable;
  executable.memory_ = &memory;
  executable.arena_ = std::make_unique<HostArena>(
      HostArena{options.arena, std::vector<std::uint8_t>(options.arena.bytes)});
  executable.steps_.reserve(order->size());
  for (NodeId node : *order) {
    absl::StatusOr<HostStep> step =
        MakeHostStep(graph, node, memory, *executable.arena_);
    if (!step.ok()) return step.status();
    if (auto* call = std::get_if<CallStep>(&*step)) {
      const auto registered = options.host_calls.find(node);
      if (registered != options.host_calls.end()) {
        call->call = registered->second;
      }
    }
    executable.steps_.push_back(*std::move(step));
    if (absl::Status status = executable.PoisonBehind(node, options.dropped);
        !status.ok()) {
      return status;
    }
  }
  return executable;
}

absl::Status HostExecutable::PoisonBehind(
    NodeId producer, absl::Span<const DroppedStore> dropped) {
  for (const DroppedStore& store : dropped) {
    if (store.producer != producer) continue;
    const View& floats = store.floats;  // dense, or nobody would emit
    const std::uint64_t bytes = floats.end() - floats.begin();
    absl::StatusOr<std::uint8_t*> target =
        memory_->Translate(floats.begin(), bytes);
    if (!target.ok()) return target.status();
    steps_.emplace_back(std::in_place_type<PoisonStep>, *target, bytes);
  }
  return absl::OkStatus();
}

void HostExecutable::Launch() {
  for (const HostStep& step : steps_) {
    std::visit(StepRunner{*memory_, counts_, poison_}, step);
  }
  ++counts_.replays;
}

void HostExecutable::Poison(std::uint8_t pattern) {
  std::fill(arena_->bytes.begin(), arena_->bytes.end(), pattern);
  poison_ = pattern;
}

}  // namespace reprise
