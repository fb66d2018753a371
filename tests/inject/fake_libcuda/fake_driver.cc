#include "tests/inject/fake_libcuda/fake_driver.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"

namespace reprise::testing {
namespace {

std::string Numbered(const char* kind, const void* handle) {
  const auto [found, is_new] = Fake().numbers.try_emplace(handle, 0);
  if (is_new) found->second = Fake().next_number[kind]++;
  return absl::StrCat(kind, " ", found->second);
}

}  // namespace

FakeDriver& Fake() {
  static FakeDriver& fake = *new FakeDriver;
  return fake;
}

CUstream Known(CUstream stream) {
  return stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD ? nullptr
                                                                      : stream;
}

bool IsCapturing(CUstream stream) {
  stream = Known(stream);
  return stream != nullptr && From<ScriptedStream>(stream)->captured != nullptr;
}

ScriptedNode& AppendToCapture(CUstream stream, CUgraphNodeType type,
                              const CUgraphEdgeData& edge) {
  ScriptedGraph& graph = *From<ScriptedStream>(stream)->captured;
  ScriptedNode& node = AppendNode(graph, type);
  std::vector<CUgraphNode>& frontier = Fake().frontiers[stream];
  for (const CUgraphNode before : frontier) {
    graph.edges.push_back(
        {From<ScriptedNode>(before)->index, node.index, edge});
  }
  frontier = {ToHandle(node)};
  return node;
}

std::string NameOf(CUgraph graph) { return Numbered("graph", graph); }
std::string NameOf(CUgraphExec exec) { return Numbered("exec", exec); }

void LogRow(absl::string_view row) {
  const char* path = std::getenv("FAKE_LIBCUDA_LOG");
  if (path == nullptr) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string line = absl::StrCat(row, "\n");
  if (write(file, line.data(), line.size()) < 0) std::abort();
  close(file);
}

}  // namespace reprise::testing
