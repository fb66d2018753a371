// What the blocks of weight_blocks.h mean, for every format:
//
//   value = ScaleAt * QuantAt - MinAt
//
//   int QuantAt(const Block&, int value)    an integer of eight bits
//   float ScaleAt(const Block&, int value)
//   float MinAt(const Block&, int value)    0 where the format has none
//
// Scale and min are those of 16 neighbours, from a multiple of 16, at least.
// They and the product are exact floats, so that a value is rounded once.
//
// Written to be read, a value at a time: matrix kernels unpack many at once and
// are held to this. REQUIRES: 0 <= value < Block::kValues.
#ifndef REPRISE_KERNELS_WEIGHT_VALUES_H_
#define REPRISE_KERNELS_WEIGHT_VALUES_H_

#include "kernels/weight_values_iq.h"     // IWYU pragma: export
#include "kernels/weight_values_k.h"      // IWYU pragma: export
#include "kernels/weight_values_plain.h"  // IWYU pragma: export

#endif  // REPRISE_KERNELS_WEIGHT_VALUES_H_
