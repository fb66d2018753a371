// A program of somebody else's that uses an installed copy: plans a graph and
// names what was not done.
#include <iostream>

#include "capture/pack.h"
#include "graph/text.h"
#include "planner/planner.h"
#include "replay/host_memory.h"

int main() {
  const absl::StatusOr<reprise::Graph> graph = reprise::GraphFromText(R"(chain
0: quantize scratch | 0x1000:f32:64 -> 0x8000:q8_1:16 |
1: matvec q4_0 | 0x8000:q8_1:2 -> 0x2000:f32:8 |
2: quantize scratch | 0x1000:f32:64 -> 0x8000:q8_1:16 |
3: matvec q4_0 | 0x8000:q8_1:2 -> 0x3000:f32:8 |
)");
  if (!graph.ok()) return 1;
  const absl::StatusOr<reprise::Plan> plan = reprise::MakePlan(*graph);
  if (!plan.ok() || plan->images.size() != 1) return 1;
  for (const reprise::Decline& decline : plan->declines) {
    std::cout << reprise::Explain(*graph, decline) << "\n";
  }
  reprise::HostMemory memory;
  memory.Add("activations", 256);
  return reprise::BuiltInPacks().size() == 2 ? 0 : 1;
}
