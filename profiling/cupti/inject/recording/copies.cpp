// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/recording/copies.hpp"

#include <string_view>

#include "profiling/results/program_id.hpp"

namespace warpgauge::inject {
namespace {

// More than any CUPTI has.
constexpr CUpti_CallbackId kMostCalls = 2'048;

const char* name_of(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return results::kCopyToDevice;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return results::kCopyToHost;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return results::kCopyOnHost;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return results::kCopyBetweenDevices;
    default:
      return results::kCopyOnDevice;
  }
}

// The first fields of these records are the same in every CUPTI from 12.0 on.
template <class Record>
std::optional<Copy> made_of(const CUpti_Activity& activity, const char* name) {
  const auto& record = reinterpret_cast<const Record&>(activity);
  if (record.start == 0 || record.end < record.start) return std::nullopt;
  Copy copy;
  copy.call = record.correlationId;
  copy.launch.kernel = name;
  copy.launch.start_ns = record.start;
  copy.launch.end_ns = record.end;
  copy.launch.stream = record.streamId;
  copy.launch.alike.device = record.deviceId;
  copy.launch.alike.grid[0] = static_cast<std::uint32_t>(record.bytes);
  copy.launch.alike.grid[1] = static_cast<std::uint32_t>(record.bytes >> 32U);
  copy.launch.alike.in_graph = record.graphNodeId != 0 ? 1 : 0;
  return copy;
}

bool copies(std::string_view name) {
  for (const std::string_view begins :
       {"Memcpy", "Memset", "GraphAddMemcpyNode", "GraphAddMemsetNode"}) {
    if (name.starts_with(begins)) return true;
  }
  return false;
}

std::vector<bool> calls_of(const CuptiFunctions& cupti, CUpti_CallbackDomain domain,
                           std::string_view api) {
  std::vector<bool> are(kMostCalls);
  for (CUpti_CallbackId id = 1; id < kMostCalls; ++id) {
    const char* text = nullptr;
    const bool is_known = cupti.callback_name != nullptr &&
                          cupti.callback_name(domain, id, &text) == CUPTI_SUCCESS &&
                          text != nullptr;
    const std::string_view name = is_known ? text : "";
    are[id] = name.starts_with(api) && copies(name.substr(api.size()));
  }
  return are;
}

}  // namespace

bool CopyCalls::begin(const CuptiFunctions& cupti, CUpti_SubscriberHandle subscriber) {
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET}) {
    if (cupti.enable(kind) != CUPTI_SUCCESS) return false;
  }
  driver_ = calls_of(cupti, CUPTI_CB_DOMAIN_DRIVER_API, "cu");
  runtime_ = calls_of(cupti, CUPTI_CB_DOMAIN_RUNTIME_API, "cuda");
  for (CUpti_CallbackId id = 0; id < kMostCalls; ++id) {
    for (const auto domain : {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API}) {
      if (contain(domain, id)) cupti.enable_callback(1, subscriber, domain, id);
    }
  }
  return true;
}

std::optional<Copy> copy_of(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return made_of<CUpti_ActivityMemcpy6>(
          record, name_of(reinterpret_cast<const CUpti_ActivityMemcpy6&>(record).copyKind));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return made_of<CUpti_ActivityMemcpyPtoP4>(record, results::kCopyBetweenDevices);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return made_of<CUpti_ActivityMemset4>(record, results::kMemset);
    default:
      return std::nullopt;
  }
}

}  // namespace warpgauge::inject
