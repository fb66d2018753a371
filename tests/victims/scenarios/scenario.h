// A scenario is a file of its own: a program's way of using CUDA graphs.
//
//   const Scenario kDecode("decode", [] { ... PrintStep(step, model); });
//
// What it prints depends on the bytes that its kernels leave, and on nothing
// else: no address, no time, no count of calls.
#ifndef REPRISE_TESTS_VICTIMS_SCENARIOS_SCENARIO_H_
#define REPRISE_TESTS_VICTIMS_SCENARIOS_SCENARIO_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/victims/engine/model.h"

namespace victims {

class Scenario {
 public:
  // Enters it in a list; both must live as long as the program.
  Scenario(const char* name, void (*run)());

  // Null where there is none of that name.
  static const Scenario* Find(const char* name);
  static void PrintNames();
  void Run() const { run_(); }

 private:
  const char* name_;
  void (*run_)();
  const Scenario* next_;
};

// Ends the program with status 77: this machine lacks what the scenario needs.
[[noreturn]] inline void Skip(const char* what) {
  std::fprintf(stderr, "skipped: no %s\n", what);
  std::_Exit(77);
}

inline void PrintStep(int step, std::uint64_t digest) {
  std::printf("step %d %016llx\n", step,
              static_cast<unsigned long long>(digest));
}
inline void PrintStep(int step, const Model& model) {
  PrintStep(step, model.Digest());
}

}  // namespace victims

#endif  // REPRISE_TESTS_VICTIMS_SCENARIOS_SCENARIO_H_
