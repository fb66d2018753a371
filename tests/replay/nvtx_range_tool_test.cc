// A tool that listens: linked into this program, found by NVTX at the first
// call, and writing down what it is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "replay/nvtx_range.h"

namespace reprise::testing {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kSchema = 77;

struct Tool {
  std::vector<std::string> setup;   // what was registered
  std::vector<std::string> events;  // pushes, pops and marks
  std::set<std::string> strings;    // a handle is the address of one
};

Tool& TheTool() {
  static Tool& tool = *new Tool;
  return tool;
}

std::string NameOf(const nvtxEventAttributes_t* event) {
  if (event->messageType != NVTX_MESSAGE_TYPE_REGISTERED) return "unregistered";
  return *reinterpret_cast<const std::string*>(event->message.registered);
}

nvtxDomainHandle_t CreateDomain(const char* name) {
  TheTool().setup.push_back(absl::StrCat("domain ", name));
  return reinterpret_cast<nvtxDomainHandle_t>(&TheTool());
}

nvtxStringHandle_t RegisterString(nvtxDomainHandle_t, const char* text) {
  TheTool().setup.push_back(absl::StrCat("string ", text));
  const std::string& kept = *TheTool().strings.insert(text).first;
  return reinterpret_cast<nvtxStringHandle_t>(const_cast<std::string*>(&kept));
}

std::uint64_t RegisterSchema(nvtxDomainHandle_t,
                             const nvtxPayloadSchemaAttr_t* schema) {
  std::string fields;
  for (std::size_t e = 0; e < schema->numEntries; ++e) {
    const nvtxPayloadSchemaEntry_t& entry = schema->entries[e];
    absl::StrAppend(&fields, " ", entry.name, "@", entry.offset, ":",
                    entry.type);
  }
  TheTool().setup.push_back(absl::StrCat("schema ", schema->name, " of ",
                                         schema->payloadStaticSize, fields));
  return kSchema;
}

int Push(nvtxDomainHandle_t, const nvtxEventAttributes_t* event) {
  TheTool().events.push_back(absl::StrCat("push ", NameOf(event)));
  return 0;
}

int Pop(nvtxDomainHandle_t) {
  TheTool().events.push_back("pop");
  return 0;
}

void Mark(nvtxDomainHandle_t, const nvtxEventAttributes_t* event) {
  std::string text = absl::StrCat("mark ", NameOf(event));
  if (event->payloadType == NVTX_PAYLOAD_TYPE_EXT) {
    const auto* data =
        reinterpret_cast<const nvtxPayloadData_t*>(event->payload.ullValue);
    std::uint64_t counts[2] = {};
    std::memcpy(counts, data->payload, sizeof counts);
    absl::StrAppend(&text, " schema ", data->schemaId, " size ", data->size,
                    ": ", counts[0], " ", counts[1]);
  }
  TheTool().events.push_back(text);
}

template <typename Function>
void Listen(NvtxFunctionTable table, NvtxCallbackIdCore2 call,
            Function* function) {
  *table[call] = reinterpret_cast<NvtxFunctionPointer>(function);
}

int AttachToCore(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(
      export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) ==
      0) {
    return 0;
  }
  Listen(table, NVTX_CBID_CORE2_DomainCreateA, CreateDomain);
  Listen(table, NVTX_CBID_CORE2_DomainRegisterStringA, RegisterString);
  Listen(table, NVTX_CBID_CORE2_DomainRangePushEx, Push);
  Listen(table, NVTX_CBID_CORE2_DomainRangePop, Pop);
  Listen(table, NVTX_CBID_CORE2_DomainMarkEx, Mark);
  return 1;
}

int AttachToPayloads(nvtxExtModuleInfo_t* module) {
  if (module->moduleId != NVTX_EXT_PAYLOAD_MODULEID) return 0;
  module->segments[0].functionSlots[NVTX3EXT_CBID_nvtxPayloadSchemaRegister] =
      reinterpret_cast<std::intptr_t>(&RegisterSchema);
  return 1;
}

// What NVTX looks for in the program when no library is named to it.
const bool kLinkedIn = [] {
  InitializeInjectionNvtx2_fnptr = &AttachToCore;
  InitializeInjectionNvtxExtension_fnptr = &AttachToPayloads;
  return true;
}();

class NvtxTool : public ::testing::Test {
 protected:
  NvtxTool() {
    EXPECT_TRUE(kLinkedIn);
    TheTool().events.clear();
  }
};

TEST_F(NvtxTool, HearsOfEachPhaseByAStringThatWasRegisteredOnce) {
  for (Phase phase :
       {Phase::kCapture, Phase::kImport, Phase::kPlan, Phase::kEmit,
        Phase::kInstantiate, Phase::kUpdate, Phase::kReplay, Phase::kReplay}) {
    const NvtxRange range(phase);
  }
  EXPECT_THAT(TheTool().events,
              ElementsAre("push capture", "pop", "push import", "pop",
                          "push plan", "pop", "push emit", "pop",
                          "push instantiate", "pop", "push update", "pop",
                          "push replay", "pop", "push replay", "pop"));
  EXPECT_THAT(
      TheTool().setup,
      ElementsAre(
          "domain reprise", "string capture", "string import", "string plan",
          "string emit", "string instantiate", "string update", "string replay",
          "string nodes",
          absl::StrCat("schema node counts of 16 nodes_before@0:",
                       NVTX_PAYLOAD_ENTRY_TYPE_UINT64,
                       " nodes_after@8:", NVTX_PAYLOAD_ENTRY_TYPE_UINT64)));
}

TEST_F(NvtxTool, HearsOfNodeCountsInsideTheRange) {
  {
    NvtxRange plan(Phase::kPlan);
    const NvtxRange emit(Phase::kEmit);
    plan.MarkNodes(647, 591);
  }
  EXPECT_THAT(
      TheTool().events,
      ElementsAre("push plan", "push emit",
                  "mark nodes schema 77 size 16: 647 591", "pop", "pop"));
}

}  // namespace
}  // namespace reprise::testing
