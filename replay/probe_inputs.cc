#include "replay/probe_inputs.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace reprise {
namespace {

constexpr std::int64_t kBlock = 32;
constexpr std::size_t kApart = 3;

// The finalizer of MurmurHash3: each bit of the input decides on every bit.
std::uint32_t Mixed(std::uint32_t x) {
  x = (x ^ x >> 16) * 0x85EBCA6B;
  x = (x ^ x >> 13) * 0xC2B2AE35;
  return x ^ x >> 16;
}

// The bits of an element, or of anything else that has a number.
std::uint32_t BitsOf(std::uint32_t seed, std::int64_t number) {
  const auto low = static_cast<std::uint32_t>(number);
  const auto high = static_cast<std::uint32_t>(number >> 32);
  return Mixed(Mixed(seed ^ Mixed(low)) ^ high);
}

// Of either sign, from 2^least up to 2^(least + spread).
float Number(std::uint32_t bits, int least, std::uint32_t spread) {
  const std::uint32_t sign = bits & 0x80000000;
  const std::uint32_t mantissa = bits & 0x007FFFFF;
  const std::uint32_t exponent =
      static_cast<std::uint32_t>(127 + least) + Mixed(bits) % spread;
  return std::bit_cast<float>(sign | exponent << 23 | mantissa);
}

float Ordinary(std::uint32_t bits) { return Number(bits, -6, 10); }

float Small(std::uint32_t sort, std::uint32_t bits) {
  switch (sort % 4) {
    case 0:
      return std::bit_cast<float>(bits & 0x80000000);  // a zero
    case 1:
      return std::bit_cast<float>(bits & 0x807FFFFF);  // a denormal
    case 2:
      return Number(bits, -126, 4);
    default:
      return Ordinary(bits);
  }
}

float Special(std::uint32_t sort, std::uint32_t bits, bool chosen) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  switch (sort % 8) {
    case 0:
      return chosen ? kInfinity : Ordinary(bits);
    case 1:
      return chosen ? -kInfinity : Ordinary(bits);
    case 2:
      return chosen ? std::numeric_limits<float>::quiet_NaN() : Ordinary(bits);
    case 3:
      return Number(bits, 100, 28);  // up to the largest
    case 4:
      return Number(bits, 10, 8);  // their sum is no half
    default:
      return Small(sort / 8, bits);
  }
}

float Halfway(std::uint32_t bits, bool chosen) {
  if (chosen) return (bits & 1) != 0 ? 127.0f : -127.0f;
  return static_cast<float>(static_cast<int>(bits % 254) - 127) + 0.5f;
}

float ValueAt(ProbeFloats kind, std::uint32_t seed, std::int64_t element) {
  const std::uint32_t bits = BitsOf(seed, element);
  const std::uint32_t of_block = BitsOf(~seed, element / kBlock);
  const bool chosen = element % kBlock == of_block % kBlock;
  const std::uint32_t sort = of_block / kBlock;
  switch (kind) {
    case ProbeFloats::kOrdinary:
      return Ordinary(bits);
    case ProbeFloats::kSmall:
      return Small(sort, bits);
    case ProbeFloats::kSpecial:
      return Special(sort, bits, chosen);
    case ProbeFloats::kHalfway:
      return Halfway(bits, chosen);
    case ProbeFloats::kConstant:
      return 1.1f;
  }
  return 0;
}

}  // namespace

int ProbeRounds(std::size_t inputs) {
  int rounds = 1;
  for (std::size_t i = 0; i < std::min(inputs, kApart); ++i) {
    rounds *= kProbeKinds;
  }
  return rounds;
}

ProbeFloats KindOf(int round, std::size_t input) {
  for (std::size_t i = 0; i < input % kApart; ++i) round /= kProbeKinds;
  return static_cast<ProbeFloats>(round % kProbeKinds);
}

void FillFloats(const View& view, ProbeFloats kind, std::uint32_t seed,
                std::uint64_t base, absl::Span<std::uint8_t> memory) {
  std::int64_t element = 0;
  const auto& [e0, e1, e2, e3] = view.extents;
  for (std::int64_t i3 = 0; i3 < e3; ++i3) {
    for (std::int64_t i2 = 0; i2 < e2; ++i2) {
      for (std::int64_t i1 = 0; i1 < e1; ++i1) {
        for (std::int64_t i0 = 0; i0 < e0; ++i0, ++element) {
          const std::int64_t offset =
              i0 * view.strides[0] + i1 * view.strides[1] +
              i2 * view.strides[2] + i3 * view.strides[3];
          const float value = ValueAt(kind, seed, element);
          std::memcpy(
              &memory[view.address - base + static_cast<std::size_t>(offset)],
              &value, sizeof value);
        }
      }
    }
  }
}

}  // namespace reprise
