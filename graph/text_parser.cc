#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/text.h"

namespace reprise {
namespace {

std::vector<absl::string_view> Words(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipEmpty());
}

absl::Status Bad(absl::string_view what, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("'", what, "': ", why));
}

std::optional<Role> FindRole(absl::string_view name) {
  for (Role role : {Role::kSource, Role::kOutput, Role::kImage, Role::kWeights,
                    Role::kIds, Role::kSlack}) {
    if (NameOf(role) == name) return role;
  }
  return std::nullopt;
}

// The role of an op's first read or first write when the text gives none.
Role DefaultRole(const Op& op, AccessMode mode) {
  if (std::holds_alternative<OtherOp>(op)) return Role::kNone;
  const bool reads = mode == AccessMode::kRead;
  if (IsQuantizer(op)) return reads ? Role::kSource : Role::kImage;
  if (IsReader(op)) return reads ? Role::kImage : Role::kOutput;
  return reads ? Role::kSource : Role::kOutput;
}

absl::Status AtLine(int line, const absl::Status& error) {
  return absl::InvalidArgumentError(
      absl::StrCat("line ", line, ": ", error.message()));
}

class Parser {
 public:
  absl::Status Line(absl::string_view line);
  absl::StatusOr<Graph> Finish();

 private:
  struct Pending {
    NodeId to;
    absl::string_view from;  // "3" or "~3"
    int line = 0;
  };

  absl::Status ReadLine(absl::string_view line);
  absl::Status ReadView(absl::string_view rest);
  absl::Status ReadAllocation(absl::string_view rest);
  absl::Status ReadNode(absl::string_view line);
  absl::Status ReadWhat(absl::string_view what, Node& node);
  absl::Status ReadAccesses(absl::string_view text, const Op& op,
                            std::vector<Access>& accesses);
  absl::StatusOr<Access> ReadAccess(absl::string_view word);
  absl::Status ReadRest(absl::string_view rest, NodeId id);
  absl::Status ReadEmittingKernel(absl::string_view word, bool refuted,
                                  NodeId id);

  Graph graph_;
  absl::flat_hash_map<std::string, View> views_;
  std::vector<Pending> edges_;
  int line_ = 0;  // from 1
  bool chain_ = false;
};

absl::Status Parser::Line(absl::string_view line) {
  ++line_;
  const absl::Status read = ReadLine(line);
  return read.ok() ? read : AtLine(line_, read);
}

absl::Status Parser::ReadLine(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
  if (line.empty()) return absl::OkStatus();
  if (line == "chain") {
    chain_ = true;
    return absl::OkStatus();
  }
  if (absl::ConsumePrefix(&line, "view ")) return ReadView(line);
  if (absl::ConsumePrefix(&line, "alloc ")) return ReadAllocation(line);
  return ReadNode(line);
}

absl::Status Parser::ReadView(absl::string_view rest) {
  const std::vector<absl::string_view> words = Words(rest);
  if (words.size() != 3 || words[1] != "=") {
    return Bad(rest, "want NAME = VIEW");
  }
  absl::StatusOr<View> view = ViewFromText(words[2]);
  if (!view.ok()) return view.status();
  views_[std::string(words[0])] = *view;
  return absl::OkStatus();
}

absl::Status Parser::ReadAllocation(absl::string_view rest) {
  const std::vector<absl::string_view> words = Words(rest);
  Allocation allocation;
  if (words.size() != 2 ||
      !absl::SimpleHexAtoi(words[0], &allocation.address) ||
      !absl::SimpleAtoi(words[1], &allocation.bytes)) {
    return Bad(rest, "want ADDRESS BYTES");
  }
  graph_.AddAllocation(allocation);
  return absl::OkStatus();
}

absl::Status Parser::ReadNode(absl::string_view line) {
  const std::vector<absl::string_view> fields = absl::StrSplit(line, '|');
  const std::vector<absl::string_view> head =
      absl::StrSplit(fields[0], absl::MaxSplits(':', 1));
  std::uint32_t id = 0;
  if (fields.size() > 3 || head.size() != 2 ||
      !absl::SimpleAtoi(head[0], &id) || id != graph_.num_nodes()) {
    return Bad(line, "want the next id, ':' and what the node is");
  }
  Node node;
  if (absl::Status s = ReadWhat(absl::StripAsciiWhitespace(head[1]), node);
      !s.ok()) {
    return s;
  }
  std::vector<Access> accesses;
  if (fields.size() > 1) {
    if (absl::Status s = ReadAccesses(fields[1], node.op, accesses); !s.ok()) {
      return s;
    }
  }
  const NodeId added = graph_.AddNode(node);
  graph_.SetAccesses(added, accesses);
  return ReadRest(fields.size() > 2 ? fields[2] : "", added);
}

