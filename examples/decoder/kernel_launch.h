// A kernel call as the launch that a recorder takes.
#ifndef REPRISE_EXAMPLES_DECODER_KERNEL_LAUNCH_H_
#define REPRISE_EXAMPLES_DECODER_KERNEL_LAUNCH_H_

#include "examples/decoder/kernel_calls.h"
#include "graph/node.h"

namespace reprise::decoder {

KernelLaunch LaunchOf(const KernelCall& call);

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_KERNEL_LAUNCH_H_
