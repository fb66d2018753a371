// Rows for dead stores: which floats are dropped, and every way in which a
// reader can hide, each of which keeps them.
#include <optional>
#include <vector>

#include "tests/planner/plan_case.h"

namespace reprise::testing {
namespace {

const PlanOptions kDead = {.dead_stores = true};
const PlanOptions kNoOutput = {.dead_stores = true,
                               .outputs = std::vector<View>{}};
const PlanOptions kOutputBehind = {
    .dead_stores = true,
    .outputs = std::vector<View>{Packed(0x20fc, ElementType::kF32, 8)}};

const PlanCase kCases[] = {
    {"FloatsThatNobodyReadsAreDropped",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits and drops its floats, without n1; patches n2
edge n0 -> n2
)",
     kDead},
    {"NotUnlessAsked", R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
)"},
    {"AProducerInPlaceReadsWhatLayThereBefore",
     R"(chain
0: glu swiglu | y z -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits and drops its floats, without n1; patches n2
edge n0 -> n2
)",
     kDead},
    {"WhoOverwritesFloatsMayDropItsOwn",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: rms_norm mul | z -> y | emits=k/drops
4: quantize scratch | y -> A |
5: matvec q4_0 | a w -> p |
6: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits and drops its floats, without n1; patches n2
image arena 0+576: n3 emits and drops its floats, without n4; patches n5
edge n0 -> n2
edge n3 -> n5
)",
     kDead},
    {"AReaderOfWhatAnotherNodeLeftThereIsNone",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | o -> half |
4: other | half -> z |
5: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits and drops its floats, without n1; patches n2
edge n0 -> n2
)",
     kDead},
    {"SlackThatReachesIntoFloatsIsNoUseOfThem",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: quantize ds4 | z -> 0x1d00:q8_1:16 |
4: matvec q4_0 ds4 | 0x1d00:q8_1:2 slack:0x1d00:f32:200? w -> p |
5: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits and drops its floats, without n1; patches n2
edge n0 -> n2
decline no_producer n3
)",
     kDead},
    {"DeclaredOutputsElsewhereNeedNobodyToOverwrite",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
)",
     R"(
image arena 0+576: n0 emits and drops its floats, without n1; patches n2
edge n0 -> n2
)",
     kNoOutput},
    {"DroppedAndRelaxed",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | z -> y |
)",
     R"(
image arena 0+576: n0 emits and drops its floats, without n1; patches n2
edge n0 -> n2
)",
     {.dead_stores = true, .relax = true}},

    // Ways to hide.
    {"ANodeThatNeedsTheFloatsKeepsThem",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | y -> z |
4: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline store_is_read n0: n3
)",
     kDead},
    {"SoDoesOneThatNeedsAPart",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | half? -> z |
4: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline store_is_read n0: n3
)",
     kDead},
    {"SoDoesOneAfterAPartWasRewritten",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | o -> half |
4: other | y -> z |
5: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline store_is_read n0: n4
)",
     kDead},
    {"SoDoesACopy",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: memcpy | y -> z |
4: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline store_is_read n0: n3
)",
     kDead},
    {"SoDoesANodeInPlace",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | y o -> y |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline store_is_read n0: n3
)",
     kDead},
    {"SoDoesAQuantizerOfAnotherLayout",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: quantize ds4 scratch | y -> B |
4: matvec q4_0 ds4 | b w -> p |
5: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline no_emitting_kernel n3: n0
decline store_is_read n0: n3
)",
     kDead},
    {"SoDoesAnOpaqueNode",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | o -> 0x8000:q8_1:16 |
4: opaque | |
5: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline store_opaque_reader n0: n4
)",
     kDead},
    {"SoDoesAChildGraph",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | o -> 0x8000:q8_1:16 |
4: child_graph | |
5: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline store_opaque_reader n0: n4
)",
     kDead},
    {"SoDoesAHostCall",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | o -> 0x8000:q8_1:16 |
4: host | |
5: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline store_opaque_reader n0: n4
)",
     kDead},
    {"SoDoesAnEventThatTheOutsideMayWaitFor",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | o -> 0x8000:q8_1:16 |
4: event_record | |
5: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline store_opaque_reader n0: n4
)",
     kDead},
    {"SoDoesAReaderOnAnotherStreamInNoOrder",
     R"(
0: rms_norm mul | x -> y | @0 emits=k/drops
1: quantize scratch | y -> A | @0 after 0
2: matvec q4_0 | a w -> o | @0 after 1
3: other | o -> y | @0 after 2
4: other | y -> z | @1
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline store_is_read n0: n4
)",
     kDead},
    {"SoDoesAReaderOnAnotherStreamBehindTheProducer",
     R"(
0: rms_norm mul | x -> y | @0 emits=k/drops
1: quantize scratch | y -> A | @0 after 0
2: matvec q4_0 | a w -> o | @0 after 1
3: other | o -> y | @0 after 2
4: other | y -> z | @1 after 0
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline store_is_read n0: n4
)",
     kDead},
    {"SoDoesTheEndOfTheGraph",  // the host, or another graph, may read then
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline store_is_output n0
)",
     kDead},
    {"OneThatOverwritesAPartDoesNotHelp",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | o -> half |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline store_is_output n0
)",
     kDead},
    {"NorDoesOneThatMayOverwrite",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | o -> y? |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline store_is_output n0
)",
     kDead},
    {"SoDoesADeclaredOutputThatOverlaps",
     R"(chain
0: rms_norm mul | x -> y | emits=k/drops
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline store_is_output n0
)",
     kOutputBehind},
    {"SoDoesAReaderInTheNextReplay",
     R"(chain
0: other | y -> z |
1: rms_norm mul | x -> y | emits=k/drops
2: quantize scratch | y -> A |
3: matvec q4_0 | a w -> o |
)",
     R"(
image arena 0+576: n1 emits, without n2; patches n3
edge n1 -> n3
decline store_outlives_replay n1: n0
)",
     kNoOutput},
    {"SoDoesAnOpaqueNodeOfTheNextReplay",
     R"(chain
0: opaque | |
1: rms_norm mul | x -> y | emits=k/drops
2: quantize scratch | y -> B |
3: matvec q4_0 | b w -> o |
4: other | o -> 0x9000:q8_1:16 |
)",
     R"(
image arena 0+576: n1 emits, without n2; patches n3
edge n1 -> n3
decline store_outlives_replay n1: n0
)",
     kNoOutput},
    {"AKernelThatAlwaysStoresKeepsThem",
     R"(chain
0: rms_norm mul | x -> y | emits=k
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: other | o -> y |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline no_dropping_kernel n0
)",
     kDead},
};

class DeadStores : public ::testing::TestWithParam<PlanCase> {};

TEST_P(DeadStores, GiveThisPlan) {
  EXPECT_EQ(PlanText(GetParam()), GetParam().plan);
}

INSTANTIATE_TEST_SUITE_P(Rows, DeadStores, ::testing::ValuesIn(kCases),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace reprise::testing
