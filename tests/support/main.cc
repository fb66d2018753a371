// gtest's main, with two more answers. When every test was skipped the program
// exits with 77, which CTest shows as "Skipped". With REPRISE_REQUIRE_GPU set,
// as on a machine that has one, a skip is a failure: nothing passes by being
// left out. A program with no test to run fails always.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kFailed = 1;
constexpr int kSkipped = 77;

int Verdict(const testing::UnitTest& unit) {
  if (unit.test_to_run_count() == 0) {
    std::fprintf(stderr, "no test to run\n");
    return kFailed;
  }
  if (unit.skipped_test_count() == 0) return 0;
  if (std::getenv("REPRISE_REQUIRE_GPU") != nullptr) {
    std::fprintf(stderr,
                 "a test was skipped, and REPRISE_REQUIRE_GPU is set\n");
    return kFailed;
  }
  return unit.successful_test_count() == 0 ? kSkipped : 0;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  return failed != 0 ? failed : Verdict(*testing::UnitTest::GetInstance());
}
