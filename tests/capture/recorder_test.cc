#include "capture/recorder.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "graph/text.h"
#include "tests/capture/recorder_rig.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using ::reprise::testing::Kernel;
using ::reprise::testing::Rig;

struct Program {
  const char* name;
  void (*record)(Rig&);
  const char* graph;
};

void PrintTo(const Program& program, std::ostream* out) {
  *out << program.name;
}

constexpr Program kPrograms[] = {
    {"OneStreamIsAChain",
     [](Rig& r) {
       r.Run(r.a);
       r.Run(r.a);
       r.Run(r.a);
     },
     "0: opaque | -> | @0\n"
     "1: opaque | -> | @0 after 0\n"
     "2: opaque | -> | @0 after 1\n"},
    {"ForkAndJoin",
     [](Rig& r) {
       r.Run(r.a);
       r.Record(r.e, r.a);
       r.Wait(r.b, r.e);
       r.Run(r.b);
       r.Run(r.a);
       r.Record(r.f, r.b);
       r.Wait(r.a, r.f);
       r.Run(r.a);
     },
     "0: opaque | -> | @0\n"
     "1: opaque | -> | @1 after 0\n"
     "2: opaque | -> | @0 after 0\n"
     "3: opaque | -> | @0 after 2 1\n"},
    {"JoinWithoutANodeAfterIt",
     [](Rig& r) {
       r.Run(r.a);
       r.Record(r.e, r.a);
       r.Wait(r.b, r.e);
       r.Run(r.b);
       r.Record(r.f, r.b);
       r.Wait(r.a, r.f);
     },
     "0: opaque | -> | @0\n"
     "1: opaque | -> | @1 after 0\n"},
    {"ForkBeforeTheFirstNode",
     [](Rig& r) {
       r.Record(r.e, r.a);
       r.Wait(r.b, r.e);
       r.Run(r.b);
       r.Run(r.a);
       r.Record(r.f, r.b);
       r.Wait(r.a, r.f);
       r.Run(r.a);
     },
     "0: opaque | -> | @1\n"
     "1: opaque | -> | @0\n"
     "2: opaque | -> | @0 after 1 0\n"},
    {"OneStreamJoinsAnotherThatJoinsTheOrigin",
     [](Rig& r) {
       r.Run(r.a);
       r.Record(r.e, r.a);
       r.Wait(r.b, r.e);
       r.Wait(r.c, r.e);
       r.Run(r.b);
       r.Run(r.c);
       r.Record(r.f, r.c);
       r.Wait(r.b, r.f);
       r.Record(r.e, r.b);
       r.Wait(r.a, r.e);
       r.Run(r.a);
     },
     "0: opaque | -> | @0\n"
     "1: opaque | -> | @1 after 0\n"
     "2: opaque | -> | @2 after 0\n"
     "3: opaque | -> | @0 after 0 1 2\n"},
    {"ReRecordedEventMeansItsLatestRecord",
     [](Rig& r) {
       r.Run(r.a);
       r.Record(r.e, r.a);
       r.Run(r.a);
       r.Record(r.e, r.a);
       r.Wait(r.b, r.e);
       r.Run(r.b);
       r.Record(r.e, r.b);
       r.Wait(r.a, r.e);
     },
     "0: opaque | -> | @0\n"
     "1: opaque | -> | @0 after 0\n"
     "2: opaque | -> | @1 after 1\n"},
    {"AWaitDoneKeepsTheRecordThatItSaw",
     [](Rig& r) {
       r.Run(r.a);
       r.Record(r.e, r.a);
       r.Wait(r.b, r.e);
       r.Run(r.a);
       r.Record(r.e, r.a);
       r.Run(r.b);
       r.Record(r.f, r.b);
       r.Wait(r.a, r.f);
     },
     "0: opaque | -> | @0\n"
     "1: opaque | -> | @0 after 0\n"
     "2: opaque | -> | @1 after 0\n"},
    {"AStreamWaitingForItsOwnEventChangesNothing",
     [](Rig& r) {
       r.Run(r.a);
       r.Record(r.e, r.a);
       r.Wait(r.a, r.e);
       r.Run(r.a);
       r.Wait(r.a, r.e);
       r.Run(r.a);
     },
     "0: opaque | -> | @0\n"
     "1: opaque | -> | @0 after 0\n"
     "2: opaque | -> | @0 after 1\n"},
    {"WaitingTwiceForOneEventChangesNothing",
     [](Rig& r) {
       r.Run(r.a);
       r.Record(r.e, r.a);
       r.Wait(r.b, r.e);
       r.Wait(r.b, r.e);
       r.Run(r.b);
       r.Record(r.f, r.b);
       r.Wait(r.a, r.f);
       r.Wait(r.a, r.f);
       r.Run(r.a);
     },
     "0: opaque | -> | @0\n"
     "1: opaque | -> | @1 after 0\n"
     "2: opaque | -> | @0 after 0 1\n"},
    {"OfOneStreamsNodesOnlyTheLatestIsWaitedFor",
     [](Rig& r) {
       r.Run(r.a);
       r.Record(r.e, r.a);
       r.Run(r.a);
       r.Record(r.f, r.a);
       r.Wait(r.b, r.f);
       r.Wait(r.b, r.e);
       r.Wait(r.c, r.e);
       r.Wait(r.c, r.f);
       r.Run(r.b);
       r.Run(r.c);
       r.Record(r.e, r.b);
       r.Record(r.f, r.c);
       r.Wait(r.a, r.e);
       r.Wait(r.a, r.f);
     },
     "0: opaque | -> | @0\n"
     "1: opaque | -> | @0 after 0\n"
     "2: opaque | -> | @1 after 1\n"
     "3: opaque | -> | @2 after 1\n"},
    {"AnEventNeverWaitedForAddsNoEdge",
     [](Rig& r) {
       r.Run(r.a);
       r.Record(r.e, r.a);
       r.Run(r.a);
       r.Record(r.f, r.a);
     },
     "0: opaque | -> | @0\n"
     "1: opaque | -> | @0 after 0\n"},
    {"AStreamThatOnlyWaitedNeedsNoJoin",
     [](Rig& r) {
       r.Run(r.a);
       r.Record(r.e, r.a);
       r.Wait(r.b, r.e);
     },
     "0: opaque | -> | @0\n"},
    {"ExternalEventsAreNodes",
     [](Rig& r) {
       (void)r.recorder.WaitExternalEvent(r.a, r.e);
       r.Run(r.a);
       (void)r.recorder.RecordExternalEvent(r.f, r.a);
     },
     "0: event_wait | -> | @0\n"
     "1: opaque | -> | @0 after 0\n"
     "2: event_record | -> | @0 after 1\n"},
    {"EveryKindOfCallAndAnAllocation",
     [](Rig& r) {
       r.recorder.DeclareAllocation({0x1000, 4096});
       (void)r.recorder.FillBytes(r.a, 0x1000, 0xff, 64);
       (void)r.recorder.CopyBytes(r.a, 0x1100, 0x1000, 64);
       (void)r.recorder.HostCall(r.a);
     },
     "alloc 0x1000 4096\n"
     "0: memset | -> | @0\n"
     "1: memcpy | -> | @0 after 0\n"
     "2: host | -> | @0 after 1\n"},
};

