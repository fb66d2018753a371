// The parameter structs and weight blocks of kernels/ as the compiler lays them
// out. Apart from the test that uses them, since kernels/ and graph/ share
// names.
#ifndef REPRISE_TESTS_CAPTURE_KERNEL_STRUCTS_H_
#define REPRISE_TESTS_CAPTURE_KERNEL_STRUCTS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace reprise {

struct KernelField {
  std::string name;
  std::size_t offset;
  std::size_t size;
};

struct KernelStruct {
  std::string symbol;  // of the kernels that take it, without form and format
  std::size_t size;
  std::vector<KernelField> fields;
};

std::vector<KernelStruct> KernelStructs();

struct KernelBlock {
  std::string format;
  int values;
  std::size_t bytes;
};

std::vector<KernelBlock> KernelBlocks();

}  // namespace reprise

#endif  // REPRISE_TESTS_CAPTURE_KERNEL_STRUCTS_H_
