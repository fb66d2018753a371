#include "capture/hex.h"

#include <array>
#include <cstddef>

#include "absl/strings/strip.h"

namespace reprise {
namespace {

constexpr int kNoDigit = -1;

constexpr std::array<signed char, 256> MakeDigits() {
  std::array<signed char, 256> digits{};
  for (signed char& d : digits) d = kNoDigit;
  for (int d = 0; d < 10; ++d) digits['0' + d] = static_cast<signed char>(d);
  for (int d = 10; d < 16; ++d) {
    digits['a' + d - 10] = digits['A' + d - 10] = static_cast<signed char>(d);
  }
  return digits;
}

constexpr std::array<signed char, 256> kDigits = MakeDigits();

int Digit(char c) { return kDigits[static_cast<unsigned char>(c)]; }

}  // namespace

std::optional<std::uint64_t> AddressFromHex(absl::string_view text) {
  absl::ConsumePrefix(&text, "0x");
  if (text.empty() || text.size() > 16) return std::nullopt;
  std::uint64_t address = 0;
  for (const char c : text) {
    if (Digit(c) == kNoDigit) return std::nullopt;
    address = address << 4 | static_cast<std::uint64_t>(Digit(c));
  }
  return address;
}

bool AppendBytesFromHex(absl::string_view text,
                        std::vector<std::uint8_t>& bytes) {
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const int high = Digit(text[i]);
    const int low = Digit(text[i + 1]);
    if (high == kNoDigit || low == kNoDigit) return false;
    bytes.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  return true;
}

void AppendHex(absl::Span<const std::uint8_t> bytes, std::string& text) {
  constexpr char kDigit[] = "0123456789abcdef";
  for (const std::uint8_t byte : bytes) {
    text += kDigit[byte >> 4];
    text += kDigit[byte & 15];
  }
}

}  // namespace reprise
