// The plan: what to change in a graph, and what was left alone and why. Pure
// data; the same graph gives the same plan, to the order of its lists.
#ifndef REPRISE_PLANNER_PLAN_H_
#define REPRISE_PLANNER_PLAN_H_

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "planner/decline.h"

namespace reprise {

// A node whose image pointer is patched, and where in the image it points.
struct ImageReader {
  NodeId node;
  std::uint64_t offset = 0;  // bytes from the image's start

  friend auto operator<=>(const ImageReader&, const ImageReader&) = default;
};

// One image of the rewritten graph that more than one node used to make, or
// that its producer now makes.
struct PlannedImage {
  // The kept quantizer, or the producer that emits.
  NodeId writer;
  bool emitted = false;
  bool drops_floats = false;  // it emits and does not store its floats
  // Quantizers that go, in capture order.
  std::vector<NodeId> removed;

  // In place: the image stays where the kept quantizer always wrote it, and
  // nobody is patched. Else it lives in the arena at `offset`, and the writer
  // and the readers are patched.
  bool in_arena = false;
  std::uint64_t offset = 0;  // bytes from the arena's start
  std::uint64_t bytes = 0;
  std::vector<ImageReader> readers;  // those to patch, in capture order

  // A quantizer that serves several branches and moves before their fork:
  // it then waits for these nodes only, the writers of what it reads.
  bool moved = false;
  std::vector<NodeId> ready;

  friend bool operator==(const PlannedImage&, const PlannedImage&) = default;
};

// A pure kernel that is no quantizer, and those that only would write again,
// to the same place, what it left there.
struct Repeat {
  NodeId kept;
  std::vector<NodeId> removed;  // in capture order

  friend bool operator==(const Repeat&, const Repeat&) = default;
};

struct Arena {
  std::uint64_t bytes = 0;
  std::uint64_t sum_of_images = 0;
  // No arena that keeps images apart while both are needed can be smaller.
  std::uint64_t lower_bound = 0;

  friend bool operator==(const Arena&, const Arena&) = default;
};

struct Plan {
  std::vector<PlannedImage> images;
  std::vector<Repeat> repeats;
  // Edges of the rewritten graph: the captured ones less `dropped_edges`
  // (indices into Graph::edges(), ascending), and `added_edges`.
  std::vector<std::uint32_t> dropped_edges;
  std::vector<Edge> added_edges;
  bool relaxed = false;  // those edges leave what memory needs alone
  Arena arena;
  std::vector<Decline> declines;

  // The rewritten graph is the captured one.
  bool empty() const {
    return images.empty() && repeats.empty() && dropped_edges.empty() &&
           added_edges.empty();
  }
  friend bool operator==(const Plan&, const Plan&) = default;
};

// A node that goes, and who left already what it would leave.
struct RemovedNode {
  NodeId node;
  NodeId writer;
};

std::vector<RemovedNode> RemovedNodes(const Plan& plan);

// Producers that do not store their floats any more.
std::vector<NodeId> DroppingProducers(const Plan& plan);

// One line an image, repeat, edge and decline; what tests compare.
//   image in place: n1, without n3
//   image arena 0+576: n0 emits, without n1; patches n2
//   image arena 0+576: n0 emits and drops its floats, without n1; patches n2
//   image arena 0+576: n4 after n2, without n6; patches n5 n7+36
//   repeat of n8: without n9
//   edge n1 -> n4
//   decline not_a_producer n7: n6
std::string ToText(const Plan& plan);

}  // namespace reprise

#endif  // REPRISE_PLANNER_PLAN_H_
