// A launch whose fields are set by the names that a signature has for them, and
// what the built-in packs say of it.
#ifndef REPRISE_TESTS_CAPTURE_SIGNED_LAUNCH_H_
#define REPRISE_TESTS_CAPTURE_SIGNED_LAUNCH_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "capture/annotate.h"
#include "capture/pack.h"
#include "capture/signature.h"
#include "graph/graph.h"

namespace reprise {

using Lines = std::vector<std::string>;

class SignedLaunch {
 public:
  // `prefix` stands before each name in the signature; `memory` is the one
  // allocation of the graph.
  SignedLaunch(KernelLaunch launch, const Signature& signature,
               const Allocation& memory, std::string prefix = "")
      : launch_(std::move(launch)),
        signature_(&signature),
        memory_(memory),
        prefix_(std::move(prefix)) {}

  SignedLaunch& Set(const std::string& field, std::uint64_t value) {
    const Field* found = signature_->layout.Find(prefix_ + field);
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

  bool Opaque() const {
    Graph graph;
    graph.AddAllocation(memory_);
    graph.AddKernel(launch_);
    return Annotate(BuiltInPacks(), graph).opaque == 1;
  }

  // The op, then every access in the words of graph/text.h.
  Lines Effects() const {
    Graph graph;
    graph.AddAllocation(memory_);
    const NodeId id = graph.AddKernel(launch_);
    EXPECT_EQ(Annotate(BuiltInPacks(), graph).opaque, 0u);
    Lines lines = {ToText(graph.node(id).op)};
    for (const Access& a : graph.accesses(id)) {
      lines.push_back(std::string(a.reads() ? "read " : "write ") +
                      std::string(NameOf(a.role)) + " " + ToText(a.view) +
                      (a.exact ? "" : "?"));
    }
    return lines;
  }

 private:
  KernelLaunch launch_;
  const Signature* signature_;
  Allocation memory_;
  std::string prefix_;
};

}  // namespace reprise

#endif  // REPRISE_TESTS_CAPTURE_SIGNED_LAUNCH_H_
