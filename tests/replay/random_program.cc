#include "tests/replay/random_program.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "examples/decoder/kernel_calls.h"
#include "examples/decoder/random_weights.h"
#include "kernels/block_q8_1.h"
#include "tests/replay/race_free_recorder.h"
#include "tests/replay/recorded.h"

namespace reprise::testing {
namespace {

using decoder::Matrix;
using decoder::Routing;
using decoder::Rows;

constexpr std::uint64_t kFloatBytes = 16 * 1024;
constexpr std::uint64_t kScratchBytes = 8 * 1024;
constexpr std::uint64_t kImagePlaces = 2304;  // bytes from one to the next
constexpr std::int32_t kExperts = 4;
constexpr std::int64_t kMatrixRows = 16;
constexpr std::int64_t kWidths[] = {32, 64, 96, 256};
constexpr WeightFormat kFormats[] = {WeightFormat::kQ4_0, WeightFormat::kQ8_0};

std::uint64_t FloatBytes(std::int64_t count) {
  return sizeof(float) * static_cast<std::uint64_t>(count);
}

Range RangeOf(const Rows& rows, bool writes) {
  if (rows.address == 0) return {};
  const std::int64_t last = (rows.rows - 1) * rows.row_stride();
  return {rows.address, rows.address + FloatBytes(last + rows.columns), writes};
}

struct Image {
  std::uint64_t address = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  Range Touched(bool writes) const {
    const auto bytes = static_cast<std::uint64_t>(ImageBytes(columns, rows, 1));
    return {address, address + bytes, writes};
  }
};

bool Overlap(const Range& a, const Range& b) {
  return a.begin < b.end && b.begin < a.end;
}

// The last range is written, the others are read.
bool WritesPartOfItsInput(const std::vector<Range>& touched) {
  const Range& written = touched.back();
  return std::any_of(
      touched.begin(), touched.end() - 1, [&](const Range& read) {
        return Overlap(read, written) &&
               (read.begin != written.begin || read.end != written.end);
      });
}

class Generator {
 public:
  Generator(std::uint32_t seed, const RandomProgramOptions& options)
      : options_(options), random_(seed), recorder_(1 + Pick(3)) {
    memory() = HostMemory(options.first_address);
    program_.inputs = memory().Add("inputs", 4096);
    floats_ = AddRandom("floats", kFloatBytes);
    scratch_ = AddRandom("scratch", kScratchBytes);
    ids_ = memory().Add("ids", 64 * sizeof(std::int32_t)).address;
    for (std::int64_t columns : kWidths) {
      for (WeightFormat format : kFormats) {
        Matrix matrix{0, format, kMatrixRows, columns, kExperts};
        const auto bytes = RandomBlocks(random_, matrix);
        matrix.address = memory().Add("matrix", bytes.size()).address;
        memory().Write(matrix.address, bytes).IgnoreError();
        matrices_.push_back(matrix);
      }
    }
    tensors_.push_back({program_.inputs.address, 2, 64});
    tensors_.push_back({program_.inputs.address + 512, 1, 256});
    FillIds();
  }

  RandomProgram Make() && {
    const std::size_t few = 3 + Pick(6);
    const std::size_t steps = options_.steps > 0 ? options_.steps : few;
    for (std::size_t i = 0; i < steps; ++i) {
      if (i == 0 || Chance(50)) Chain();
      Noise();
    }
    program_.graph = *Finish(recorder_.Join(), memory());
    return std::move(program_);
  }

 private:
  HostMemory& memory() { return program_.memory; }

  std::size_t Pick(std::size_t below) { return random_() % below; }
  bool Chance(std::size_t percent) { return Pick(100) < percent; }
  std::size_t Stream() { return Pick(recorder_.num_streams()); }

  std::uint64_t AddRandom(std::string name, std::uint64_t bytes) {
    const std::uint64_t address = memory().Add(std::move(name), bytes).address;
    memory()
        .Write(address,
               decoder::RandomFloats(
                   random_, static_cast<std::int64_t>(bytes / 4), -2, 2))
        .IgnoreError();
    return address;
  }

  // Ids of experts, some of them of none.
  void FillIds() {
    std::vector<std::uint8_t> bytes(64 * sizeof(std::int32_t));
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::int32_t)) {
      bytes[i] = static_cast<std::uint8_t>(Pick(kExperts + 1));
    }
    memory().Write(ids_, bytes).IgnoreError();
  }

  // A place for `bytes`: few enough places that tensors meet, some of them
  // half over another.
  std::uint64_t PlaceIn(std::uint64_t base, std::uint64_t region,
                        std::uint64_t bytes, std::uint64_t step) {
    return base + Pick((region - bytes) / step + 1) * step;
  }

