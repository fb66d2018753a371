// What would be made of a graph, from reading it alone.
#ifndef REPRISE_INJECT_DRY_RUN_H_
#define REPRISE_INJECT_DRY_RUN_H_

#include <cuda.h>

#include "driver/driver.h"
#include "inject/program_counts.h"
#include "replay/prepare_graph.h"

namespace reprise {

// Whether the device has, and takes, the emitting kernels of the plan is not
// tried. REQUIRES: as GraphImporter::Import.
ProgramCounts DryRun(const Driver& driver, CUgraph graph,
                     const PrepareOptions& options);

}  // namespace reprise

#endif  // REPRISE_INJECT_DRY_RUN_H_
