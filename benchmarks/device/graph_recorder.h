// Records kernel launches into a CUDA graph, by capture of streams.
//
//   GraphRecorder recorder(/*branches=*/2);
//   recorder.Launch("reprise_quantize_q8_1", quantize);
//   recorder.Fork();                       // both branches follow the
//   quantizer recorder.Launch("reprise_matvec_q4_0", q, 0);
//   recorder.Launch("reprise_matvec_q4_0", k, 1);
//   recorder.Join();                       // what comes next follows both
//   GraphExec graph = recorder.Finish();
//
// Launches of a branch follow each other with a programmatic dependency.
#ifndef REPRISE_BENCHMARKS_DEVICE_GRAPH_RECORDER_H_
#define REPRISE_BENCHMARKS_DEVICE_GRAPH_RECORDER_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "benchmarks/device/handles.h"

namespace reprise {

class GraphRecorder {
 public:
  explicit GraphRecorder(std::size_t branches = 1);

  // The kernel of that device symbol; Params is its parameter struct. Outside
  // Fork and Join the branch is 0.
  template <typename Params>
  void Launch(std::string_view symbol, const Params& params,
              std::size_t branch = 0) {
    LaunchBytes(symbol, &params, sizeof(Params), branch);
  }

  void Fork();
  void Join();

  // Ends the recording. The executable needs nothing of the recorder.
  GraphExec Finish();

 private:
  void LaunchBytes(std::string_view symbol, const void* params,
                   std::size_t param_bytes, std::size_t branch);

  std::vector<Stream> branches_;
  Event event_;
};

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_DEVICE_GRAPH_RECORDER_H_
