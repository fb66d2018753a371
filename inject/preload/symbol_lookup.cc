#include "inject/preload/symbol_lookup.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "inject/preload/originals.h"
#include "inject/preload/wrapped_calls.h"
#include "inject/preload/wrappers.h"

namespace reprise::preload {
namespace {

enum class DefaultStream { kAny, kLegacy, kPerThread };

struct Export {
  const char* name;  // as the driver exports it
  Call call;
  void* wrapper;
};

const Export kExports[] = {
#define REPRISE_CALL(name, type, found_by, since, default_stream) \
  {"cu" #name, Call::k##name, reinterpret_cast<void*>(&name)},
    REPRISE_WRAPPED_CALLS(REPRISE_CALL)
#undef REPRISE_CALL
};

struct Version {
  const char* name;  // for cuGetProcAddress
  int since;
  DefaultStream default_stream;
  Call call;
};

constexpr Version kVersions[] = {
#define REPRISE_CALL(name, type, found_by, since, default_stream) \
  {"cu" #found_by, since, DefaultStream::default_stream, Call::k##name},
    REPRISE_WRAPPED_CALLS(REPRISE_CALL)
#undef REPRISE_CALL
    // CUDA 12 gave the short name to the call with flags.
    {"cuGraphInstantiate", 12000, DefaultStream::kAny,
     Call::kGraphInstantiateWithFlags},
};

const Version* FindVersion(const char* name, int version, cuuint64_t flags) {
  const DefaultStream wanted =
      (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0
          ? DefaultStream::kPerThread
          : DefaultStream::kLegacy;
  const Version* newest = nullptr;
  for (const Version& known : kVersions) {
    if (std::strcmp(known.name, name) != 0 || known.since > version) continue;
    if (known.default_stream != DefaultStream::kAny &&
        known.default_stream != wanted) {
      continue;
    }
    if (newest == nullptr || newest->since <= known.since) newest = &known;
  }
  return newest;
}

bool StartsWithCu(const char* name) {
  return name != nullptr && name[0] == 'c' && name[1] == 'u';
}

const Export* FindExport(const char* name) {
  if (!StartsWithCu(name)) return nullptr;
  for (const Export& exported : kExports) {
    if (std::strcmp(exported.name, name) == 0) return &exported;
  }
  return nullptr;
}

void* WrapperOf(Call call) {
  return kExports[static_cast<std::size_t>(call)].wrapper;
}

// What dlsym answers for "leave it to the C library".
void* const kNotWrapped = reinterpret_cast<void*>(-1);

}  // namespace

void* WrapFound(const char* name, int version, cuuint64_t flags, void* found) {
  if (!StartsWithCu(name) || found == nullptr) return found;
  const Version* known = FindVersion(name, version, flags);
  if (known == nullptr) return found;
  void* same = nullptr;
  CUdriverProcAddressQueryResult status;
  const CUresult asked = CallOriginal<Call::kGetProcAddress_v2>(
      name, &same, known->since, flags, &status);
  if (asked != CUDA_SUCCESS || same != found) return found;
  SetOriginal(known->call, found);
  return WrapperOf(known->call);
}

}  // namespace reprise::preload

// The C library's dlsym, for the assembly below.
extern "C" __attribute__((visibility("hidden"))) void* reprise_real_dlsym;
void* reprise_real_dlsym = nullptr;

namespace reprise::preload {

void* RealDlsym(void* handle, const char* name) {
  using Dlsym = void* (*)(void*, const char*);
  if (reprise_real_dlsym == nullptr) {
    // In libc since glibc 2.34, in libdl before.
    for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5"}) {
      reprise_real_dlsym = dlvsym(RTLD_NEXT, "dlsym", version);
      if (reprise_real_dlsym != nullptr) break;
    }
  }
  return reinterpret_cast<Dlsym>(reprise_real_dlsym)(handle, name);
}

}  // namespace reprise::preload

// What dlsym below answers; -1 where the C library is to.
extern "C" __attribute__((visibility("hidden"), used)) void*
reprise_wrapped_symbol(void* handle, const char* name) {
  using namespace reprise::preload;  // a C function, at home in this file
  const Export* exported = FindExport(name);
  if (exported == nullptr && reprise_real_dlsym != nullptr) return kNotWrapped;
  void* found = RealDlsym(handle, name);
  if (exported == nullptr || found == nullptr) return kNotWrapped;
  // A search of the whole program meets this library first; what counts is
  // whether there is a driver behind it.
  if (found == exported->wrapper) {
    return FindOriginal(exported->call) == nullptr ? nullptr : found;
  }
  SetOriginal(exported->call, found);
  return exported->wrapper;
}

// dlsym with RTLD_NEXT asks who calls it. So what is not wrapped goes on by a
// jump, with the stack as it came: a call from here would be answered for this
// library in the program's place.
#if !defined(__x86_64__)
#error "preloading is written for x86-64"
#endif
asm(R"(
  .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call reprise_wrapped_symbol
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  cmpq $-1, %rax
  jne 1f
  jmpq *reprise_real_dlsym(%rip)
1:
  ret
  .cfi_endproc
  .size dlsym, .-dlsym
)");
