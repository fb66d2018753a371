// Addresses and bytes as capture files spell them.
#ifndef REPRISE_CAPTURE_HEX_H_
#define REPRISE_CAPTURE_HEX_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace reprise {

// One to sixteen digits, with or without "0x".
std::optional<std::uint64_t> AddressFromHex(absl::string_view text);

// Adds two digits' worth a byte. False, adding nothing that counts, when a
// character is no digit. REQUIRES: an even number of characters.
bool AppendBytesFromHex(absl::string_view text,
                        std::vector<std::uint8_t>& bytes);

// Lower-case digits, two a byte.
void AppendHex(absl::Span<const std::uint8_t> bytes, std::string& text);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_HEX_H_
