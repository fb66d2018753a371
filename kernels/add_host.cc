#include <cstdint>

#include "kernels/add.h"

namespace reprise {

void AddHost(const AddParams& params) {
  for (std::int64_t i = 0; i < params.count; ++i) {
    params.output[i] = params.a[i] + params.b[i];
  }
}

}  // namespace reprise
