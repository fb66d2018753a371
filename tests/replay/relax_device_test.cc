// Random programs on a GPU, relaxed: whatever runs side by side now, and in
// whatever order the device takes it, leaves the bytes of the original.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "absl/algorithm/container.h"
#include "replay/device_executable.h"
#include "replay/device_verifier.h"
#include "tests/kernels/on_device.h"
#include "tests/replay/device_graph.h"
#include "tests/replay/random_program.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

constexpr std::uint32_t kPrograms = 6;
constexpr std::int64_t kMemoryBytes = std::int64_t{4} << 20;

const Driver& TheDriver() {
  static const Driver& driver = **LoadDriver();
  return driver;
}

// Memory at an address that a HostMemory may start at.
class DeviceBlock {
 public:
  DeviceBlock() : bytes_(kMemoryBytes + std::int64_t{HostMemory::kAlignment}) {}

  std::uint64_t address() {
    const auto start = reinterpret_cast<std::uint64_t>(bytes_.data());
    return (start + HostMemory::kAlignment - 1) / HostMemory::kAlignment *
           HostMemory::kAlignment;
  }

 private:
  DeviceArray<std::uint8_t> bytes_;
};

// A random program, its memory and a relaxed executable of it.
class RelaxedProgram {
 public:
  RelaxedProgram(std::uint32_t seed, std::uint32_t width)
      : program_(MakeRandomProgram(seed, {.steps = 20,
                                          .on_device = true,
                                          .first_address = memory_.address()})),
        executable_(Make(seed, width)) {
    if (program_.memory.next_address() > memory_.address() + kMemoryBytes) {
      throw std::length_error("the program takes more memory than there is");
    }
    Upload();
  }

  const Outcome& outcome() const { return executable_.outcome(); }

  // As many replays, each from the start bytes with other inputs, both ways.
  void ExpectTheBytesOfTheOriginal(int replays) {
    ASSERT_OK(outcome().declined);
    ASSERT_TRUE(outcome().rewritten && outcome().plan.relaxed);
    absl::StatusOr<DeviceVerifier> verifier =
        DeviceVerifier::Create(TheDriver(), *executable_.captured());
    ASSERT_OK(verifier);
    const auto original = [&](CUstream stream) {
      return executable_.LaunchOriginal(stream);
    };
    const auto relaxed = [&](CUstream stream) {
      return executable_.Launch(stream);
    };
    for (int replay = 0; replay < replays; ++replay) {
      RefreshInputs(program_, replay, program_.memory);
      Upload();
      const Verification verification = verifier->Run(
          {original, relaxed, executable_.arena()}, stream_.get());
      ASSERT_OK(verification.step);
      const auto& difference = verification.difference;
      ASSERT_OK(difference);
      ASSERT_FALSE(difference->has_value())
          << "replay " << replay << ": "
          << ToText(*executable_.captured(), **difference) << "\n"
          << ToText(outcome().plan);
    }
  }

 private:
  DeviceExecutable Make(std::uint32_t seed, std::uint32_t width) const {
    DeviceOptions options;
    options.prepare.plan.relax = true;
    options.prepare.plan.relax_width = width;
    absl::StatusOr<DeviceExecutable> made = DeviceExecutable::Create(
        TheDriver(),
        MakeDeviceGraph(TheDriver(), program_.graph,
                        /*programmatic=*/seed % 2 == 0),
        std::move(options));
    if (!made.ok()) throw std::runtime_error(made.status().ToString());
    return *std::move(made);
  }

  // The start bytes, in order with what runs on the stream.
  void Upload() {
    for (const HostMemory::Stretch& s : program_.memory.stretches()) {
      Require(cudaMemcpyAsync(reinterpret_cast<void*>(s.allocation.address),
                              s.bytes.data(), s.bytes.size(),
                              cudaMemcpyHostToDevice, stream_.get()),
              "cudaMemcpyAsync");
    }
  }

  DeviceStream stream_;
  DeviceBlock memory_;
  RandomProgram program_;
  DeviceExecutable executable_;
};

std::size_t ProgrammaticEdges(const Plan& plan) {
  return static_cast<std::size_t>(absl::c_count_if(
      plan.added_edges,
      [](const Edge& edge) { return edge.type == EdgeType::kProgrammatic; }));
}

class RelaxedOnDevice : public OnDevice,
                        public ::testing::WithParamInterface<std::uint32_t> {};

TEST_P(RelaxedOnDevice, LeavesTheBytesOfTheOriginalInEveryReplay) {
  std::size_t programmatic = 0;
  for (std::uint32_t seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RelaxedProgram program(seed, GetParam());
    program.ExpectTheBytesOfTheOriginal(static_cast<int>(Thinned(200)));
    programmatic += ProgrammaticEdges(program.outcome().plan);
    if (HasFailure()) return;
  }
  EXPECT_GT(programmatic, kPrograms);
}

INSTANTIATE_TEST_SUITE_P(Width, RelaxedOnDevice,
                         ::testing::Values(1, 2, 4, 8, 0),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace reprise::testing
