// The model's operations as kernel calls on device addresses: the one place
// that knows parameter structs and symbols.
//
// REQUIRES: a form that is given by name is one that the kernels have.
#ifndef REPRISE_EXAMPLES_DECODER_KERNEL_CALLS_H_
#define REPRISE_EXAMPLES_DECODER_KERNEL_CALLS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/image_layout.h"
#include "graph/weight_format.h"
#include "kernels/launch_shape.h"

namespace reprise::decoder {

using Address = std::uint64_t;

// A kernel with its one parameter, a struct, as bytes.
struct KernelCall {
  std::string symbol;
  LaunchShape shape;
  std::vector<std::uint8_t> params;
};

// Rows of floats. `stride` counts floats; 0: the rows lie back to back.
struct Rows {
  Address address = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 0;

  std::int64_t row_stride() const { return stride == 0 ? columns : stride; }
};

// [experts][rows][columns] in blocks of a format.
struct Matrix {
  Address address = 0;
  WeightFormat format = WeightFormat::kQ4_0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t experts = 1;

  std::int64_t row_blocks() const {
    return columns / InfoOf(format).block_values;
  }
  std::int64_t bytes() const {
    return experts * rows * row_blocks() * InfoOf(format).block_bytes;
  }
};

// The experts chosen for each token.
struct Routing {
  Address ids = 0;      // [tokens][slots]
  Address weights = 0;  // [tokens][slots]
  std::int32_t tokens = 0;
  std::int32_t slots = 0;
};

struct Heads {
  std::int32_t count = 0;
  std::int32_t dim = 0;
};

// [context][heads.count * heads.dim] of halves.
struct Cache {
  Address address = 0;
  std::int32_t context = 0;
};

KernelCall EmbedCall(const Rows& table, Address tokens, const Rows& out);

// "", "_mul", "_mul_add" or "_scale" of the norm kernels. Rows that a form does
// not take are left empty; one row of `mul` or `add` serves all.
KernelCall RmsNormCall(std::string_view form, const Rows& x, const Rows& mul,
                       const Rows& add, float epsilon, const Rows& out);

// "reglu", "geglu", ... of the GLU kernels.
KernelCall GluCall(std::string_view form, const Rows& gate, const Rows& up,
                   const Rows& out);

// REQUIRES: the layout is q8_1 or one of q8_0.
KernelCall QuantizeCall(const Rows& x, Address image,
                        ImageLayout layout = ImageLayout::kQ8_1);

// Of a few tokens, from a q8_1 image.
KernelCall MatVecCall(const Matrix& weights, Address image, const Rows& out);
// Of many. REQUIRES: the layout is one of q8_0, and the format has a kernel for
// it.
KernelCall MatMulCall(const Matrix& weights, Address image, ImageLayout layout,
                      const Rows& out);

// `image_rows` a token: 1, or one a slot. `out` is [tokens x slots][rows].
KernelCall RoutedMatVecCall(const Matrix& weights, Address image,
                            std::int32_t image_rows, const Routing& routing,
                            const Rows& out);

KernelCall RouteCall(const Rows& logits, const Routing& routing);
KernelCall WeightedSumCall(const Rows& slots, const Routing& routing,
                           const Rows& out);

KernelCall RopeCall(const Rows& x, Heads heads, Address positions,
                    const Rows& out);
KernelCall AppendCall(const Rows& x, Address positions, const Cache& cache);
KernelCall AttendCall(const Rows& q, Heads heads, std::int32_t kv_heads,
                      const Cache& keys, const Cache& values, Address positions,
                      const Rows& out);
KernelCall AddCall(const Rows& a, const Rows& b, const Rows& out);

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_KERNEL_CALLS_H_
