// Rows for sharing and placement: which quantizers go, and where the image is.
#include "tests/planner/plan_case.h"

namespace reprise::testing {
namespace {

const PlanOptions kSharingOnly = {.emission = false};

const PlanCase kCases[] = {
    {"RepeatedQuantizerAtTheSamePlaceGoes", R"(chain
0: other | x -> y |
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: quantize scratch | y -> A |
4: matvec q4_0 | a w -> p |
)",
     R"(
image in place: n1, without n3
edge n2 -> n4
)",
     kSharingOnly},
    {"ThreeReadersShareOne", R"(chain
0: quantize scratch | y -> A |
1: matvec q4_0 | a w -> o |
2: quantize scratch | y -> A |
3: matvec q8_0 | a w -> p |
4: quantize scratch | y -> A |
5: routed_matvec q4_k | a w -> z |
)",
     R"(
image in place: n0, without n2 n4
edge n1 -> n3
edge n3 -> n5
)",
     kSharingOnly},
    {"ImagesAtTwoPlacesMoveToTheArena", R"(chain
0: quantize scratch | y -> A |
1: matvec q4_0 | a w -> o |
2: quantize scratch | y -> B |
3: matvec q4_0 | b w -> p |
)",
     R"(
image arena 0+576: n0, without n2; patches n1 n3
edge n1 -> n3
)",
     kSharingOnly},
    {"AnImageOverwrittenInBetweenMovesToTheArena", R"(chain
0: quantize scratch | y -> A |
1: matvec q4_0 | a w -> o |
2: quantize scratch | z -> A |
3: matvec q4_0 | a w -> x |
4: quantize scratch | y -> A |
5: matvec q4_0 | a w -> p |
)",
     R"(
image arena 0+576: n0, without n4; patches n1 n5
edge n3 -> n5
)",
     kSharingOnly},
    {"BranchesBehindAnEventShareTheQuantizerBeforeTheFork", R"(
0: other | x -> y | @0
1: quantize scratch | y -> A | @0 after 0
2: matvec q4_0 | a w -> o | @0 after 1
3: quantize scratch | y -> B | @1 after 0
4: matvec q4_0 | b w -> p | @1 after 3
5: other | o p -> z | @0 after 2 4
)",
     R"(
image arena 0+576: n1, without n3; patches n2 n4
edge n1 -> n4
)",
     kSharingOnly},
    {"AQuantizerBehindOtherWorkMovesBeforeTheFork", R"(
0: other | x -> y | @0
1: other | x -> z | @0 after 0
2: quantize scratch | y -> A | @0 after 1
3: matvec q4_0 | a w -> o | @0 after 2
4: quantize scratch | y -> B | @1 after 0
5: matvec q4_0 | b w -> p | @1 after 4
)",
     R"(
image arena 0+576: n2 after n0, without n4; patches n3 n5
edge n0 -> n2
edge n1 -> n3
edge n2 -> n5
)",
     kSharingOnly},
    {"WithoutPlacementItStays",
     R"(
0: other | x -> y | @0
1: other | x -> z | @0 after 0
2: quantize scratch | y -> A | @0 after 1
3: matvec q4_0 | a w -> o | @0 after 2
4: quantize scratch | y -> B | @1 after 0
5: matvec q4_0 | b w -> p | @1 after 4
)",
     R"(
decline placement_disabled n4: n2
)",
     {.placement = false, .emission = false}},
    {"AViewMadeInsideABranchIsSharedAfterTheJoin", R"(
0: other | x -> z | @0
1: other | x -> y | @1 after 0
2: quantize scratch | y -> A | @1 after 1
3: matvec q4_0 | a w -> o | @1 after 2
4: other | z -> x | @0 after 0 3
5: quantize scratch | y -> B | @0 after 4
6: matvec q4_0 | b w -> p | @0 after 5
)",
     R"(
image arena 0+576: n2, without n5; patches n3 n6
edge n4 -> n6
)",
     kSharingOnly},
    {"ABridgedEdgeIsProgrammaticWhereBothSidesWere", R"(
0: quantize scratch | y -> A | waits
1: matvec q4_0 | a w -> o | waits after ~0
2: quantize scratch | y -> A | waits after ~1
3: matvec q4_0 | a w -> p | waits after ~2
)",
     R"(
image in place: n0, without n2
edge n1 ~> n3
)",
     kSharingOnly},
    {"ABridgedEdgeIsFullWhereOneSideWas", R"(
0: quantize scratch | y -> A | waits
1: matvec q4_0 | a w -> o | waits after ~0
2: quantize scratch | y -> A | waits after 1
3: matvec q4_0 | a w -> p | waits after ~2
)",
     R"(
image in place: n0, without n2
edge n1 -> n3
)",
     kSharingOnly},
    {"SharingCanBeTurnedOff",
     R"(chain
0: quantize scratch | y -> A |
1: matvec q4_0 | a w -> o |
2: quantize scratch | y -> A |
3: matvec q4_0 | a w -> p |
)",
     R"(
)",
     {.sharing = false, .emission = false}},

    // Other layouts than q8_1.
    {"QuantizersShareInOneLayout", R"(chain
0: quantize ds4 scratch | y -> A |
1: matvec q4_0 ds4 | a w -> o |
2: quantize d4 scratch | y -> B |
3: matvec q8_0 d4 | b w -> p |
4: quantize ds4 scratch | y -> B |
5: routed_matvec q4_k ds4 | b w -> z |
)",
     R"(
