#include "replay/nvtx_range.h"

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <cstddef>
#include <iterator>

namespace reprise {
namespace {

constexpr const char* kPhases[] = {
    "capture", "import", "plan", "emit", "instantiate", "update", "replay",
};

struct NodeCounts {
  std::uint64_t before;
  std::uint64_t after;
};

// What is registered once: a tool gets a handle with each event, no text.
class Domain {
 public:
  Domain() : handle_(nvtxDomainCreateA("reprise")) {
    for (std::size_t p = 0; p < std::size(kPhases); ++p) {
      phases_[p] = nvtxDomainRegisterStringA(handle_, kPhases[p]);
    }
    nodes_ = nvtxDomainRegisterStringA(handle_, "nodes");
    schema_ = RegisterNodeCounts();
  }

  void Push(Phase phase) const {
    const nvtxEventAttributes_t event =
        Named(phases_[static_cast<std::size_t>(phase)]);
    nvtxDomainRangePushEx(handle_, &event);
  }

  void Pop() const { nvtxDomainRangePop(handle_); }

  void Mark(const NodeCounts& counts) const {
    nvtxEventAttributes_t event = Named(nodes_);
    nvtxPayloadData_t data{};
    NVTX_PAYLOAD_EVTATTR_SET_DATA(event, &data, schema_, &counts,
                                  sizeof counts);
    nvtxDomainMarkEx(handle_, &event);
  }

 private:
  static nvtxEventAttributes_t Named(nvtxStringHandle_t name) {
    nvtxEventAttributes_t event{};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = name;
    return event;
  }

  // 0 where no tool knows of payloads.
  std::uint64_t RegisterNodeCounts() const {
    nvtxPayloadSchemaEntry_t entries[2]{};
    entries[0].type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64;
    entries[0].name = "nodes_before";
    entries[0].offset = offsetof(NodeCounts, before);
    entries[1].type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64;
    entries[1].name = "nodes_after";
    entries[1].offset = offsetof(NodeCounts, after);
    nvtxPayloadSchemaAttr_t schema{};
    schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME |
                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    schema.name = "node counts";
    schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    schema.entries = entries;
    schema.numEntries = std::size(entries);
    schema.payloadStaticSize = sizeof(NodeCounts);
    return nvtxPayloadSchemaRegister(handle_, &schema);
  }

  nvtxDomainHandle_t handle_;
  nvtxStringHandle_t phases_[std::size(kPhases)];
  nvtxStringHandle_t nodes_;
  std::uint64_t schema_;
};

const Domain& TheDomain() {
  static const Domain& domain = *new Domain;
  return domain;
}

}  // namespace

NvtxRange::NvtxRange(Phase phase) { TheDomain().Push(phase); }

NvtxRange::~NvtxRange() { TheDomain().Pop(); }

void NvtxRange::MarkNodes(std::uint64_t before, std::uint64_t after) {
  TheDomain().Mark({before, after});
}

}  // namespace reprise
