#include "inject/linted_graphs.h"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "capture/stream_capture.h"

namespace reprise {

void LintedGraphs::Instantiated(CUgraphExec exec, CUgraph graph) {
  const absl::MutexLock lock(&mutex_);
  const RelaxedCapture relaxed(driver_);
  waiting_.erase(exec);
  ++counts_.graphs;
  absl::StatusOr<GraphLint> lint = GraphLint::Create(driver_, graph, packs_);
  if (lint.ok()) {
    CUcontext context = nullptr;
    driver_.CtxGetCurrent(&context);
    waiting_.emplace(exec, Waiting{context, *std::move(lint)});
  } else {
    ++counts_.declined_graphs[std::string(lint.status().message())];
  }
}

CUresult LintedGraphs::Launch(CUgraphExec exec, CUstream stream,
                              absl::FunctionRef<CUresult()> original) {
  const absl::MutexLock lock(&mutex_);
  const auto found = waiting_.find(exec);
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  if (found == waiting_.end() ||
      driver_.StreamIsCapturing(stream, &capture) != CUDA_SUCCESS ||
      capture != CU_STREAM_CAPTURE_STATUS_NONE) {
    return original();
  }
  const RelaxedCapture relaxed(driver_);
  GraphLint lint = std::move(found->second.lint);
  waiting_.erase(found);
  const absl::StatusOr<std::vector<LintFinding>> findings = lint.Run(stream);
  if (!findings.ok()) {
    ++counts_.fallbacks[std::string(findings.status().message())];
    return original();
  }
  ++counts_.linted;
  for (const LintFinding& finding : *findings) {
    ++counts_.findings[finding.text];
  }
  return CUDA_SUCCESS;
}

void LintedGraphs::Destroyed(CUgraphExec exec) {
  const absl::MutexLock lock(&mutex_);
  const RelaxedCapture relaxed(driver_);
  waiting_.erase(exec);
}

void LintedGraphs::ContextEnds(CUcontext context) {
  const absl::MutexLock lock(&mutex_);
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    const auto next = std::next(at);
    if (at->second.context == context) {
      // All that it has goes with the context.
      new GraphLint(std::move(at->second.lint));
      waiting_.erase(at);
    }
    at = next;
  }
}

ProgramCounts LintedGraphs::counts() const {
  const absl::MutexLock lock(&mutex_);
  return counts_;
}

}  // namespace reprise
