// Launches of kernels that the ggml-cuda pack knows.
#ifndef REPRISE_TESTS_CAPTURE_GGML_LAUNCH_H_
#define REPRISE_TESTS_CAPTURE_GGML_LAUNCH_H_

#include <stdexcept>
#include <string>

#include "tests/capture/signed_launch.h"

namespace reprise {

// Fields that are not set are 0.
class Launch : public SignedLaunch {
 public:
  // `name` is the signature's, for symbols that several have.
  Launch(const std::string& name, const std::string& symbol, Dim3 grid,
         Dim3 block)
      : Launch(SignatureOf(name, symbol), symbol, grid, block) {}

 private:
  Launch(const Signature& signature, const std::string& symbol, Dim3 grid,
         Dim3 block)
      : SignedLaunch(LaunchOf(signature, symbol, grid, block), signature,
                     {0x100000, 0x1000000}) {}

  static const Signature& SignatureOf(const std::string& name,
                                      const std::string& symbol) {
    for (const Signature& s : BuiltInPacks()[1].signatures()) {
      if (s.name == name && s.symbol.Match(symbol)) return s;
    }
    throw std::invalid_argument(name + " has no " + symbol);
  }

  static KernelLaunch LaunchOf(const Signature& signature,
                               const std::string& symbol, Dim3 grid,
                               Dim3 block) {
    KernelLaunch launch;
    launch.symbol = symbol;
    launch.grid = grid;
    launch.block = block;
    launch.parameters = signature.layout.parameters;
    const Parameter& last = launch.parameters.back();
    launch.bytes.resize(last.offset + last.size);
    return launch;
  }
};

// A GLU of two rows of 64: x at 0x200000, of rows 128 apart, g at 0x300000, and
// the outputs at 0x400000.
inline SignedLaunch GluLaunch(const std::string& name,
                              const std::string& symbol) {
  return Launch(name, symbol, {1, 1, 1}, {256, 1, 1})
      .Set("x", 0x200000)
      .Set("g", 0x300000)
      .Set("dst", 0x400000)
      .Set("k", 128)
      .Set("n", 64)
      .Set("o0", 128)
      .Set("o1", 64);
}

}  // namespace reprise

#endif  // REPRISE_TESTS_CAPTURE_GGML_LAUNCH_H_
