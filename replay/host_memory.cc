#include "replay/host_memory.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace reprise {
namespace {

absl::Status Outside(const std::vector<HostMemory::Stretch>& stretches,
                     std::uint64_t address, std::uint64_t bytes) {
  std::string near = "no stretch starts below";
  for (const HostMemory::Stretch& s : stretches) {
    if (s.allocation.address > address) break;
    near = absl::StrCat("the nearest below is '", s.name, "', 0x",
                        absl::Hex(s.allocation.address), " to 0x",
                        absl::Hex(s.allocation.end()));
  }
  return absl::OutOfRangeError(absl::StrCat(
      bytes, " bytes at 0x", absl::Hex(address), " are in no stretch; ", near));
}

}  // namespace

Allocation HostMemory::Add(std::string name, std::uint64_t bytes) {
  const Allocation allocation = Reserve(std::move(name), bytes);
  stretches_.back().bytes.resize(bytes);
  return allocation;
}

Allocation HostMemory::Reserve(std::string name, std::uint64_t bytes) {
  const Allocation allocation{next_, bytes};
  stretches_.push_back({std::move(name), allocation, {}});
  next_ = (allocation.end() / kAlignment + 2) * kAlignment;
  return allocation;
}

const HostMemory::Stretch* HostMemory::Find(std::uint64_t address,
                                            std::uint64_t bytes) const {
  const auto after =
      std::upper_bound(stretches_.begin(), stretches_.end(), address,
                       [](std::uint64_t a, const Stretch& s) {
                         return a < s.allocation.address;
                       });
  if (after == stretches_.begin()) return nullptr;
  const Stretch& found = *(after - 1);
  const std::uint64_t offset = address - found.allocation.address;
  const std::uint64_t size = found.allocation.bytes;
  return offset <= size && bytes <= size - offset ? &found : nullptr;
}

absl::StatusOr<const HostMemory::Stretch*> HostMemory::FindBytes(
    std::uint64_t address, std::uint64_t bytes) const {
  const Stretch* found = Find(address, bytes);
  if (found == nullptr) return Outside(stretches_, address, bytes);
  if (found->bytes.size() == found->allocation.bytes) return found;
  return absl::FailedPreconditionError(
      absl::StrCat("'", found->name, "' is reserved and has no bytes"));
}

absl::StatusOr<std::uint8_t*> HostMemory::Translate(std::uint64_t address,
                                                    std::uint64_t bytes) {
  const absl::StatusOr<const Stretch*> found = FindBytes(address, bytes);
  if (!found.ok()) return found.status();
  Stretch& stretch = stretches_[*found - stretches_.data()];
  return stretch.bytes.data() + (address - stretch.allocation.address);
}

absl::Status HostMemory::Write(std::uint64_t address,
                               absl::Span<const std::uint8_t> bytes) {
  absl::StatusOr<std::uint8_t*> target = Translate(address, bytes.size());
  if (!target.ok()) return target.status();
  std::copy(bytes.begin(), bytes.end(), *target);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::uint8_t>> HostMemory::Read(
    std::uint64_t address, std::uint64_t bytes) const {
  const absl::StatusOr<const Stretch*> found = FindBytes(address, bytes);
  if (!found.ok()) return found.status();
  const auto first =
      (*found)->bytes.begin() + (address - (*found)->allocation.address);
  return std::vector<std::uint8_t>(first, first + bytes);
}

}  // namespace reprise
