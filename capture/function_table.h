// What the driver tells of a kernel's function: its symbol, and where each
// parameter lies. The layout costs a microsecond to ask for, so that each
// function is asked once.
#ifndef REPRISE_CAPTURE_FUNCTION_TABLE_H_
#define REPRISE_CAPTURE_FUNCTION_TABLE_H_

#include <cuda.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "driver/driver.h"
#include "graph/node.h"

namespace reprise {

struct FunctionInfo {
  std::string symbol;
  std::vector<Parameter> parameters;  // in the function's order
  std::size_t bytes = 0;              // where the last parameter ends
};

class FunctionTable {
 public:
  // REQUIRES: the table `driver` outlives this one.
  explicit FunctionTable(const Driver& driver) : driver_(driver) {}

  // Valid until the next Find. Errors name the call that failed; nothing is
  // kept of a function that was not told in full.
  // REQUIRES: no function that is remembered has been unloaded, for another one
  // may get its handle.
  absl::StatusOr<const FunctionInfo*> Find(CUfunction function);

  // From now on each is asked anew.
  void Forget() { known_.clear(); }

 private:
  absl::StatusOr<FunctionInfo> Ask(CUfunction function) const;

  const Driver& driver_;
  absl::flat_hash_map<CUfunction, FunctionInfo> known_;
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_FUNCTION_TABLE_H_
