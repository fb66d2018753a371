// The kernels as the runtime names them: by the address of a host function.
#ifndef REPRISE_TESTS_VICTIMS_ENGINE_KERNEL_ADDRESSES_H_
#define REPRISE_TESTS_VICTIMS_ENGINE_KERNEL_ADDRESSES_H_

#include "tests/victims/engine/kernel_call.h"

namespace victims {

const void* AddressOf(Kernel kernel);

}  // namespace victims

#endif  // REPRISE_TESTS_VICTIMS_ENGINE_KERNEL_ADDRESSES_H_
