#include "capture/function_table.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "driver/cuda_status.h"

namespace reprise {

absl::StatusOr<const FunctionInfo*> FunctionTable::Find(CUfunction function) {
  const auto known = known_.find(function);
  if (known != known_.end()) return &known->second;
  absl::StatusOr<FunctionInfo> asked = Ask(function);
  if (!asked.ok()) return asked.status();
  return &known_.emplace(function, *std::move(asked)).first->second;
}

absl::StatusOr<FunctionInfo> FunctionTable::Ask(CUfunction function) const {
  FunctionInfo info;
  const char* name = nullptr;
  if (const CUresult result = driver_.FuncGetName(&name, function);
      result != CUDA_SUCCESS) {
    return CudaStatus(driver_, result, "cuFuncGetName");
  }
  info.symbol = name;
  // No call tells how many there are: one past the last is an invalid value.
  for (std::size_t i = 0;; ++i) {
    std::size_t offset = 0;
    std::size_t size = 0;
    const CUresult result =
        driver_.FuncGetParamInfo(function, i, &offset, &size);
    if (result == CUDA_ERROR_INVALID_VALUE) return info;
    if (result != CUDA_SUCCESS) {
      return CudaStatus(driver_, result, "cuFuncGetParamInfo");
    }
    info.parameters.push_back(
        {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size)});
    info.bytes = std::max(info.bytes, offset + size);
  }
}

}  // namespace reprise
