// Short-lived memory of one stream: what is pushed last is popped first. Every
// quantizer pushes its image, so most images of a stream share an address.
#ifndef REPRISE_EXAMPLES_DECODER_SCRATCH_STACK_H_
#define REPRISE_EXAMPLES_DECODER_SCRATCH_STACK_H_

#include <cstdint>

namespace reprise::decoder {

class ScratchStack {
 public:
  static constexpr std::uint64_t kAlignment = 256;

  explicit ScratchStack(std::uint64_t base) : top_(base) {}

  std::uint64_t Push(std::uint64_t bytes) {
    const std::uint64_t address = top_;
    top_ += Rounded(bytes);
    return address;
  }
  // REQUIRES: `bytes` is what the last Push took.
  void Pop(std::uint64_t bytes) { top_ -= Rounded(bytes); }

 private:
  static std::uint64_t Rounded(std::uint64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  std::uint64_t top_;
};

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_SCRATCH_STACK_H_
