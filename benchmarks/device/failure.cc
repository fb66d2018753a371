#include "benchmarks/device/failure.h"

#include <errno.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace reprise {
namespace {

std::string& CurrentRow() {
  static std::string& row = *new std::string;
  return row;
}

std::string_view FileName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

void Fail(std::string_view what, std::source_location where) {
  std::string line = program_invocation_short_name;
  if (!CurrentRow().empty()) line += ": " + CurrentRow();
  line.append(": ").append(what).append(" (");
  line.append(FileName(where.file_name())).append(":");
  line += std::to_string(where.line()) + ")\n";
  std::fputs(line.c_str(), stderr);
  std::exit(EXIT_FAILURE);
}

void CheckCuda(cudaError_t result, std::string_view what,
               std::source_location where) {
  if (result == cudaSuccess) return;
  Fail(std::string(what) + ": " + cudaGetErrorString(result), where);
}

void NameFailuresAfter(std::string row) { CurrentRow() = std::move(row); }

}  // namespace reprise
