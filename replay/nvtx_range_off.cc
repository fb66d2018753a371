#include "replay/nvtx_range.h"

namespace reprise {

NvtxRange::NvtxRange(Phase) {}
NvtxRange::~NvtxRange() = default;
void NvtxRange::MarkNodes(std::uint64_t, std::uint64_t) {}

}  // namespace reprise
