// Text that is no graph: every error names its line and quotes what is wrong.
#include <gtest/gtest.h>

#include <string>

#include "graph/text.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using ::reprise::testing::HasCode;

struct Mistake {
  const char* line;  // the third, after two good ones
  const char* message;
};

constexpr const char* kNode = ": want the next id, ':' and what the node is";
constexpr const char* kWhat = ": neither an op nor a kind of node";
constexpr const char* kView =
    " is no view: want ADDRESS:TYPE:EXTENTS[/STRIDES]";
constexpr const char* kRest =
    ": want @STREAM, pure, waits, emits=SYMBOL, refuted=SYMBOL or after NODES";

std::string Expected(const Mistake& mistake, const char* why) {
  return "line 3: '" + std::string(mistake.message) + "'" + why;
}

std::string ErrorOf(const Mistake& mistake) {
  const std::string text =
      "# one node\n0: empty\n" + std::string(mistake.line) + "\n";
  const absl::StatusOr<Graph> graph = GraphFromText(text);
  EXPECT_THAT(graph, HasCode(absl::StatusCode::kInvalidArgument));
  return std::string(graph.status().message());
}

TEST(GraphFromText, NamesALineThatIsNoNode) {
  for (const Mistake& m :
       {Mistake{"empty", "empty"}, Mistake{"0: empty", "0: empty"},
        Mistake{"2: empty", "2: empty"}, Mistake{"-1: empty", "-1: empty"},
        Mistake{": empty", ": empty"},
        Mistake{"1: empty | | | 2", "1: empty | | | 2"},
        Mistake{"view", "view"}, Mistake{"chains", "chains"}}) {
    EXPECT_EQ(ErrorOf(m), Expected(m, kNode));
  }
}

TEST(GraphFromText, NamesAnUnknownOpOrKind) {
  for (const Mistake& m : {Mistake{"1: nothing", "nothing"}, Mistake{"1:", ""},
                           Mistake{"1: matvec q9", "matvec q9"},
                           Mistake{"1: empty: |", "empty:"}}) {
    EXPECT_EQ(ErrorOf(m), Expected(m, kWhat));
  }
}

TEST(GraphFromText, NamesWhatIsNoView) {
  for (const Mistake& m :
       {Mistake{"1: other | y -> |", "y"},
        Mistake{"1: other | -> 0x0:f32 |", "0x0:f32"},
        Mistake{"1: other | role:0x0:f32:1 |", "role:0x0:f32:1"},
        Mistake{"1: other | image:0x0:f33:1 |", "0x0:f33:1"},
        Mistake{"1: other | ? |", ""}, Mistake{"view x = 12", "12"}}) {
    EXPECT_EQ(ErrorOf(m), Expected(m, kView));
  }
}

TEST(GraphFromText, NamesAnUnknownWordOfTheRest) {
  for (const Mistake& m :
       {Mistake{"1: empty | | wait", "wait"}, Mistake{"1: empty | | 0", "0"},
        Mistake{"1: empty | | @x", "x"}, Mistake{"1: empty | | @", ""},
        Mistake{"1: empty | | @-1", "-1"}}) {
    EXPECT_EQ(ErrorOf(m), Expected(m, kRest));
  }
}

TEST(GraphFromText, NamesAPredecessorThatIsNoNode) {
  for (const Mistake& m : {Mistake{"1: empty | | after 2", "2"},
                           Mistake{"1: empty | | after ~9", "~9"},
                           Mistake{"1: empty | | after 0 waits", "waits"},
                           Mistake{"1: empty | | after ~", "~"},
                           Mistake{"1: empty | | after @0", "@0"},
                           Mistake{"1: empty | | after -1", "-1"}}) {
    EXPECT_EQ(ErrorOf(m), Expected(m, ": no such node"));
  }
}

TEST(GraphFromText, NamesTheLineOfAPredecessorThatComesLater) {
  EXPECT_EQ(GraphFromText("0: empty | | after 1\n\n1: empty | | after 2\n")
                .status()
                .message(),
            "line 3: '2': no such node");
}

TEST(GraphFromText, NamesABadViewOrAllocation) {
  for (const Mistake& m :
       {Mistake{"view x 0x0:f32:1", "x 0x0:f32:1"}, Mistake{"view x =", "x ="},
        Mistake{"view x = 0x0:f32:1 y", "x = 0x0:f32:1 y"}}) {
    EXPECT_EQ(ErrorOf(m), Expected(m, ": want NAME = VIEW"));
  }
  for (const Mistake& m :
       {Mistake{"alloc 0x1000", "0x1000"}, Mistake{"alloc x 1", "x 1"},
        Mistake{"alloc 0x1000 -1", "0x1000 -1"},
        Mistake{"alloc 0x1000 1 2", "0x1000 1 2"}}) {
    EXPECT_EQ(ErrorOf(m), Expected(m, ": want ADDRESS BYTES"));
  }
}

TEST(GraphFromText, StopsAtTheFirstBadLine) {
  EXPECT_EQ(GraphFromText("0: empty\nbad\nworse\n").status().message(),
            "line 2: 'bad': want the next id, ':' and what the node is");
}

}  // namespace
}  // namespace reprise
