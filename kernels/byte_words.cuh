// Four bytes at a time: the loads and spreads that turn packed weights into
// the int8x4 words of the tensor core.
#ifndef REPRISE_KERNELS_BYTE_WORDS_CUH_
#define REPRISE_KERNELS_BYTE_WORDS_CUH_

#include <cuda_fp16.h>

#include <cstdint>

namespace reprise {

// A byte in every byte of a word.
constexpr std::uint32_t Bytes(std::uint32_t byte) { return byte * 0x01010101u; }

// Loads of a word from an address that is a multiple of 4, and of a half word
// from one that is a multiple of 2.
__device__ inline std::uint32_t Word4(const std::uint8_t* at) {
  return *reinterpret_cast<const std::uint32_t*>(at);
}
__device__ inline std::uint32_t Half2(const std::uint8_t* at) {
  return *reinterpret_cast<const std::uint16_t*>(at);
}

// The word at `offset` of a block at any address, or at any even one: shifted
// together from the two aligned words around it, of which neighbouring calls
// share one. The staging leaves the words around a block readable.
__device__ inline std::uint32_t Word1(const std::uint8_t* block, int offset) {
  const std::uint32_t skew =
      static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(block) & 3) +
      static_cast<std::uint32_t>(offset);
  const std::uint8_t* low = block + offset - (skew & 3);
  return __funnelshift_r(Word4(low), Word4(low + 4), skew * 8);
}
__device__ inline std::uint32_t Word2(const std::uint8_t* block, int offset) {
  const std::uint32_t skew =
      static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(block)) & 2;
  const std::uint8_t* low = block - skew + (offset & ~3);
  // Unlike a funnel shift one that the compiler reckons with.
  const std::uint64_t words = std::uint64_t{Word4(low + 4)} << 32 | Word4(low);
  return static_cast<std::uint32_t>(
      words >> ((skew + static_cast<std::uint32_t>(offset & 3)) * 8));
}

__device__ inline float HalfBits(std::uint32_t bits) {
  return __half2float(__ushort_as_half(static_cast<std::uint16_t>(bits)));
}
__device__ inline float HalfAt(const std::uint8_t* at) {
  return HalfBits(Half2(at));
}

// Byte `i` of a word, as a number from 0 to 255.
__device__ inline std::uint32_t ByteOf(std::uint32_t word, int i) {
  return (word >> (8 * i)) & 0xFF;
}

// Bit i of `bits` becomes byte i. REQUIRES: bits < 16.
__device__ inline std::uint32_t SpreadBits(std::uint32_t bits) {
  return (bits * 0x00204081u) & Bytes(1);
}

// Bits 2i and 2i+1 become byte i. REQUIRES: pairs < 256.
constexpr std::uint32_t SpreadPairs(std::uint32_t pairs) {
  const std::uint32_t nibbles = (pairs | pairs << 12) & 0x000F000Fu;
  return (nibbles | nibbles << 6) & Bytes(3);
}

// Negates byte i where bit i of `signs` is set. REQUIRES: every byte is 1..127,
// so that ~byte + 1 carries into no other; signs < 16.
__device__ inline std::uint32_t NegateBytes(std::uint32_t bytes,
                                            std::uint32_t signs) {
  const std::uint32_t ones = SpreadBits(signs);
  return (bytes ^ ones * 0xFF) + ones;
}

// The weights of a lane in 32 columns: columns 4t..4t+3 and 16+4t..16+4t+3.
struct WordPair {
  std::uint32_t low;
  std::uint32_t high;
};

// Low nibbles and high nibbles of four bytes.
__device__ inline WordPair Nibbles(std::uint32_t word) {
  return {word & Bytes(0x0F), (word >> 4) & Bytes(0x0F)};
}

// The same through a table of sixteen bytes, eight of which a byte permute can
// look up at once.
struct NibbleTable {
  std::uint32_t words[4];

  __device__ WordPair operator()(std::uint32_t word) const {
    const std::uint32_t first = Look(word);         // low0 high0 low1 high1
    const std::uint32_t second = Look(word >> 16);  // low2 high2 low3 high3
    return {__byte_perm(first, second, 0x6420),
            __byte_perm(first, second, 0x7531)};
  }

 private:
  __device__ std::uint32_t Look(std::uint32_t nibbles) const {
    const std::uint32_t index = nibbles & 0x7777;
    const std::uint32_t below = __byte_perm(words[0], words[1], index);
    const std::uint32_t above = __byte_perm(words[2], words[3], index);
    return __byte_perm(below, above, 0x3210 | ((nibbles >> 1) & 0x4444));
  }
};

__device__ constexpr NibbleTable TableOf(const std::int8_t (&values)[16]) {
  NibbleTable table{};
  for (int i = 0; i < 16; ++i) {
    table.words[i / 4] |= std::uint32_t{static_cast<std::uint8_t>(values[i])}
                          << (8 * (i % 4));
  }
  return table;
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_BYTE_WORDS_CUH_
