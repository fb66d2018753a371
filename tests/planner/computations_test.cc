// Rows for pure kernels that repeat: which go, and why the others stay.
#include "tests/planner/plan_case.h"

namespace reprise::testing {
namespace {

const PlanCase kCases[] = {
    {"ARepeatGoes", R"(chain
0: other | x -> y | pure
1: other | y -> z | 
2: other | x -> y | pure
3: other | y -> o |
)",
     R"(
repeat of n0: without n2
edge n1 -> n3
)"},
    {"AllRepeatsOfOneGo", R"(chain
0: other | x w -> y | pure
1: other | x w -> y | pure
2: other | x w -> y | pure
)",
     R"(
repeat of n0: without n1 n2
)"},
    {"WhatFollowsARepeatRepeatsToo", R"(chain
0: other | x -> y | pure
1: glu swiglu | y -> z | pure
2: rms_norm mul | z -> o | pure
3: other | x -> y | pure
4: glu swiglu | y -> z | pure
5: rms_norm mul | z -> o | pure
)",
     R"(
repeat of n0: without n3
repeat of n1: without n4
repeat of n2: without n5
)"},
    {"AReaderOfARepeatedImageRepeatsToo", R"(chain
0: quantize scratch | y -> A |
1: matvec q4_0 | a w -> o | pure
2: quantize scratch | y -> A |
3: matvec q4_0 | a w -> o | pure
)",
     R"(
image in place: n0, without n2
repeat of n1: without n3
decline no_producer n0
)"},
    {"ANormThatRepeatsLeavesOneActivation", R"(chain
0: rms_norm mul | x -> y | pure emits=k
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: rms_norm mul | x -> y | pure emits=k
4: quantize scratch | y -> B |
5: matvec q4_0 | b w -> p |
)",
     R"(
image arena 0+576: n0 emits, without n1 n4; patches n2 n5
repeat of n0: without n3
edge n0 -> n2
edge n2 -> n5
)"},
    {"AllOutputsCount", R"(chain
0: other | x -> y z | pure
1: other | x -> y z | pure
2: other | w -> z |
3: other | x -> y z | pure
)",
     R"(
repeat of n0: without n1
edge n0 -> n2
decline repeat_overwritten n3: n2
)"},
    {"ABranchRepeatsWhatWasDoneBeforeTheFork", R"(
0: other | x -> y | @0 pure
1: other | y -> z | @0 after 0
2: other | x -> y | @1 pure after 0
3: other | y -> o | @1 after 2
)",
     R"(
repeat of n0: without n2
edge n0 -> n3
)"},
    {"ABridgedEdgeIsProgrammaticWhereBothSidesWere", R"(
0: other | x -> y | pure waits
1: other | x -> y | pure waits after ~0
2: other | y -> z | waits after ~1
)",
     R"(
repeat of n0: without n1
edge n0 ~> n2
)"},
    {"APlaceThatHoldsItAgainServes", R"(chain
0: other | x -> y | pure
1: other | w -> y |
2: other | x -> y | pure
3: other | x -> y | pure
)",
     R"(
repeat of n2: without n3
decline repeat_overwritten n2: n1
)"},
    {"CanBeTurnedOff",
     R"(chain
0: other | x -> y | pure
1: other | x -> y | pure
)",
     R"(
)",
     {.pure = false}},
    {"NeedsNoSharing",
     R"(chain
0: quantize scratch | y -> A |
1: quantize scratch | y -> A |
2: other | x -> z | pure
3: other | x -> z | pure
)",
     R"(
repeat of n2: without n3
decline no_producer n0
decline no_producer n1
)",
     {.sharing = false}},

    // What must not go.
    {"WhatIsNotPureStays", R"(chain
0: other | x -> y |
1: other | x -> y | pure
2: other | x -> y |
)",
     R"(
)"},
    {"AnotherKernelStays", R"(chain
0: rms_norm mul | x -> y | pure
1: rms_norm plain | x -> y | pure
)",
     R"(
)"},
    {"OtherInputsStay", R"(chain
0: other | x -> y | pure
1: other | z -> y | pure
2: other | x w -> y | pure
)",
     R"(
)"},
    {"NewInputsStay", R"(chain
0: other | x w -> y | pure
1: other | z -> x |
2: other | x w -> y | pure
)",
     R"(
)"},
    {"InputsRewrittenInPartStay", R"(chain
0: other | y -> z | pure
1: other | w -> half |
2: other | y -> z | pure
)",
     R"(
decline overlapping_write n2: n1
)"},
    {"InputsRewrittenByWhoKnowsWhomStay", R"(chain
0: other | x -> z | pure
1: opaque | |
2: other | x -> z | pure
)",
     R"(
decline opaque_node n2: n1
)"},
    {"InputsWrittenInNoOrderStay", R"(
0: other | x -> y | pure
1: other | w -> x |
2: other | x -> y | pure after 0
)",
     R"(
decline unordered_write n0: n1
decline unordered_write n2: n1
)"},
    {"OutputsRewrittenStay", R"(chain
0: other | x -> y | pure
1: other | w -> half |
2: other | x -> y | pure
)",
     R"(
decline repeat_overwritten n2: n1
)"},
    {"OutputsWrittenInNoOrderStay", R"(
0: other | x -> y | pure
1: other | w -> y |
2: other | x -> y | pure after 0
)",
     R"(
decline repeat_overwritten n2: n1
)"},
    {"OutputsElsewhereStay", R"(chain
0: other | x -> y | pure
1: other | x -> z | pure
2: other | x -> z | pure
)",
     R"(
repeat of n1: without n2
decline repeat_elsewhere n1: n0
)"},
    {"OutputsInPartStay", R"(chain
0: other | x -> y? | pure
1: other | x -> y? | pure
)",
     R"(
decline repeat_of_part n1
)"},
    {"InPlaceKernelsStay", R"(chain
0: other | x half -> y | pure
1: other | x half -> y | pure
2: other | z -> z | pure
3: other | z -> z | pure
)",
     R"(
)"},
    {"RepeatsInNoOrderStay", R"(
0: other | x -> y | pure @0
1: other | x -> y | pure @1
)",
     R"(
decline repeat_overwritten n1: n0
)"},
    // Node 2 may read before node 0 has written.
    {"ARepeatBehindAKernelThatDoesNotWaitStays", R"(
0: other | x -> y | pure
1: other | x -> y | pure after ~0
)",
     R"(
decline repeat_overwritten n1: n0
)"},
};

class PureKernel : public ::testing::TestWithParam<PlanCase> {};

TEST_P(PureKernel, GivesThisPlan) {
  EXPECT_EQ(PlanText(GetParam()), GetParam().plan);
}

INSTANTIATE_TEST_SUITE_P(Rows, PureKernel, ::testing::ValuesIn(kCases),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace reprise::testing
