// Faults reported in public: routed matrix kernels with odd expert ids.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/cases/case_program.h"
#include "tests/replay/recorded.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

using decoder::Address;
using decoder::Matrix;
using decoder::Routing;
using decoder::Rows;

constexpr std::int64_t kColumns = 64;
constexpr std::int32_t kExperts = 8;
constexpr std::int32_t kSlots = 2;

// Gate and up quantize the same tokens; down quantizes a row a slot.
class MixtureOfExperts {
 public:
  explicit MixtureOfExperts(std::int32_t tokens)
      : tokens_(tokens), x_(p_.Input(tokens, kColumns)) {
    const auto slots = static_cast<std::uint64_t>(tokens * kSlots);
    routing_ = {p_.memory().Add("ids", slots * 4 + 4).address,
                p_.memory().Add("weights", slots * 4 + 4).address, tokens,
                kSlots};
  }

  CaseProgram& program() { return p_; }
  const Rows& x() const { return x_; }
  const Routing& routing() const { return routing_; }

  void RecordRouter() {
    const Rows logits = p_.QuantizeAndProject(x_);
    p_.Launch(
        decoder::RouteCall({logits.address, tokens_, kExperts}, routing_));
  }

  void RecordExperts() {
    const Rows gate = Routed(x_, 1);
    const Rows up = Routed(x_, 1);
    const Rows hidden = p_.Buffer(1, tokens_ * kSlots * 8);
    p_.Launch(decoder::GluCall("swiglu", Flat(gate), Flat(up), hidden));
    const Rows wide = p_.Buffer(tokens_ * kSlots, kColumns);
    EXPECT_OK(p_.recorder().CopyBytes(
        p_.recorder().origin(), wide.address, hidden.address,
        static_cast<std::uint64_t>(hidden.columns) * 4));
    const Rows norm = p_.Buffer(wide.rows, kColumns);
    p_.Norm(wide, norm);
    Routed(norm, kSlots);
  }

 private:
  static Rows Flat(const Rows& rows) {
    return {rows.address, 1, rows.rows * rows.columns};
  }

  Rows Routed(const Rows& x, std::int32_t image_rows) {
    const Address image = p_.ImagePlace(x);
    const Matrix weights = p_.Weights(kColumns, kExperts);
    p_.Quantize(x, image);
    const Rows out = p_.Buffer(tokens_ * kSlots, weights.rows);
    p_.Launch(
        decoder::RoutedMatVecCall(weights, image, image_rows, routing_, out));
    return out;
  }

  CaseProgram p_;
  std::int32_t tokens_;
  Rows x_;
  Routing routing_;
};

// Two quantizers of the tokens become one, and the norm writes the third.
void ExpectSameBytesWith(const std::vector<std::int32_t>& ids) {
  MixtureOfExperts moe(static_cast<std::int32_t>(ids.size()) / kSlots);
  moe.RecordExperts();
  CaseOptions options;
  options.refresh = [&](int, HostMemory& memory) {
    std::vector<std::uint8_t> bytes(ids.size() * sizeof(std::int32_t));
    std::memcpy(bytes.data(), ids.data(), bytes.size());
    EXPECT_OK(memory.Write(moe.routing().ids, bytes));
  };
  const CaseRun run = RunCase(moe.program(), options);
  EXPECT_EQ(run.quantizers(), 1u);
  EXPECT_EQ(run.emitting(), 1u);
}

TEST(PublicCase, D24_IdsThatNameNoExpertLeaveTheSameBytes) {
  ExpectSameBytesWith({-1, 0, 3, kExperts, INT32_MIN, INT32_MAX});
}

TEST(PublicCase, D25_OneExpertTwiceForATokenLeavesTheSameBytes) {
  ExpectSameBytesWith({3, 3});
  ExpectSameBytesWith({3, 3, 3, 3, 7, 7});
}

TEST(PublicCase, D26_ARowOfNansIsRoutedAndQuantizedAsBefore) {
  MixtureOfExperts moe(3);
  moe.RecordRouter();
  moe.RecordExperts();
  CaseOptions options;
  options.refresh = [&](int, HostMemory& memory) {
    const std::vector<float> nans(kColumns,
                                  std::numeric_limits<float>::quiet_NaN());
    EXPECT_OK(memory.Write(moe.x().address + kColumns * 4, BytesOf(nans)));
  };
  const CaseRun run = RunCase(moe.program(), options);
  EXPECT_EQ(run.quantizers(), 1u);  // the router's, for gate and up as well
  EXPECT_EQ(run.emitting(), 1u);
}

TEST(PublicCase, D27_ExpertsWithoutRowsLeaveTheSameBytes) {
  ExpectSameBytesWith({2, 5, 5, 2, 2, 5, 5, 2});
}

TEST(PublicCase, D27_NoTokensMakeNoImage) {
  MixtureOfExperts moe(0);
  moe.RecordExperts();
  const CaseRun run = RunCase(moe.program());
  EXPECT_TRUE(run.plan.empty());
  EXPECT_EQ(run.plan.arena.bytes, 0u);
  EXPECT_EQ(run.declined(DeclineReason::kUnsupportedSource), 3);
}

}  // namespace
}  // namespace reprise::testing
