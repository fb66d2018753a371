// What the tests of device kernels share: a fixture that skips without a
// device, arrays on the device, and one call that launches and waits.
//
// A CUDA error throws, which gtest turns into a failure with the error's text.
#ifndef REPRISE_TESTS_KERNELS_ON_DEVICE_H_
#define REPRISE_TESTS_KERNELS_ON_DEVICE_H_

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/device_kernels.h"
#include "kernels/host_kernels.h"

namespace reprise {

inline void Require(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(what + ": " + cudaGetErrorString(status));
}

// Fixture: TEST_F(OnDevice, ..), or the base of a file's own fixture.
class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    const cudaError_t status = cudaGetDeviceCount(&devices);
    if (status == cudaSuccess && devices > 0) return;
    GTEST_SKIP() << "no CUDA device: " << cudaGetErrorString(status);
  }
};

// Whether this run is one of compute-sanitizer's, under which a launch takes
// fifty times as long.
inline bool Sanitized() { return std::getenv("REPRISE_SANITIZED") != nullptr; }

// Of `count` random cases, how many this run does.
inline std::int64_t Thinned(std::int64_t count) {
  return Sanitized() ? std::max<std::int64_t>(count / 50, 1) : count;
}

// An input is exactly as long as its items, so that compute-sanitizer sees a
// read past either end. An output is full of 0xFF bytes between guards of the
// same, as Guarded of guarded.h.
template <typename T>
class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit DeviceArray(std::span<const T> items)
      : size_(items.size()), guard_(0) {
    Allocate();
    Upload(items);
  }
  explicit DeviceArray(const std::vector<T>& items)
      : DeviceArray(std::span<const T>(items)) {}
  explicit DeviceArray(std::int64_t count)
      : size_(static_cast<std::size_t>(count)), guard_(kGuard) {
    Allocate();
    Require(cudaMemset(items_, 0xFF, bytes_allocated()), "cudaMemset");
    Finish();
  }
  ~DeviceArray() { EXPECT_EQ(cudaFree(items_), cudaSuccess); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() { return items_ + guard_; }
  const T* data() const { return items_ + guard_; }
  std::size_t size() const { return size_; }

  // REQUIRES: items.size() <= size().
  void Upload(std::span<const T> items) {
    if (items.empty()) return;
    Require(cudaMemcpy(data(), items.data(), items.size_bytes(),
                       cudaMemcpyHostToDevice),
            "cudaMemcpy to the device");
    Finish();
  }

  std::vector<T> Download() const { return Copy(guard_, size_); }

  bool guards_intact() const {
    return IsPoison(Copy(0, guard_)) && IsPoison(Copy(guard_ + size_, guard_));
  }
  bool untouched() const { return IsPoison(Copy(0, size_ + 2 * guard_)); }

 private:
  static constexpr std::size_t kGuard = 64;

  std::size_t bytes_allocated() const {
    return (size_ + 2 * guard_) * sizeof(T);
  }

  // A copy or a fill may return early, and no DeviceStream waits for it.
  static void Finish() {
    Require(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  }

  void Allocate() {
    void* bytes = nullptr;
    Require(cudaMalloc(&bytes, std::max<std::size_t>(bytes_allocated(), 1)),
            "cudaMalloc");
    items_ = static_cast<T*>(bytes);
  }

  std::vector<T> Copy(std::size_t first, std::size_t count) const {
    std::vector<T> items(count);
    if (count == 0) return items;
    Require(cudaMemcpy(items.data(), items_ + first, count * sizeof(T),
                       cudaMemcpyDeviceToHost),
            "cudaMemcpy from the device");
    return items;
  }

  static bool IsPoison(const std::vector<T>& items) {
    std::vector<std::uint8_t> bytes(items.size() * sizeof(T));
    std::memcpy(bytes.data(), items.data(), bytes.size());
    return std::all_of(bytes.begin(), bytes.end(),
                       [](std::uint8_t byte) { return byte == 0xFF; });
  }

  std::size_t size_;
  std::size_t guard_;
  T* items_ = nullptr;
};

// A stream that does not wait for the default one, and so can be captured.
class DeviceStream {
 public:
  DeviceStream() {
    Require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
            "cudaStreamCreateWithFlags");
  }
  ~DeviceStream() { EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess); }
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;

  cudaStream_t get() const { return stream_; }
  void Wait() const {
    Require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

 private:
  cudaStream_t stream_ = nullptr;
};

template <typename Params>
const HostKernel& KernelOf(std::string_view symbol) {
  const HostKernel* kernel = FindHostKernel(symbol);
  if (kernel == nullptr || kernel->param_bytes != sizeof(Params)) {
    throw std::logic_error("no kernel of these parameters: " +
                           std::string(symbol));
  }
  return *kernel;
}

template <typename Params>
void RunOnHost(std::string_view symbol, const Params& params) {
  KernelOf<Params>(symbol).run(&params);
}

template <typename Params>
void Launch(std::string_view symbol, const Params& params,
            Dependency dependency, cudaStream_t stream) {
  Require(LaunchOnStream(KernelOf<Params>(symbol), &params, dependency, stream),
          std::string(symbol));
}

// Whether a thread block may have all the shared memory that the launch takes.
template <typename Params>
bool FitsOnDevice(std::string_view symbol, const Params& params) {
  int device = 0;
  int most = 0;
  Require(cudaGetDevice(&device), "cudaGetDevice");
  Require(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                 device),
          "cudaDeviceGetAttribute");
  cudaFuncAttributes attributes{};
  Require(cudaFuncGetAttributes(&attributes, FindDeviceFunction(symbol)),
          std::string(symbol));
  return attributes.sharedSizeBytes +
             KernelOf<Params>(symbol).shape(&params).shared_bytes <=
         static_cast<std::size_t>(most);
}

// Launches after all earlier work and waits for the end.
template <typename Params>
void RunOnDevice(std::string_view symbol, const Params& params) {
  Launch(symbol, params, Dependency::kFull, nullptr);
  Require(cudaStreamSynchronize(nullptr), std::string(symbol));
}

// The sign and the payload of a NaN that an operation makes are each
// processor's own: all NaNs as one.
inline std::vector<float> WithOneNan(std::vector<float> values) {
  for (float& value : values) {
    if (std::isnan(value)) value = std::numeric_limits<float>::quiet_NaN();
  }
  return values;
}

// Whether two arrays have the same bytes; names the first item that differs.
// Unlike ==, it tells NaNs and zeros of both signs apart.
template <typename T>
::testing::AssertionResult SameBytes(const std::vector<T>& actual,
                                     const std::vector<T>& expected) {
  if (actual.size() != expected.size()) {
    return ::testing::AssertionFailure()
           << actual.size() << " items, not " << expected.size();
  }
  const auto [a, b] =
      std::mismatch(actual.begin(), actual.end(), expected.begin(),
                    [](const T& x, const T& y) {
                      return std::memcmp(&x, &y, sizeof x) == 0;
                    });
  if (a == actual.end()) return ::testing::AssertionSuccess();
  ::testing::AssertionResult failure = ::testing::AssertionFailure();
  failure << "item " << a - actual.begin() << " of " << actual.size() << ": ";
  for (const T* item : {&*a, &*b}) {
    std::uint8_t bytes[sizeof(T)];
    std::memcpy(bytes, item, sizeof bytes);
    failure << (item == &*a ? "" : ", not ") << ::testing::PrintToString(bytes);
  }
  return failure;
}

}  // namespace reprise

#endif  // REPRISE_TESTS_KERNELS_ON_DEVICE_H_
