// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/nvtx_ranges.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cwchar>
#include <mutex>
#include <string>
#include <unordered_map>

#include "profiling/cupti/inject/guarded.hpp"

namespace warpgauge::inject {
namespace {

// NVTX's callbacks take no argument of ours.
launches::Ranges* all_ranges = nullptr;
void (*tell_opened)(std::string_view) = nullptr;

// Texts that programs register again and again are kept once; beyond these, they are not told
// apart.
constexpr std::size_t kMostNames = 65'536;
constexpr std::size_t kMostNameBytes = std::size_t{32} << 20U;

// What the handles that we give out point to. Never freed: a program may use them to its end.
struct Named {
  std::string_view text;
};

class Names {
 public:
  const Named* of(std::string_view text) {
    static const Named kTooMany{"?"};
    std::string key(text);
    const std::lock_guard lock(mutex_);
    const auto known = names_.find(key);
    if (known != names_.end()) return &known->second;
    if (names_.size() >= kMostNames || bytes_ + text.size() > kMostNameBytes) return &kTooMany;
    bytes_ += text.size();
    const auto made = names_.try_emplace(std::move(key)).first;
    made->second.text = made->first;
    return &made->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, Named> names_;
  std::size_t bytes_ = 0;
};

template <class Handle>
Handle handle_of(std::string_view text) {
  static auto& names = *new Names;
  const Named* named = nullptr;
  guarded([&] { named = names.of(text); });
  return reinterpret_cast<Handle>(const_cast<Named*>(named));
}

std::string narrow(const wchar_t* text) {
  std::string narrow;
  for (; text != nullptr && *text != L'\0'; ++text) {
    const auto code = std::bit_cast<std::uint32_t>(*text);
    if (code < 0x80) {
      narrow += static_cast<char>(code);
    } else if (code < 0x800) {
      narrow += static_cast<char>(0xc0U | code >> 6U);
      narrow += static_cast<char>(0x80U | (code & 0x3fU));
    } else if (code < 0x10000) {
      narrow += static_cast<char>(0xe0U | code >> 12U);
      narrow += static_cast<char>(0x80U | (code >> 6U & 0x3fU));
      narrow += static_cast<char>(0x80U | (code & 0x3fU));
    } else {
      narrow += '?';
    }
  }
  return narrow;
}

std::string_view text_of(const char* text) { return text == nullptr ? "" : text; }

template <class Handle>
std::string_view named(Handle handle) {
  return handle == nullptr ? "" : reinterpret_cast<const Named*>(handle)->text;
}

// Without a copy, but for wide characters.
template <class Use>
void with_name(const nvtxEventAttributes_t* event, Use use) {
  switch (event == nullptr ? NVTX_MESSAGE_UNKNOWN : event->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return use(text_of(event->message.ascii));
    case NVTX_MESSAGE_TYPE_UNICODE:
      return use(narrow(event->message.unicode));
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return use(named(event->message.registered));
    default:
      return use("");
  }
}

int push(std::string_view domain, std::string_view name) {
  int depth = 0;
  guarded([&] {
    tell_opened(name);
    depth = all_ranges->push(domain, name);
  });
  return depth;
}

int pop_in(std::string_view domain) {
  int depth = -1;
  guarded([&] { depth = all_ranges->pop(domain); });
  return depth;
}

nvtxRangeId_t start(std::string_view domain, std::string_view name) {
  nvtxRangeId_t id = 0;
  guarded([&] {
    tell_opened(name);
    id = all_ranges->start(domain, name);
  });
  return id;
}

int push_named(std::string_view domain, const nvtxEventAttributes_t* event) {
  int depth = 0;
  guarded([&] { with_name(event, [&](std::string_view name) { depth = push(domain, name); }); });
  return depth;
}

nvtxRangeId_t start_named(std::string_view domain, const nvtxEventAttributes_t* event) {
  nvtxRangeId_t id = 0;
  guarded([&] { with_name(event, [&](std::string_view name) { id = start(domain, name); }); });
  return id;
}

// As an event has it.
nvtxEventAttributes_t wide_event(const wchar_t* name) {
  nvtxEventAttributes_t event{};
  event.messageType = NVTX_MESSAGE_TYPE_UNICODE;
  event.message.unicode = name;
  return event;
}

template <class Handle>
Handle wide_handle(const wchar_t* text) {
  Handle handle = nullptr;
  guarded([&] { handle = handle_of<Handle>(narrow(text)); });
  return handle;
}

int NVTX_API push_text(const char* name) { return push("", text_of(name)); }
int NVTX_API push_wide(const wchar_t* name) {
  const nvtxEventAttributes_t event = wide_event(name);
  return push_named("", &event);
}
int NVTX_API push_event(const nvtxEventAttributes_t* event) { return push_named("", event); }
int NVTX_API pop() { return pop_in(""); }
nvtxRangeId_t NVTX_API start_text(const char* name) { return start("", text_of(name)); }
nvtxRangeId_t NVTX_API start_wide(const wchar_t* name) {
  const nvtxEventAttributes_t event = wide_event(name);
  return start_named("", &event);
}
nvtxRangeId_t NVTX_API start_event(const nvtxEventAttributes_t* event) {
  return start_named("", event);
}
void NVTX_API end(nvtxRangeId_t id) {
  guarded([&] { all_ranges->end(id); });
}

int NVTX_API domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  return push_named(named(domain), event);
}
int NVTX_API domain_pop(nvtxDomainHandle_t domain) { return pop_in(named(domain)); }
nvtxRangeId_t NVTX_API domain_start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  return start_named(named(domain), event);
}
void NVTX_API domain_end(nvtxDomainHandle_t /*domain*/, nvtxRangeId_t id) { end(id); }
nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  return handle_of<nvtxDomainHandle_t>(text_of(name));
}
nvtxDomainHandle_t NVTX_API create_domain_wide(const wchar_t* name) {
  return wide_handle<nvtxDomainHandle_t>(name);
}
nvtxStringHandle_t NVTX_API register_text(nvtxDomainHandle_t /*domain*/, const char* text) {
  return handle_of<nvtxStringHandle_t>(text_of(text));
}
nvtxStringHandle_t NVTX_API register_wide(nvtxDomainHandle_t /*domain*/, const wchar_t* text) {
  return wide_handle<nvtxStringHandle_t>(text);
}

