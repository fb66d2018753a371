// victims_WAY SCENARIO    runs it; without one, lists those there are
#include <cstdio>
#include <cstring>

#include "tests/victims/engine/device.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

const Scenario* last = nullptr;

}  // namespace

Scenario::Scenario(const char* name, void (*run)())
    : name_(name), run_(run), next_(last) {
  last = this;
}

const Scenario* Scenario::Find(const char* name) {
  const Scenario* scenario = last;
  while (scenario != nullptr && std::strcmp(scenario->name_, name) != 0) {
    scenario = scenario->next_;
  }
  return scenario;
}

void Scenario::PrintNames() {
  for (const Scenario* s = last; s != nullptr; s = s->next_) {
    std::puts(s->name_);
  }
}

}  // namespace victims

int main(int argc, char** argv) {
  if (argc != 2) {
    victims::Scenario::PrintNames();
    return 2;
  }
  const victims::Scenario* scenario = victims::Scenario::Find(argv[1]);
  if (scenario == nullptr) {
    std::fprintf(stderr, "no scenario %s\n", argv[1]);
    return 2;
  }
  victims::Start();
  scenario->Run();
  return 0;
}
