// One node of a capture file: the part of the format that describes work.
#ifndef REPRISE_CAPTURE_NODE_READER_H_
#define REPRISE_CAPTURE_NODE_READER_H_

#include <cstddef>

#include "capture/json_place.h"
#include "graph/graph.h"

namespace reprise {

// Parameters of a kernel take up to 4 KiB before CUDA 12.1 and 32764 bytes
// since; more than this is no kernel.
inline constexpr std::size_t kMaxParameterBytes = std::size_t{1} << 16;

// Adds the node to the graph. After an error the node counts for nothing.
void ReadNode(const JsonPlace& at, Graph& graph);

// A device address: a string of hex digits.
std::uint64_t ReadAddress(const JsonPlace& at);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_NODE_READER_H_
