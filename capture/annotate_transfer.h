// What copies and fills touch, read off the node itself.
#ifndef REPRISE_CAPTURE_ANNOTATE_TRANSFER_H_
#define REPRISE_CAPTURE_ANNOTATE_TRANSFER_H_

#include <optional>
#include <vector>

#include "graph/effects.h"
#include "graph/node.h"

namespace reprise {

// Nothing when the node does not tell: memory of a kind whose addresses mean
// nothing here (arrays, unified, unknown), a pitch shorter than a row, or
// several planes, whose distance a copy node does not keep. Host memory is not
// device memory and gives no access.
std::optional<std::vector<Access>> AccessesOf(const Copy& copy);
std::optional<std::vector<Access>> AccessesOf(const Fill& fill);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_ANNOTATE_TRANSFER_H_
