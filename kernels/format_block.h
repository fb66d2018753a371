// A format's block by the name that its kernels have in their symbols.
#ifndef REPRISE_KERNELS_FORMAT_BLOCK_H_
#define REPRISE_KERNELS_FORMAT_BLOCK_H_

#include "kernels/weight_blocks.h"

namespace reprise {

namespace block_of {
#define REPRISE_BLOCK_OF(format, Block) using format = Block;
REPRISE_WEIGHT_BLOCKS(REPRISE_BLOCK_OF)
#undef REPRISE_BLOCK_OF
}  // namespace block_of

}  // namespace reprise

#endif  // REPRISE_KERNELS_FORMAT_BLOCK_H_
