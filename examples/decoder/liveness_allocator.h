// Hands out activation memory by liveness: a released block is taken again by
// the smallest tensor that needs it, so an address stands for many tensors in
// one step, as in real engines.
//
// Method   best fit; the lowest address among equals. Neighbouring free blocks
//          join. Blocks are multiples of kAlignment.
// Branches between Fork and Join released blocks are held back, for another
//          branch may still read them.
#ifndef REPRISE_EXAMPLES_DECODER_LIVENESS_ALLOCATOR_H_
#define REPRISE_EXAMPLES_DECODER_LIVENESS_ALLOCATOR_H_

#include <cstdint>
#include <map>
#include <vector>

namespace reprise::decoder {

class LivenessAllocator {
 public:
  static constexpr std::uint64_t kAlignment = 256;

  // Memory from `base` on. REQUIRES: base is a multiple of kAlignment.
  explicit LivenessAllocator(std::uint64_t base) : base_(base), end_(base) {}

  std::uint64_t Take(std::uint64_t bytes);

  // REQUIRES: `address` is taken and not yet released.
  void Release(std::uint64_t address);

  void Fork() { forked_ = true; }
  void Join();

  // The most that was ever needed.
  std::uint64_t bytes() const { return end_ - base_; }

 private:
  using Blocks = std::map<std::uint64_t, std::uint64_t>;  // bytes by address

  Blocks::iterator BestFit(std::uint64_t bytes);
  void Free(std::uint64_t address, std::uint64_t bytes);

  const std::uint64_t base_;
  std::uint64_t end_;
  Blocks taken_;
  Blocks free_;
  std::vector<std::uint64_t> held_;
  bool forked_ = false;
};

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_LIVENESS_ALLOCATOR_H_