  Rows NewRows(std::int64_t rows, std::int64_t columns) {
    const std::uint64_t bytes = FloatBytes(rows * columns);
    const std::uint64_t step = Chance(20) ? 128 : 2048;
    return {PlaceIn(floats_, kFloatBytes, bytes, step), rows, columns};
  }

  const Rows& SomeTensor() {
    const std::size_t recent = std::min<std::size_t>(tensors_.size(), 4);
    return tensors_[tensors_.size() - 1 - Pick(recent)];
  }

  // A tensor of that shape: one that exists, or whatever lies somewhere.
  Rows Like(const Rows& shape) {
    for (int i = 0; i < 4; ++i) {
      const Rows& tensor = SomeTensor();
      if (tensor.rows == shape.rows && tensor.columns == shape.columns) {
        return tensor;
      }
    }
    return NewRows(shape.rows, shape.columns);
  }

  // Now and then a program does the same twice.
  void Issue(std::size_t stream, const decoder::KernelCall& call,
             const std::vector<Range>& touched) {
    recorder_.Launch(stream, call, touched);
    if (!Chance(8)) return;
    if (Chance(30)) Noise();
    recorder_.Launch(Chance(80) ? stream : Stream(), call, touched);
  }

  void Launch(std::size_t stream, const decoder::KernelCall& call,
              const std::vector<Rows>& read, const Rows& written) {
    std::vector<Range> touched;
    for (const Rows& rows : read) touched.push_back(RangeOf(rows, false));
    touched.push_back(RangeOf(written, true));
    if (options_.on_device && WritesPartOfItsInput(touched)) return;
    Issue(stream, call, touched);
    tensors_.push_back(written);
  }

  Rows OutputFor(const Rows& x) {
    return Chance(25) && x.row_stride() == x.columns
               ? x
               : NewRows(x.rows, x.columns);
  }

  void Norm(std::size_t stream) {
    static constexpr const char* kForms[] = {"", "_mul", "_mul_add", "_scale"};
    const std::size_t form = Pick(4);
    const Rows x = SomeTensor();
    const bool mul = form == 1 || form == 2;
    const Rows multiplier = mul ? Like({0, 1, x.columns}) : Rows{};
    const Rows addend = form == 2 ? Like(x) : Rows{};
    const Rows out = OutputFor(x);
    Launch(stream, RmsNormCall(kForms[form], x, multiplier, addend, 1e-5f, out),
           {x, multiplier, addend}, out);
  }

  void Glu(std::size_t stream) {
    static constexpr const char* kForms[] = {
        "reglu",       "geglu",      "swiglu",      "geglu_erf",
        "geglu_quick", "swiglu_oai", "swiglu_clamp"};
    const Rows gate = SomeTensor();
    const Rows up = Like(gate);
    const Rows out = OutputFor(gate);
    Launch(stream, GluCall(kForms[Pick(7)], gate, up, out), {gate, up}, out);
  }

  void Add(std::size_t stream) {
    Rows a = SomeTensor();
    a.stride = 0;
    const Rows b = Like(a);
    const Rows out = OutputFor(a);
    Launch(stream, AddCall(a, b, out), {a, b}, out);
  }

  void Transfer(std::size_t stream) {
    const std::uint64_t bytes = FloatBytes(32) << Pick(3);
    const std::uint64_t target =
        Chance(85) ? PlaceIn(floats_, kFloatBytes, bytes, 512)
                   : PlaceIn(scratch_, kScratchBytes, bytes, 576);
    if (Chance(40)) {
      recorder_.FillBytes(stream, target, static_cast<std::uint8_t>(Pick(4)),
                          bytes);
      return;
    }
    const std::uint64_t source =
        Chance(80) ? PlaceIn(floats_, kFloatBytes, bytes, 512)
                   : PlaceIn(scratch_, kScratchBytes, bytes, 576);
    if (options_.on_device &&
        Overlap({source, source + bytes}, {target, target + bytes})) {
      return;
    }
    recorder_.CopyBytes(stream, target, source, bytes);
  }

  // Mixes some scratch bytes into some floats: a host call may read and write
  // what it likes.
  void HostCall(std::size_t stream) {
    const std::uint64_t target = PlaceIn(floats_, kFloatBytes, 64, 512);
    const std::uint64_t source = PlaceIn(scratch_, kScratchBytes, 64, 576);
    program_.host_calls[recorder_.HostCall(stream)] =
        [target, source](HostMemory& memory) {
          std::uint8_t* out = *memory.Translate(target, 64);
          const std::uint8_t* in = *memory.Translate(source, 64);
          for (int i = 0; i < 64; i += 4) {
            out[i] = static_cast<std::uint8_t>(out[i] + in[i] + 1);
          }
        };
  }

