// The driver's copies and fills as the graph's.
#ifndef REPRISE_CAPTURE_IMPORT_TRANSFER_H_
#define REPRISE_CAPTURE_IMPORT_TRANSFER_H_

#include <cuda.h>

#include "graph/node.h"

namespace reprise {

// The addresses of the first byte. Host memory and arrays have none here.
Copy CopyOf(const CUDA_MEMCPY3D& params);
Fill FillOf(const CUDA_MEMSET_NODE_PARAMS& params);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_IMPORT_TRANSFER_H_
