#include "replay/verify.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "replay/comparison.h"

namespace reprise {
namespace {

// Odd and never the same twice in a row.
std::uint8_t PatternOf(int replay) {
  return static_cast<std::uint8_t>(0xA5 + 2 * replay);
}

HostCalls CallsOf(const Rewritten& rewritten, const HostCalls& captured) {
  HostCalls calls;
  for (const auto& [node, call] : captured) {
    if (node.value >= rewritten.now.size()) continue;
    const NodeId now = rewritten.now[node.value];
    if (now.valid()) calls.emplace(now, call);
  }
  return calls;
}

std::vector<BytePair> Pair(const HostMemory& expected,
                           const HostMemory& actual) {
  std::vector<BytePair> pairs;
  for (std::size_t i = 0; i < expected.stretches().size(); ++i) {
    pairs.push_back({expected.stretches()[i].allocation,
                     expected.stretches()[i].bytes,
                     actual.stretches()[i].bytes});
  }
  return pairs;
}

void CountBytes(const Comparison& comparison, const HostMemory& memory,
                Verdict& verdict) {
  for (const HostMemory::Stretch& stretch : memory.stretches()) {
    if (stretch.bytes.empty()) continue;  // only reserved
    const std::uint64_t skipped = comparison.SkippedBytes(stretch.allocation);
    verdict.bytes_skipped += skipped;
    verdict.bytes_compared += stretch.allocation.bytes - skipped;
  }
}

}  // namespace

absl::StatusOr<Verdict> Verify(const Graph& graph, const Plan& plan,
                               const HostMemory& start, Refresh refresh,
                               const VerifyOptions& options) {
  const Allocation arena{FreeAddress(graph), plan.arena.bytes};
  return VerifyRewritten(graph, Rewrite(graph, plan, arena.address), arena,
                         start, refresh, options);
}

absl::StatusOr<Verdict> VerifyRewritten(
    const Graph& graph, const Rewritten& rewritten, const Allocation& arena,
    const HostMemory& start, Refresh refresh, const VerifyOptions& options) {
  if (options.replays < 1) {
    return absl::InvalidArgumentError("nothing to compare without a replay");
  }
  std::vector<NodeId> dropped;
  for (const DroppedStore& store : rewritten.dropped) {
    dropped.push_back(rewritten.origin[store.producer.value]);
  }
  absl::StatusOr<Comparison> comparison =
      Comparison::Of(graph, std::move(dropped));
  if (!comparison.ok()) return comparison.status();
  HostMemory expected = start.Clone();
  HostMemory actual = start.Clone();
  absl::StatusOr<HostExecutable> original = HostExecutable::Create(
      graph, expected, {.host_calls = options.host_calls});
  if (!original.ok()) return original.status();
  absl::StatusOr<HostExecutable> changed = HostExecutable::Create(
      rewritten.graph, actual,
      {.arena = arena,
       .host_calls = CallsOf(rewritten, options.host_calls),
       .order_seed = options.order_seed,
       .dropped = rewritten.relaxed ? std::vector<DroppedStore>()
                                    : rewritten.dropped});
  if (!changed.ok()) return changed.status();

  Verdict verdict;
  CountBytes(*comparison, start, verdict);
  for (int replay = 0; replay < options.replays && verdict.equal(); ++replay) {
    refresh(replay, expected);
    refresh(replay, actual);
    changed->Poison(PatternOf(replay));
    original->Launch();
    changed->Launch();
    verdict.difference = comparison->Find(Pair(expected, actual));
    if (verdict.difference) verdict.difference->replay = replay;
  }
  verdict.original = original->counts();
  verdict.rewritten = changed->counts();
  return verdict;
}

}  // namespace reprise
