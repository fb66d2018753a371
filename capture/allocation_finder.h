// Collects the device allocations that a graph's addresses point into, asking
// the driver once about each.
//
// A parameter buffer does not say what is a pointer: every 8-byte word of it
// may be one. Words that cannot be device addresses are not asked about, and a
// word that pointed into no allocation is not asked about again.
#ifndef REPRISE_CAPTURE_ALLOCATION_FINDER_H_
#define REPRISE_CAPTURE_ALLOCATION_FINDER_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "driver/driver.h"
#include "graph/graph.h"

namespace reprise {

class AllocationFinder {
 public:
  // REQUIRES: the table outlives the finder, and no memory is freed meanwhile.
  // `known` allocations count as found.
  explicit AllocationFinder(const Driver& driver,
                            absl::Span<const Allocation> known = {});

  // Whether all that is known is still allocated, from and to the same byte.
  absl::StatusOr<bool> KnownAreTheSame() const;

  // Finds the allocation that the address lies in, if there is one.
  absl::Status Visit(std::uint64_t address);
  // Visits every word at a multiple of 8 bytes.
  absl::Status VisitWords(absl::Span<const std::uint8_t> bytes);

  // In the order of addresses.
  const std::vector<Allocation>& found() const { return found_; }

 private:
  // Of 0 bytes where the address lies in none.
  absl::StatusOr<Allocation> Ask(std::uint64_t address) const;
  void Add(const Allocation& allocation);
  bool IsKnown(std::uint64_t address) const;
  // The first one behind the address; a pointer is looked up in 10 ns.
  std::vector<Allocation>::const_iterator After(std::uint64_t address) const;

  const Driver& driver_;
  std::vector<Allocation> found_;  // by address, each address once
  absl::flat_hash_set<std::uint64_t> misses_;
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_ALLOCATION_FINDER_H_
