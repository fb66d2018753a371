// How far a long run is, on the standard error.
#ifndef REPRISE_TOOLS_PROGRESS_H_
#define REPRISE_TOOLS_PROGRESS_H_

#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace reprise {

// Says once a second how far the replays are.
class Progress {
 public:
  explicit Progress(int replays) : replays_(replays) {}
  ~Progress() {
    if (shown_ && on_terminal_) std::fputs("\r\x1b[K", stderr);
  }

  void At(int replay) {
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::seconds(1);
    std::fprintf(stderr, "%sreplay %d of %d%s", on_terminal_ ? "\r" : "",
                 replay, replays_, on_terminal_ ? "" : "\n");
    shown_ = true;
  }

 private:
  using Clock = std::chrono::steady_clock;

  const int replays_;
  const bool on_terminal_ = isatty(STDERR_FILENO) != 0;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
  bool shown_ = false;
};

}  // namespace reprise

#endif  // REPRISE_TOOLS_PROGRESS_H_
