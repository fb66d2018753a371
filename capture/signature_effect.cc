#include "capture/signature_effect.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace reprise {
namespace {

std::optional<Dimension> Evaluate(const Expression& count,
                                  const Expression& stride, SlotValues values) {
  const auto c = count.Evaluate(values);
  const auto s = stride.Evaluate(values);
  if (!c || !s) return std::nullopt;
  return Dimension{*c, *s};
}

// Among the rows, outermost first, where its stride puts it.
void Insert(const Dimension& gather, std::vector<Dimension>& rows) {
  const auto smaller = std::find_if(
      rows.begin(), rows.end(),
      [&](const Dimension& row) { return row.stride < gather.stride; });
  rows.insert(smaller, gather);
}

std::optional<std::vector<Dimension>> EvaluateRows(const Effect& effect,
                                                   SlotValues values) {
  std::vector<Dimension> rows;
  rows.reserve(effect.rows.size() + 1);
  for (const Rows& r : effect.rows) {
    const auto row = Evaluate(r.count, r.stride, values);
    if (!row) return std::nullopt;
    rows.push_back(*row);
  }
  if (effect.gather && effect.gather->count) {
    const auto row =
        Evaluate(*effect.gather->count, effect.gather->stride, values);
    if (!row) return std::nullopt;
    Insert(*row, rows);
  }
  return rows;
}

// No gathered row lies outside the allocation, whatever the strides say.
void ClipTo(const Allocation& allocation, View& view) {
  if (view.end() <= allocation.end()) return;
  view = ByteRange(view.address,
                   static_cast<std::int64_t>(allocation.end() - view.address));
}

// `view` comes with every row that is known without the gathered numbers.
bool BoundGather(const Gather& gather, const Allocation* allocation,
                 View& view) {
  if (gather.count) {
    if (allocation != nullptr) ClipTo(*allocation, view);
    return true;
  }
  if (allocation == nullptr) return false;
  view = ByteRange(allocation->address,
                   static_cast<std::int64_t>(allocation->bytes));
  return true;
}

std::uint64_t ReadPointer(const KernelLaunch& launch, std::uint32_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, launch.bytes.data() + offset, sizeof value);
  return value;
}

// As seen from the pointer.
std::optional<BuiltView> EvaluateView(const Effect& effect, SlotValues values) {
  const auto offset = effect.offset.Evaluate(values);
  const auto length = effect.length.Evaluate(values);
  const auto rows = EvaluateRows(effect, values);
  if (!offset || *offset < 0 || !length || !rows) return std::nullopt;
  return BuildView(static_cast<std::uint64_t>(*offset), effect.element, *length,
                   *rows);
}

// False where the view's end would not fit 63 bits.
bool MoveBy(std::uint64_t pointer, View& view) {
  const std::uint64_t end = view.end();
  if (pointer > kMaxViewEnd || end > kMaxViewEnd - pointer) return false;
  view.address += pointer;
  return true;
}

}  // namespace

Evaluation ShapeOf(const Effect& effect, SlotValues values,
                   EffectShape* shape) {
  if (effect.when) {
    const auto holds = effect.when->Evaluate(values);
    if (!holds) return Evaluation::kUnknown;
    if (*holds == 0) return Evaluation::kNothing;
  }
  const std::optional<BuiltView> built = EvaluateView(effect, values);
  if (!built) return Evaluation::kUnknown;
  if (built->view.empty()) return Evaluation::kNothing;
  Access& access = shape->access;
  access.view = built->view;
  access.mode = effect.mode;
  access.role = effect.role;
  access.exact = effect.exact && built->exact && !effect.gather;
  access.parameter = effect.pointer;
  shape->gather = effect.gather ? &*effect.gather : nullptr;
  return Evaluation::kAccess;
}

bool Place(const EffectShape& shape, const KernelLaunch& launch,
           const AllocationIndex& allocations, Access* access) {
  const std::uint64_t pointer = ReadPointer(launch, shape.access.parameter);
  *access = shape.access;
  View& view = access->view;
  if (pointer == 0 || !MoveBy(pointer, view)) return false;
  return shape.gather == nullptr ||
         BoundGather(*shape.gather, allocations.Find(view.address), view);
}

}  // namespace reprise
