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
  }
  return executable;
}

void HostExecutable::Launch() {
  for (const HostStep& step : steps_) {
    std::visit(StepRunner{*memory_, counts_}, step);
  }
  ++counts_.replays;
}

void HostExecutable::Poison(std::uint8_t pattern) {
  std::fill(arena_->bytes.begin(), arena_->bytes.end(), pattern);
}

}  // namespace reprise
