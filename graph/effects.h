// What a node does to memory: the views it reads and writes, and whether that
// list is complete.
#ifndef REPRISE_GRAPH_EFFECTS_H_
#define REPRISE_GRAPH_EFFECTS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "graph/view.h"

namespace reprise {

enum class AccessMode : std::uint8_t { kRead, kWrite };

// The part a view plays in its node's op; what passes look for.
enum class Role : std::uint8_t {
  kNone,
  kSource,  // the floats that a quantizer, norm or GLU starts from
  kOutput,  // the floats that a producer writes
  kImage,   // the quantized activation: written by a quantizer or an emitting
            // producer, read by a reader
  kWeights,
  kIds,    // expert ids of a routed reader; rows that a quantizer picks
  kSlack,  // all that a reader loads through its image pointer, the image and
           // bytes behind it of which it makes nothing
};

absl::string_view NameOf(Role role);

struct Access {
  static constexpr std::uint32_t kNoParameter = 0xffffffff;

  View view;
  AccessMode mode = AccessMode::kRead;
  Role role = Role::kNone;
  // False: some subset of the view, unknown which. A read or write that can
  // only be bounded is stated as its bound.
  bool exact = true;
  // Byte offset, in the kernel's parameter buffer, of the pointer that this
  // view starts at; what a rewrite patches.
  std::uint32_t parameter = kNoParameter;

  bool reads() const { return mode == AccessMode::kRead; }
  bool writes() const { return mode == AccessMode::kWrite; }

  friend bool operator==(const Access&, const Access&) = default;
};

}  // namespace reprise

#endif  // REPRISE_GRAPH_EFFECTS_H_
