// A child process that uses no CUDA and ends, amid its parent's loop, and one
// that becomes another program.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

void PrintEndOf(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child %s %d\n", WIFEXITED(status) ? "exits" : "is killed",
              WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

const Scenario kForkedChild("forked_child", [] {
  const Model model(1);
  const Stream stream = NewStream();
  const Exec exec = MakeExec(model.Step(), stream);
  for (int step = 0; step < 4; ++step) {
    Launch(exec, stream);
    Synchronize(stream);
    PrintStep(step, model);
    std::fflush(stdout);  // or the child would print it again
    const pid_t child = fork();
    if (child == 0) {
      if (step == 0) std::exit(7);
      if (step == 1) std::_Exit(8);
      execl("/bin/sh", "sh", "-c", "exit 9", nullptr);
    }
    PrintEndOf(child);
  }
  Destroy(exec);
  Destroy(stream);
});

}  // namespace
}  // namespace victims