// What a payload holds is described by schemas, and is not read: such a range has no name.
int NVTX_API push_payload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* /*data*/,
                          std::size_t /*count*/) {
  return push_named(named(domain), nullptr);
}
int NVTX_API pop_payload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* /*data*/,
                         std::size_t /*count*/) {
  return pop_in(named(domain));
}
nvtxRangeId_t NVTX_API start_payload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* /*data*/,
                                     std::size_t /*count*/) {
  return start_named(named(domain), nullptr);
}
void NVTX_API end_payload(nvtxDomainHandle_t /*domain*/, nvtxRangeId_t id,
                          const nvtxPayloadData_t* /*data*/, std::size_t /*count*/) {
  end(id);
}

class Table {
 public:
  Table(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module)
      : known_(callbacks.GetModuleFunctionTable(module, &functions_, &count_) != 0) {}

  template <class Function>
  void put(unsigned int index, Function* function) {
    if (known_ && index < count_) {
      *functions_[index] = reinterpret_cast<NvtxFunctionPointer>(function);
    }
  }

 private:
  NvtxFunctionTable functions_ = nullptr;
  unsigned int count_ = 0;
  bool known_;
};

}  // namespace

void take_ranges(NvtxGetExportTableFunc_t table, launches::Ranges& ranges,
                 void (*opened)(std::string_view name)) {
  const auto* const callbacks =
      static_cast<const NvtxExportTableCallbacks*>(table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr) return;
  all_ranges = &ranges;
  tell_opened = opened;
  Table core(*callbacks, NVTX_CB_MODULE_CORE);
  core.put(NVTX_CBID_CORE_RangePushA, push_text);
  core.put(NVTX_CBID_CORE_RangePushW, push_wide);
  core.put(NVTX_CBID_CORE_RangePushEx, push_event);
  core.put(NVTX_CBID_CORE_RangePop, pop);
  core.put(NVTX_CBID_CORE_RangeStartA, start_text);
  core.put(NVTX_CBID_CORE_RangeStartW, start_wide);
  core.put(NVTX_CBID_CORE_RangeStartEx, start_event);
  core.put(NVTX_CBID_CORE_RangeEnd, end);
  Table domains(*callbacks, NVTX_CB_MODULE_CORE2);
  domains.put(NVTX_CBID_CORE2_DomainRangePushEx, domain_push);
  domains.put(NVTX_CBID_CORE2_DomainRangePop, domain_pop);
  domains.put(NVTX_CBID_CORE2_DomainRangeStartEx, domain_start);
  domains.put(NVTX_CBID_CORE2_DomainRangeEnd, domain_end);
  domains.put(NVTX_CBID_CORE2_DomainCreateA, create_domain);
  domains.put(NVTX_CBID_CORE2_DomainCreateW, create_domain_wide);
  domains.put(NVTX_CBID_CORE2_DomainRegisterStringA, register_text);
  domains.put(NVTX_CBID_CORE2_DomainRegisterStringW, register_wide);
}

bool take_payload_ranges(const nvtxExtModuleInfo_t& module) {
  if (all_ranges == nullptr || module.moduleId != NVTX_EXT_PAYLOAD_MODULEID) return false;
  // Its major version in the upper byte; NCCL has its own copy of NVTX, mostly an older minor one.
  const bool alike = module.compatId >> 8U == NVTX_EXT_PAYLOAD_COMPATID >> 8U;
  if (!alike || module.segmentsCount == 0) return false;
  const nvtxExtModuleSegment_t& functions = module.segments[0];
  const auto put = [&](std::size_t index, auto* function) {
    if (index < functions.slotCount) {
      functions.functionSlots[index] = reinterpret_cast<std::intptr_t>(function);
    }
  };
  put(NVTX3EXT_CBID_nvtxRangePushPayload, push_payload);
  put(NVTX3EXT_CBID_nvtxRangePopPayload, pop_payload);
  put(NVTX3EXT_CBID_nvtxRangeStartPayload, start_payload);
  put(NVTX3EXT_CBID_nvtxRangeEndPayload, end_payload);
  return true;
}

}  // namespace warpgauge::inject
