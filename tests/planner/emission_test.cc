// Rows for emission: which producers write the image themselves, and every
// reason for which they do not.
#include "tests/planner/plan_case.h"

namespace reprise::testing {
namespace {

const PlanOptions kProven = {.event_branches = EventBranches::kProven};
const PlanOptions kClaimed = {.claimed_producers = {NodeId{0}}};

const PlanCase kCases[] = {
    {"ANormWritesTheImageOfItsOutput", R"(chain
0: rms_norm mul | x -> y | emits=k
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
)"},
    {"AGluWritesTheImageForAllItsReaders", R"(chain
0: glu swiglu | x z -> y | emits=k
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: quantize scratch | y -> B |
4: routed_matvec q8_0 | b w -> p |
)",
     R"(
image arena 0+576: n0 emits, without n1 n3; patches n2 n4
edge n0 -> n2
edge n2 -> n4
)"},
    {"ANormInPlaceMayEmit", R"(chain
0: rms_norm plain | y -> y | emits=k
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
)"},
    {"EmissionCanBeTurnedOff",
     R"(chain
0: rms_norm mul | x -> y | emits=k
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
)",
     R"(
)",
     {.emission = false}},
    {"ImagesThatLiveOneAfterTheOtherShareTheirBytes", R"(chain
0: rms_norm mul | x -> y | emits=k
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> z |
3: rms_norm mul | z -> x | emits=k
4: quantize scratch | x -> A |
5: matvec q4_0 | a w -> o |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
image arena 0+576: n3 emits, without n4; patches n5
edge n0 -> n2
edge n3 -> n5
)"},

    {"AKernelForTheLayoutOfTheImageIsTaken", R"(chain
0: rms_norm mul | x -> y | emits=k emits=k_ds4/ds4
1: quantize ds4 scratch | y -> A |
2: matvec q4_0 ds4 | a w -> o |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
)"},
    {"TheArenaHoldsTheSlackBehindAnEmittedImage", R"(chain
0: rms_norm mul | x -> y | emits=k_ds4/ds4
1: quantize ds4 scratch | y -> A |
2: matvec q4_0 ds4 | a slack:0x8000:f32:180? w -> o |
)",
     R"(
image arena 0+720: n0 emits, without n1; patches n2
edge n0 -> n2
)"},
    {"PaddedRowsAreTheProducersToWrite", R"(chain
view rows = 0x20000:f32:64x65
view T = 0x200000:byte:9216
0: rms_norm mul | 0x10000:f32:64x65 -> rows | emits=k_t/q8_0_pad40_t
1: quantize q8_0_pad40_t scratch | rows -> T |
2: matvec q4_0 q8_0_pad40_t | T w -> o |
)",
     R"(
image arena 0+9216: n0 emits, without n1; patches n2
edge n0 -> n2
)"},
    {"TheImageOfOneLayoutIsEmittedAndTheOtherKept", R"(chain
0: rms_norm mul | x -> y | emits=k emits=k_ds4/ds4
1: quantize ds4 scratch | y -> A |
2: matvec q4_0 ds4 | a w -> o |
3: quantize scratch | y -> B |
4: matvec q4_0 | b w -> p |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline producer_claimed n3: n0
)"},

    // Reasons.
    {"AKernelForAnotherLayoutIsNone", R"(chain
0: rms_norm mul | x -> y | emits=k emits=k_d4/d4
1: quantize ds4 scratch | y -> A |
2: matvec q4_0 ds4 | a w -> o |
)",
     R"(
decline no_emitting_kernel n1: n0
)"},
    {"AnImageWithoutItsPaddedRowsDeclines", R"(chain
view rows = 0x20000:f32:64x65
view T = 0x200000:byte:4680
0: rms_norm mul | 0x10000:f32:64x65 -> rows | emits=k_t/q8_0_pad40_t
1: quantize q8_0_pad40_t scratch | rows -> T |
2: matvec q4_0 q8_0_pad40_t | T w -> o |
)",
     R"(
decline not_canonical_image n1: n0
)"},
    {"RowsThatNumbersPickAreNoProducersToKnow", R"(chain
0: rms_norm mul | x -> y | emits=k_ds4/ds4
1: quantize ds4 scratch | y ids:0xb000:i32:8 -> A |
2: routed_matvec q4_0 ds4 | a w -> o |
)",
     R"(
