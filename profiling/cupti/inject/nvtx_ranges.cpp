// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/nvtx_ranges.hpp"

#include <cwchar>
#include <string>

namespace warpgauge::inject {
namespace {

// NVTX's callbacks take no argument of ours.
launches::Ranges* all_ranges = nullptr;
void (*tell_opened)(std::string_view) = nullptr;

// What the handles that we give out point to. Never freed: a program may use them to its end.
struct Named {
  std::string text;
};

std::string narrow(const wchar_t* text) {
  std::string narrow;
  for (; text != nullptr && *text != L'\0'; ++text) {
    const auto code = static_cast<std::uint32_t>(*text);
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

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

std::string name_of(const nvtxEventAttributes_t* event) {
  if (event == nullptr) return "";
  switch (event->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return text_of(event->message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE:
      return narrow(event->message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return event->message.registered == nullptr
                 ? ""
                 : reinterpret_cast<const Named*>(event->message.registered)->text;
    default:
      return "";
  }
}

std::string domain_name(nvtxDomainHandle_t domain) {
  return domain == nullptr ? "" : reinterpret_cast<const Named*>(domain)->text;
}

int push(std::string_view domain, const std::string& name) {
  tell_opened(name);
  return all_ranges->push(domain, name);
}

nvtxRangeId_t start(std::string_view domain, const std::string& name) {
  tell_opened(name);
  return all_ranges->start(domain, name);
}

int NVTX_API push_text(const char* name) { return push("", text_of(name)); }
int NVTX_API push_wide(const wchar_t* name) { return push("", narrow(name)); }
int NVTX_API push_event(const nvtxEventAttributes_t* event) { return push("", name_of(event)); }
int NVTX_API pop() { return all_ranges->pop(""); }
nvtxRangeId_t NVTX_API start_text(const char* name) { return start("", text_of(name)); }
nvtxRangeId_t NVTX_API start_wide(const wchar_t* name) { return start("", narrow(name)); }
nvtxRangeId_t NVTX_API start_event(const nvtxEventAttributes_t* event) {
  return start("", name_of(event));
}
void NVTX_API end(nvtxRangeId_t id) { all_ranges->end(id); }

int NVTX_API domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  return push(domain_name(domain), name_of(event));
}
int NVTX_API domain_pop(nvtxDomainHandle_t domain) { return all_ranges->pop(domain_name(domain)); }
nvtxRangeId_t NVTX_API domain_start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  return start(domain_name(domain), name_of(event));
}
void NVTX_API domain_end(nvtxDomainHandle_t /*domain*/, nvtxRangeId_t id) { all_ranges->end(id); }
nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(new Named{text_of(name)});
}
nvtxDomainHandle_t NVTX_API create_domain_wide(const wchar_t* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(new Named{narrow(name)});
}
nvtxStringHandle_t NVTX_API register_text(nvtxDomainHandle_t /*domain*/, const char* text) {
  return reinterpret_cast<nvtxStringHandle_t>(new Named{text_of(text)});
}
nvtxStringHandle_t NVTX_API register_wide(nvtxDomainHandle_t /*domain*/, const wchar_t* text) {
  return reinterpret_cast<nvtxStringHandle_t>(new Named{narrow(text)});
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

}  // namespace warpgauge::inject
