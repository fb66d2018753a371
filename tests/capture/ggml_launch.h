// A launch of a kernel that the ggml-cuda pack knows, and what the pack says of
// it.
#ifndef REPRISE_TESTS_CAPTURE_GGML_LAUNCH_H_
#define REPRISE_TESTS_CAPTURE_GGML_LAUNCH_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "capture/annotate.h"
#include "capture/pack.h"
#include "capture/signature.h"
#include "graph/graph.h"

namespace reprise {

// A launch with fields set by their names in the pack; all others are 0.
class Launch {
 public:
  Launch(const std::string& name, const std::string& symbol, Dim3 grid,
         Dim3 block) {
    launch_.symbol = symbol;
    launch_.grid = grid;
    launch_.block = block;
    for (const Signature& s : BuiltInPacks()[1].signatures()) {
      if (s.name == name && s.symbol.Match(symbol)) signature_ = &s;
    }
    launch_.parameters = signature_->layout.parameters;
    const Parameter& last = launch_.parameters.back();
    launch_.bytes.resize(last.offset + last.size);
  }

  Launch& Set(const std::string& field, std::uint64_t value) {
    const Field* found = signature_->layout.Find(field);
    EXPECT_NE(found, nullptr) << field;
    std::memcpy(&launch_.bytes[found->offset], &value, found->size);
    return *this;
  }

  // The symbol of the kernel that may replace it; empty where there is none.
  std::string Emitting() const {
    Graph graph;
    const NodeId id = graph.AddKernel(launch_);
    EXPECT_EQ(Annotate(BuiltInPacks(), graph).opaque, 0u);
    const auto kernels = graph.emitting_kernels(id);
    return kernels.empty() ? "" : kernels.front().symbol;
  }

  // The op, then every access in the words of graph/text.h.
  std::vector<std::string> Effects() const {
    Graph graph;
    graph.AddAllocation({0x100000, 0x1000000});
    const NodeId id = graph.AddKernel(launch_);
    EXPECT_EQ(Annotate(BuiltInPacks(), graph).opaque, 0u);
    std::vector<std::string> lines = {ToText(graph.node(id).op)};
    for (const Access& a : graph.accesses(id)) {
      lines.push_back(std::string(a.reads() ? "read " : "write ") +
                      std::string(NameOf(a.role)) + " " + ToText(a.view) +
                      (a.exact ? "" : "?"));
    }
    return lines;
  }

 private:
  KernelLaunch launch_;
  const Signature* signature_ = nullptr;
};

using Lines = std::vector<std::string>;

}  // namespace reprise

#endif  // REPRISE_TESTS_CAPTURE_GGML_LAUNCH_H_
