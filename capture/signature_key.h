// What of a launch decides on its meaning: launches that agree in it do the
// same, wherever their pointers lead.
#ifndef REPRISE_CAPTURE_SIGNATURE_KEY_H_
#define REPRISE_CAPTURE_SIGNATURE_KEY_H_

#include <cstdint>
#include <vector>

#include "capture/signature.h"
#include "graph/node.h"

namespace reprise {

// False when some expression makes more of a pointer than to ask whether it is
// null or the same as another one. There is no key then.
bool HasKeys(const Signature& signature);

// The launch shape, the fields that the signature's expressions name, and of
// the pointers among these which are null and which are equal. False when a
// pointer is none that an expression can hold.
// REQUIRES: HasKeys; the layout fits the launch.
bool KeyOf(const Signature& signature, const KernelLaunch& launch,
           std::vector<std::uint64_t>* key);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_SIGNATURE_KEY_H_
