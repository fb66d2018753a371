// Placement: where the one quantizer stands that serves several branches.
#ifndef REPRISE_PLANNER_PLACEMENT_H_
#define REPRISE_PLANNER_PLACEMENT_H_

#include "graph/graph.h"
#include "planner/activations.h"
#include "planner/epochs.h"
#include "planner/plan.h"

namespace reprise {

// True when the kept quantizer must move: some branch would else wait for work
// that it did not need.
bool MustMove(const Graph& graph, const Order& order,
              const Activation& activation);

// Moves it right behind the writers of what it reads: the latest point before
// every fork that leads to a reader, and a point no reader can be before.
void MoveBeforeFork(const Epochs& epochs, const ViewIndex& views,
                    const Activation& activation, PlannedImage& image);

}  // namespace reprise

#endif  // REPRISE_PLANNER_PLACEMENT_H_