class RecorderProgram : public ::testing::TestWithParam<Program> {};

TEST_P(RecorderProgram, GivesTheExpectedGraph) {
  Rig rig;
  GetParam().record(rig);
  const auto graph = rig.Finish();
  ASSERT_OK(graph);
  EXPECT_EQ(ToText(*graph), GetParam().graph);
  for (const Edge& edge : graph->edges()) {
    EXPECT_EQ(edge, (Edge{edge.from, edge.to, EdgeType::kFull, 0, 0}));
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, RecorderProgram, ::testing::ValuesIn(kPrograms),
                         [](const auto& p) {
                           return std::string(p.param.name);
                         });

TEST(Recorder, KeepsWhatEachCallWasGiven) {
  Rig r;
  KernelLaunch launch = Kernel();
  launch.grid = {2, 1, 1};
  launch.shared_bytes = 8;
  launch.parameters = {{0, 4}};
  launch.bytes = {1, 2, 3, 4};
  EXPECT_OK(r.recorder.Launch(r.a, launch));
  EXPECT_OK(r.recorder.CopyBytes(r.a, 0x2000, 0x1000, 48));
  EXPECT_OK(r.recorder.FillBytes(r.a, 0x3000, 0xab, 17));
  EXPECT_OK(r.recorder.WaitExternalEvent(r.a, r.f));
  const auto graph = r.Finish();
  ASSERT_OK(graph);
  EXPECT_EQ(graph->launch(NodeId{0}), launch);
  EXPECT_EQ(graph->copy(NodeId{1}),
            (Copy{.source = 0x1000, .target = 0x2000, .width_bytes = 48}));
  EXPECT_EQ(graph->fill(NodeId{2}),
            (Fill{.target = 0x3000, .width = 17, .value = 0xab}));
  EXPECT_EQ(graph->node(NodeId{3}).event, r.f);
}

}  // namespace
}  // namespace reprise
