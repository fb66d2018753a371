#include "planner/pass_names.h"

#include "absl/strings/str_join.h"

namespace reprise {
namespace {

constexpr NamedPass kPasses[] = {
    {"pure", &PlanOptions::pure},
    {"sharing", &PlanOptions::sharing},
    {"placement", &PlanOptions::placement},
    {"emission", &PlanOptions::emission},
    {"storage", &PlanOptions::storage},
    {"dead_stores", &PlanOptions::dead_stores},
    {"relax", &PlanOptions::relax},
};

}  // namespace

absl::Span<const NamedPass> NamedPasses() { return kPasses; }

const NamedPass* FindPass(absl::string_view name) {
  for (const NamedPass& pass : kPasses) {
    if (pass.name == name) return &pass;
  }
  return nullptr;
}

std::string PassNames() {
  return absl::StrJoin(kPasses, ", ",
                       [](std::string* out, const NamedPass& pass) {
                         out->append(pass.name.data(), pass.name.size());
                       });
}

}  // namespace reprise