absl::Status Parser::ReadWhat(absl::string_view what, Node& node) {
  if (const auto kind = FindNodeKind(what); kind && what != "other") {
    node.kind = *kind;
    node.effects_complete = *kind == NodeKind::kCopy ||
                            *kind == NodeKind::kFill ||
                            *kind == NodeKind::kEmpty;
    return absl::OkStatus();
  }
  node.kind = NodeKind::kKernel;
  if (what == "opaque") return absl::OkStatus();
  const auto op = OpFromText(what);
  if (!op) return Bad(what, "neither an op nor a kind of node");
  node.op = *op;
  node.effects_complete = true;
  return absl::OkStatus();
}

absl::Status Parser::ReadAccesses(absl::string_view text, const Op& op,
                                  std::vector<Access>& accesses) {
  AccessMode mode = AccessMode::kRead;
  bool first = true;
  for (absl::string_view word : Words(text)) {
    if (word == "->") {
      mode = AccessMode::kWrite;
      first = true;
      continue;
    }
    absl::StatusOr<Access> access = ReadAccess(word);
    if (!access.ok()) return access.status();
    access->mode = mode;
    // A GLU starts from two views; every other op from one.
    const bool both = std::holds_alternative<Glu>(op);
    if (access->role == Role::kNone && (first || both)) {
      access->role = DefaultRole(op, mode);
    }
    first = false;
    accesses.push_back(*access);
  }
  return absl::OkStatus();
}

absl::StatusOr<Access> Parser::ReadAccess(absl::string_view word) {
  Access access;
  access.exact = !absl::ConsumeSuffix(&word, "?");
  const std::size_t colon = word.find(':');
  if (colon != absl::string_view::npos) {
    if (const auto role = FindRole(word.substr(0, colon))) {
      access.role = *role;
      word.remove_prefix(colon + 1);
    }
  }
  if (const auto named = views_.find(word); named != views_.end()) {
    access.view = named->second;
    return access;
  }
  absl::StatusOr<View> view = ViewFromText(word);
  if (!view.ok()) return view.status();
  access.view = *view;
  return access;
}

absl::Status Parser::ReadRest(absl::string_view rest, NodeId id) {
  Node& node = graph_.mutable_node(id);
  bool after = false;
  for (absl::string_view word : Words(rest)) {
    std::uint32_t stream = 0;
    if (after) {
      edges_.push_back({id, word, line_});
    } else if (word == "after") {
      after = true;
    } else if (word == "pure") {
      node.pure = true;
    } else if (word == "waits") {
      node.waits = true;
    } else if (absl::ConsumePrefix(&word, "emits=")) {
      if (absl::Status s = ReadEmittingKernel(word, false, id); !s.ok()) {
        return s;
      }
    } else if (absl::ConsumePrefix(&word, "refuted=")) {
      if (absl::Status s = ReadEmittingKernel(word, true, id); !s.ok()) {
        return s;
      }
    } else if (absl::ConsumePrefix(&word, "@") &&
               absl::SimpleAtoi(word, &stream)) {
      node.stream = StreamId{stream};
    } else {
      return Bad(word,
                 "want @STREAM, pure, waits, emits=SYMBOL, refuted=SYMBOL or "
                 "after NODES");
    }
  }
  if (chain_ && !after && id.value > 0) {
    graph_.AddEdge({.from = NodeId{id.value - 1}, .to = id});
  }
  return absl::OkStatus();
}

absl::Status Parser::ReadEmittingKernel(absl::string_view word, bool refuted,
                                        NodeId id) {
  const std::vector<absl::string_view> parts = absl::StrSplit(word, '/');
  EmittingKernel kernel;
  kernel.symbol = std::string(parts.front());
  kernel.refuted = refuted;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i] == "drops") {
      kernel.takes_no_floats = true;
      continue;
    }
    const auto layout = FindImageLayout(parts[i]);
    if (!layout) return Bad(word, "no such layout");
    kernel.layout = *layout;
  }
  const auto known = graph_.emitting_kernels(id);
  std::vector<EmittingKernel> kernels(known.begin(), known.end());
  kernels.push_back(std::move(kernel));
  graph_.mutable_node(id).emitting = graph_.AddEmittingKernels(kernels);
  return absl::OkStatus();
}

absl::StatusOr<Graph> Parser::Finish() {
  for (const Pending& pending : edges_) {
    absl::string_view word = pending.from;
    Edge edge;
    edge.to = pending.to;
    if (absl::ConsumePrefix(&word, "~")) {
      edge.type = EdgeType::kProgrammatic;
      edge.from_port = 1;
    }
    if (!absl::SimpleAtoi(word, &edge.from.value) ||
        edge.from.value >= graph_.num_nodes()) {
      return AtLine(pending.line, Bad(pending.from, "no such node"));
    }
    graph_.AddEdge(edge);
  }
  return std::move(graph_);
}

}  // namespace

absl::StatusOr<Graph> GraphFromText(absl::string_view text) {
  Parser parser;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::Status s = parser.Line(line); !s.ok()) return s;
  }
  return parser.Finish();
}

}  // namespace reprise