decline routed_image n1: n0
)"},
    {"ContentsFromOutsideHaveNoProducer", R"(chain
0: quantize scratch | y -> A |
1: matvec q4_0 | a w -> o |
)",
     R"(
decline no_producer n0
)"},
    {"TwoWritersDecline", R"(chain
0: rms_norm mul | x -> y | emits=k
1: other | x -> half |
2: quantize scratch | y -> A |
3: matvec q4_0 | a w -> o |
)",
     R"(
decline several_writers n2: n1
)"},
    {"AMatrixProductIsNoProducer", R"(chain
0: matvec q4_0 | b w -> y |
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
)",
     R"(
decline not_a_producer n1: n0
)"},
    {"ANormWithoutAnEmittingKernelDeclines", R"(chain
0: rms_norm mul | x -> y |
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
)",
     R"(
decline no_emitting_kernel n1: n0
)"},
    {"AKernelThatWasRefutedIsNotUsed", R"(chain
0: rms_norm mul | x -> y | refuted=k
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: quantize scratch | y -> B |
4: matvec q4_0 | b w -> p |
)",
     R"(
image arena 0+576: n1, without n3; patches n2 n4
edge n2 -> n4
decline probe_mismatch n1: n0
)"},
    {"AClaimedProducerIsLeftAlone", R"(chain
0: rms_norm mul | x -> y | emits=k
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
)",
     R"(
decline producer_claimed n1: n0
)",
     kClaimed},
    {"AnImageIsEmittedOncePerProducer", R"(chain
view rows = 0x2000:f32:64
0: rms_norm mul | x -> y | emits=k
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: quantize scratch | y -> 0xa000:q8_1:4x4 |
4: matvec q4_0 | 0xa000:q8_1:2 w -> p |
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
decline producer_claimed n3: n0
)"},
    {"AReaderBehindAnEventKeepsTheQuantizer", R"(
0: rms_norm mul | x -> y | emits=k @0
1: quantize scratch | y -> A | @1 after 0
2: matvec q4_0 | a w -> o | @1 after 1
)",
     R"(
decline event_branch n1: n1
)"},
    {"ProvenBranchesMayUseTheProducersImage", R"(
0: rms_norm mul | x -> y | emits=k @0
1: quantize scratch | y -> A | @1 after 0
2: matvec q4_0 | a w -> o | @1 after 1
)",
     R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
)",
     kProven},
    {"OneQuantizerBeforeTheForkServesEventBranches", R"(
0: rms_norm mul | x -> y | emits=k @0
1: quantize scratch | y -> A | @0 after 0
2: matvec q4_0 | a w -> o | @0 after 1
3: quantize scratch | y -> B | @1 after 0
4: matvec q4_0 | b w -> p | @1 after 3
)",
     R"(
image arena 0+576: n1, without n3; patches n2 n4
edge n1 -> n4
decline event_branch n1: n3
)"},
    {"AnOutputThatPartlyOverlapsItsInputDeclines", R"(chain
0: rms_norm mul | 0x2040:f32:64 -> y | emits=k
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
)",
     R"(
decline partial_overlap n1: n0
)"},
    {"AnImageWithoutPaddingDeclines", R"(chain
0: rms_norm mul | x -> y | emits=k
1: quantize scratch | y -> a |
2: matvec q4_0 | a w -> o |
)",
     R"(
decline not_canonical_image n1: n0
)"},
    {"PartOfAnOutputDeclines", R"(chain
0: rms_norm mul | x -> y | emits=k
1: quantize scratch | half -> A |
2: matvec q4_0 | 0x8000:q8_1:1 w -> o |
)",
     R"(
decline not_canonical_output n1: n0
)"},
    {"AnImageThatMustStayKeepsItsQuantizer", R"(chain
0: rms_norm mul | x -> y | emits=k
1: quantize | y -> A |
2: matvec q4_0 | a w -> o |
)",
     R"(
decline image_is_output n1
)"},
    {"AKernelThatDropsThePromiseToWaitIsNoEmittingKernel", R"(chain
0: rms_norm mul | x -> y | waits emits=k
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
)",
     R"(
decline no_emitting_kernel n1: n0
)"},
};

class Emission : public ::testing::TestWithParam<PlanCase> {};

TEST_P(Emission, GivesThisPlan) {
  EXPECT_EQ(PlanText(GetParam()), GetParam().plan);
}

INSTANTIATE_TEST_SUITE_P(Rows, Emission, ::testing::ValuesIn(kCases),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace reprise::testing
