// Device memory played by the host: named stretches of bytes at made-up device
// addresses, so that a program recorded without a GPU can run.
//
// Addresses  the first stretch lies at kFirstAddress, or where it is told to,
//            each next one at the following multiple of kAlignment with a gap
//            between: the same calls give the same addresses. No stretch
//            contains address 0.
// Bytes      new stretches are zero. A pointer into one stays valid while the
//            HostMemory, or what it was moved to, lives. A reserved stretch has
//            none.
// Errors     OutOfRange names the address and the stretch it missed;
//            FailedPrecondition the reserved stretch that it lies in.
// Threads    const methods may run at the same time; bytes are the caller's to
//            guard.
#ifndef REPRISE_REPLAY_HOST_MEMORY_H_
#define REPRISE_REPLAY_HOST_MEMORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/graph.h"

namespace reprise {

class HostMemory {
 public:
  static constexpr std::uint64_t kFirstAddress = 0x10'0000'0000;
  static constexpr std::uint64_t kAlignment = 0x1000;

  struct Stretch {
    std::string name;
    Allocation allocation;
    std::vector<std::uint8_t> bytes;  // none where it is only reserved
  };

  HostMemory() = default;
  // REQUIRES: first_address is a multiple of kAlignment, and not 0.
  explicit HostMemory(std::uint64_t first_address) : next_(first_address) {}
  HostMemory(HostMemory&&) = default;
  HostMemory& operator=(HostMemory&&) = default;

  // A copy with the same addresses: where two programs start from.
  HostMemory Clone() const { return HostMemory(*this); }

  Allocation Add(std::string name, std::uint64_t bytes);

  // Addresses without bytes, for what lies on a device only.
  Allocation Reserve(std::string name, std::uint64_t bytes);

  // Where the next stretch will lie.
  std::uint64_t next_address() const { return next_; }

  // In order of their addresses.
  absl::Span<const Stretch> stretches() const { return stretches_; }

  // The stretch, reserved or not, that all of the bytes lie in; null when there
  // is none.
  const Stretch* Find(std::uint64_t address, std::uint64_t bytes) const;

  absl::StatusOr<std::uint8_t*> Translate(std::uint64_t address,
                                          std::uint64_t bytes);

  absl::Status Write(std::uint64_t address,
                     absl::Span<const std::uint8_t> bytes);
  absl::StatusOr<std::vector<std::uint8_t>> Read(std::uint64_t address,
                                                 std::uint64_t bytes) const;

 private:
  HostMemory(const HostMemory&) = default;

  // As Find, but an error where there are no bytes.
  absl::StatusOr<const Stretch*> FindBytes(std::uint64_t address,
                                           std::uint64_t bytes) const;

  std::vector<Stretch> stretches_;
  std::uint64_t next_ = kFirstAddress;
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_HOST_MEMORY_H_
