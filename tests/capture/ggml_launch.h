// A launch of a kernel that the ggml-cuda pack knows.
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

}  // namespace reprise

#endif  // REPRISE_TESTS_CAPTURE_GGML_LAUNCH_H_