image arena 0+576: n0, without n4; patches n1 n5
edge n3 -> n5
)",
     kSharingOnly},
    {"AReaderInAnotherLayoutKeepsTheImage", R"(chain
0: quantize ds4 scratch | y -> A |
1: matvec q4_0 ds4 | a w -> o |
2: quantize ds4 scratch | y -> B |
3: matvec q4_0 d4 | b w -> p |
)",
     R"(
decline unknown_reader n2: n3
)",
     kSharingOnly},
    {"RowsPaddedTo64AreOneImage", R"(chain
view rows = 0x2000:f32:64x9
view C = 0x100000:byte:5120
view D = 0x200000:byte:5120
0: quantize q8_0_pad40 scratch | rows -> C |
1: matvec q4_0 q8_0_pad40 | C w -> o |
2: quantize q8_0_pad40 scratch | rows -> D |
3: matvec q4_0 q8_0_pad40 | D w -> p |
)",
     R"(
image arena 0+5120: n0, without n2; patches n1 n3
edge n1 -> n3
)",
     kSharingOnly},
    {"TheTilesOfAnImageAreNotMadeOfItsRows", R"(chain
view rows = 0x2000:f32:64x9
view C = 0x100000:byte:5120
view T = 0x200000:byte:4608
0: quantize q8_0_pad40 scratch | rows -> C |
1: matvec q4_0 q8_0_pad40 | C w -> o |
2: quantize q8_0_pad40_t scratch | rows -> T |
3: matvec q4_0 q8_0_pad40_t | T w -> p |
)",
     R"(
)",
     kSharingOnly},
    {"TheArenaHoldsTheSlackThatAReaderLoads", R"(chain
0: quantize ds4 scratch | y -> A |
1: matvec q4_0 ds4 | a slack:0x8000:f32:180? w -> o |
2: quantize ds4 scratch | y -> B |
3: matvec q4_0 ds4 | b w -> p |
)",
     R"(
image arena 0+720: n0, without n2; patches n1 n3
edge n1 -> n3
)",
     kSharingOnly},
    {"SlackIsNoUseOfTheImageThatItReachesInto", R"(chain
0: quantize ds4 scratch | y -> A |
1: quantize ds4 scratch | z -> 0x8240:q8_1:16 |
2: matvec q4_0 ds4 | a slack:0x8000:f32:180? w -> o |
3: matvec q4_0 ds4 | 0x8240:q8_1:2 w -> p |
4: quantize ds4 scratch | z -> B |
5: matvec q4_0 ds4 | b w -> x |
)",
     R"(
image arena 0+576: n1, without n4; patches n3 n5
edge n3 -> n5
)",
     kSharingOnly},
    {"SlackBeforeTheImageCannotComeAlong", R"(chain
0: quantize ds4 scratch | y -> A |
1: matvec q4_0 ds4 | a slack:0x7f00:f32:180? w -> o |
2: quantize ds4 scratch | y -> B |
3: matvec q4_0 ds4 | b w -> p |
)",
     R"(
decline unknown_reader n0: n1
)",
     kSharingOnly},
    {"RoutedQuantizersOfTheSameNumbersShare", R"(chain
view i = 0xb000:i32:8
0: quantize ds4 scratch | y ids:i -> A |
1: routed_matvec q4_k ds4 | a w -> o |
2: quantize ds4 scratch | y ids:i -> A |
3: routed_matvec q4_k ds4 | a w -> p |
)",
     R"(
image in place: n0, without n2
edge n1 -> n3
)",
     kSharingOnly},
    {"RowsOfASourceThatIsOnlyBoundedShareToo", R"(chain
view i = 0xb000:i32:8
0: quantize ds4 scratch | y? ids:i -> A |
1: routed_matvec q4_k ds4 | a w -> o |
2: quantize ds4 scratch | y? ids:i -> A |
3: routed_matvec q4_k ds4 | a w -> p |
)",
     R"(
