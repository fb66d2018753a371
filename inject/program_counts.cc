#include "inject/program_counts.h"

namespace reprise {
namespace {

void Add(const Reasons& from, Reasons& to) {
  for (const auto& [reason, count] : from) to[reason] += count;
}

}  // namespace

ProgramCounts& ProgramCounts::operator+=(const ProgramCounts& other) {
  graphs += other.graphs;
  rewritten += other.rewritten;
  nothing_to_do += other.nothing_to_do;
  Add(other.declined_graphs, declined_graphs);
  nodes_before += other.nodes_before;
  nodes_after += other.nodes_after;
  quantizers_before += other.quantizers_before;
  quantizers_after += other.quantizers_after;
  opaque_nodes += other.opaque_nodes;
  Add(other.declines, declines);
  Add(other.unused_kernels, unused_kernels);
  unchanged += other.unchanged;
  patched += other.patched;
  updated += other.updated;
  rebuilt += other.rebuilt;
  Add(other.fallbacks, fallbacks);
  rewritten_launches += other.rewritten_launches;
  original_launches += other.original_launches;
  verified_launches += other.verified_launches;
  differing_launches += other.differing_launches;
  linted += other.linted;
  Add(other.findings, findings);
  seconds += other.seconds;
  return *this;
}

}  // namespace reprise
