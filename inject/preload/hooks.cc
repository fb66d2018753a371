#include "inject/preload/hooks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

#include "inject/preload/originals.h"

namespace reprise::preload {
namespace {

std::atomic<const Hooks*> known = nullptr;
pthread_once_t opened = PTHREAD_ONCE_INIT;
void* library = nullptr;

bool IsSet(const char* name) {
  const char* value = getenv(name);
  return value != nullptr && *value != '\0' && strcmp(value, "0") != 0;
}

// Beside this one. Null, after one line that says why, where it cannot be
// opened.
void* OpenLibrary() {
  constexpr char kName[] = "libreprise_inject.so";
  Dl_info own;
  char path[4096];
  if (dladdr(reinterpret_cast<void*>(&OpenLibrary), &own) == 0) return nullptr;
  const char* slash = strrchr(own.dli_fname, '/');
  const size_t folder = slash == nullptr ? 0 : slash + 1 - own.dli_fname;
  if (folder + sizeof kName > sizeof path) return nullptr;
  memcpy(path, own.dli_fname, folder);
  memcpy(path + folder, kName, sizeof kName);
  void* found = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (found == nullptr) {
    fprintf(stderr, "reprise: not in use: %s\n", dlerror());
  }
  return found;
}

// A child has no use of its parent's CUDA, and another thread of the parent may
// have held any lock.
void ForgetInChild() {
  known = nullptr;
  library = nullptr;
}

void Open() {
  if (IsSet("REPRISE_DISABLE")) return;
  library = OpenLibrary();
  if (library == nullptr) return;
  const auto open = reinterpret_cast<OpenHooks>(RealDlsym(library, kOpenHooks));
  if (open == nullptr) return;
  pthread_atfork(nullptr, nullptr, ForgetInChild);
  known = open();
}

// Whether `reprise run` became this process, and not one of its children.
bool IsTheProgram() {
  const char* pid = getenv("REPRISE_RUN_PID");
  return pid != nullptr && atoll(pid) == getpid();
}

__attribute__((destructor)) void ReportAtExit() {
  // Who ran no graph is told so; the library then knows how.
  if (library == nullptr && IsTheProgram() && !IsSet("REPRISE_DISABLE")) {
    library = OpenLibrary();
  }
  if (library == nullptr) return;
  const auto report =
      reinterpret_cast<ReportRun>(RealDlsym(library, kReportRun));
  if (report != nullptr) report();
}

}  // namespace

const Hooks* OpenedHooks() {
  pthread_once(&opened, Open);
  return KnownHooks();
}

const Hooks* KnownHooks() { return known.load(std::memory_order_acquire); }

}  // namespace reprise::preload