image in place: n0, without n2
edge n1 -> n3
)",
     kSharingOnly},
    {"NewNumbersPickOtherRows", R"(chain
view i = 0xb000:i32:8
0: quantize ds4 scratch | y ids:i -> A |
1: routed_matvec q4_k ds4 | a w -> o |
2: other | x -> i |
3: quantize ds4 scratch | y ids:i -> A |
4: routed_matvec q4_k ds4 | a w -> p |
)",
     R"(
)",
     kSharingOnly},
    {"NumbersAtTwoPlacesPickWhoKnowsWhat", R"(chain
view i = 0xb000:i32:8
view j = 0xc000:i32:8
0: quantize ds4 scratch | y ids:i -> A |
1: routed_matvec q4_k ds4 | a w -> o |
2: quantize ds4 scratch | y ids:j -> A |
3: routed_matvec q4_k ds4 | a w -> p |
4: quantize ds4 scratch | y -> A |
5: matvec q4_k ds4 | a w -> x |
)",
     R"(
)",
     kSharingOnly},
    {"ARoutedQuantizerThatMovesWaitsForItsNumbersToo", R"(
view i = 0xb000:i32:8
0: other | x -> y | @0
1: other | y -> i | @0 after 0
2: other | x -> z | @0 after 1
3: quantize ds4 scratch | y ids:i -> A | @0 after 2
4: routed_matvec q4_0 ds4 | a w -> o | @0 after 3
5: quantize ds4 scratch | y ids:i -> B | @1 after 1
6: routed_matvec q4_0 ds4 | b w -> p | @1 after 5
)",
     R"(
image arena 0+576: n3 after n1, without n5; patches n4 n6
edge n1 -> n3
edge n2 -> n4
edge n3 -> n6
)",
     kSharingOnly},

    // What must not be shared.
    {"NewContentsAreAnotherActivation", R"(chain
0: quantize scratch | y -> A |
1: matvec q4_0 | a w -> o |
2: other | x -> y |
3: quantize scratch | y -> A |
4: matvec q4_0 | a w -> p |
)",
     R"(
)",
     kSharingOnly},
    {"APartialRewriteInBetweenDeclines", R"(chain
0: quantize scratch | y -> A |
1: matvec q4_0 | a w -> o |
2: other | x -> half |
3: quantize scratch | y -> A |
4: matvec q4_0 | a w -> p |
)",
     R"(
decline overlapping_write n3: n2
)",
     kSharingOnly},
    {"AnOpaqueNodeInBetweenDeclines", R"(chain
0: quantize scratch | y -> A |
1: matvec q4_0 | a w -> o |
2: opaque | |
3: quantize scratch | y -> A |
4: matvec q4_0 | a w -> p |
)",
     R"(
decline opaque_node n3: n2
)",
     kSharingOnly},
    {"AWriteInNoOrderDeclines", R"(
0: quantize scratch | y -> A |
1: matvec q4_0 | a w -> o | after 0
2: other | x -> y |
3: quantize scratch | y -> A | after 1
4: matvec q4_0 | a w -> p | after 3
)",
     R"(
decline unordered_write n0: n2
decline unordered_write n3: n2
)",
     kSharingOnly},
    {"AnImageThatIsAnOutputStays", R"(chain
0: quantize scratch | y -> A |
1: matvec q4_0 | a w -> o |
2: quantize | y -> B |
3: matvec q4_0 | b w -> p |
)",
     R"(
decline image_is_output n2
)",
     kSharingOnly},
    {"AnImageThatSomethingElseReadsStays", R"(chain
0: quantize scratch | y -> A |
1: matvec q4_0 | a w -> o |
2: quantize scratch | y -> B |
3: other | b -> p |
)",
     R"(
decline unknown_reader n2: n3
)",
     kSharingOnly},
    {"AnImageThatAnOpaqueNodeMayReadStays", R"(chain
0: quantize scratch | y -> A |
1: matvec q4_0 | a w -> o |
2: quantize scratch | y -> B |
3: matvec q4_0 | b w -> p |
4: opaque | |
)",
     R"(
decline opaque_reader n0: n4
decline opaque_reader n2: n4
)",
     kSharingOnly},
    {"AnImageThatTheNextReplayMayReadStays", R"(chain
0: matvec q4_0 | b w -> z |
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: quantize scratch | y -> B |
4: matvec q4_0 | b w -> p |
)",
     R"(
decline image_outlives_replay n3: n0
)",
     kSharingOnly},
    {"RowsOfAnotherLengthAreAnotherImage", R"(chain
view rows = 0x2000:f32:32x2
0: quantize scratch | y -> A |
1: matvec q4_0 | a w -> o |
2: quantize scratch | rows -> 0xa000:q8_1:16x2 |
3: matvec q4_0 | 0xa000:q8_1:1x2/36,576 w -> p |
)",
     R"(
)",
     kSharingOnly},
    {"BlocksThatAreNotWholeDecline", R"(chain
0: quantize scratch | 0x2000:f32:48 -> A |
1: matvec q4_0 | a w -> o |
2: quantize scratch | 0x2000:f32:48 -> A |
3: matvec q4_0 | a w -> p |
)",
     R"(
decline unsupported_source n0
decline unsupported_source n2
)",
     kSharingOnly},
    {"StridedColumnsDecline", R"(chain
0: quantize scratch | 0x2000:f32:64/8 -> A |
1: matvec q4_0 | a w -> o |
)",
     R"(
decline unsupported_source n0
)",
     kSharingOnly},
};

class Sharing : public ::testing::TestWithParam<PlanCase> {};

TEST_P(Sharing, GivesThisPlan) {
  EXPECT_EQ(PlanText(GetParam()), GetParam().plan);
}

INSTANTIATE_TEST_SUITE_P(Rows, Sharing, ::testing::ValuesIn(kCases),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace reprise::testing