  // Most images lie where their stream's last one lay, some anywhere.
  Image Quantize(std::size_t stream, const Rows& x) {
    const auto bytes =
        static_cast<std::uint64_t>(ImageBytes(x.columns, x.rows, 1));
    const std::uint64_t address =
        Chance(75) ? scratch_ + stream * kImagePlaces
                   : PlaceIn(scratch_, kScratchBytes, bytes,
                             Chance(30) ? 576 : kImagePlaces);
    const Image image{address, x.rows, x.columns};
    recorder_.Launch(stream, QuantizeCall(x, image.address),
                     {RangeOf(x, false), image.Touched(true)});
    images_.push_back(image);
    return image;
  }

  void Read(std::size_t stream, const Image& image) {
    std::vector<Matrix> fitting;
    for (const Matrix& matrix : matrices_) {
      if (matrix.columns == image.columns) fitting.push_back(matrix);
    }
    const Matrix& matrix = fitting[Pick(fitting.size())];
    const bool routed = Chance(30);
    const std::int32_t slots = routed ? 2 : 1;
    const Rows out = NewRows(image.rows * slots, matrix.rows);
    const Range written = RangeOf(out, true);
    if (!routed) {
      Issue(stream, MatVecCall(matrix, image.address, out),
            {image.Touched(false), written});
      return;
    }
    const Routing routing{ids_, 0, static_cast<std::int32_t>(image.rows),
                          slots};
    Issue(stream, RoutedMatVecCall(matrix, image.address, 1, routing, out),
          {image.Touched(false), written});
  }

  void Producer(std::size_t stream) {
    const std::size_t kind = Pick(10);
    if (kind < 4) {
      Norm(stream);
    } else if (kind < 6) {
      Glu(stream);
    } else {
      Add(stream);
    }
  }

  // What engines do: one tensor, quantized again for each projection.
  void Chain() {
    const std::size_t home = Stream();
    Producer(home);
    Rows x = tensors_.back();
    if (Chance(10) && x.rows > 1) {
      x.rows = 1;
    } else if (Chance(10) && x.columns == 64 && x.rows > 1) {
      x.stride = x.columns;
      x.columns = 32;
    }
    const std::size_t projections = 1 + Pick(4);
    const bool forks = Chance(60);
    if (forks) recorder_.Fork(home);
    for (std::size_t i = 0; i < projections; ++i) {
      const std::size_t stream = forks ? (home + i) % recorder_.num_streams()
                                       : (Chance(80) ? home : Stream());
      const Image image = Quantize(stream, x);
      if (Chance(95)) Read(Chance(85) ? stream : Stream(), image);
      if (Chance(20)) Read(stream, image);
      if (Chance(15)) Noise();
    }
  }

  void Noise() {
    const std::size_t stream = Stream();
    const std::size_t kind = Pick(20);
    if (kind < 6) {
      Producer(stream);
    } else if (kind < 10) {
      Quantize(stream, SomeTensor());
    } else if (kind < 13) {
      if (!images_.empty()) Read(stream, images_[Pick(images_.size())]);
    } else if (kind < 18) {
      Transfer(stream);
    } else if (options_.on_device) {
      Producer(stream);
    } else if (kind < 19) {
      if (Chance(30)) HostCall(stream);
    } else if (Chance(30)) {
      recorder_.ExternalEvent(stream);
    }
  }

  const RandomProgramOptions options_;
  std::mt19937 random_;
  RandomProgram program_;
  RaceFreeRecorder recorder_;
  std::uint64_t floats_ = 0;
  std::uint64_t scratch_ = 0;
  std::uint64_t ids_ = 0;
  std::vector<Matrix> matrices_;
  std::vector<Rows> tensors_;
  std::vector<Image> images_;
};

}  // namespace

RandomProgram MakeRandomProgram(std::uint32_t seed,
                                const RandomProgramOptions& options) {
  return Generator(seed, options).Make();
}

void RefreshInputs(const RandomProgram& program, int replay,
                   HostMemory& memory) {
  std::mt19937 random(static_cast<std::uint32_t>(replay) + 1);
  const auto count = static_cast<std::int64_t>(program.inputs.bytes / 4);
  memory
      .Write(program.inputs.address,
             decoder::RandomFloats(random, count, -2, 2))
      .IgnoreError();
}

}  // namespace reprise::testing
