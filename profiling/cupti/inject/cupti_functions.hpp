// SPDX-License-Identifier: Apache-2.0
// The functions of CUPTI, of whichever libcupti the program has.
//
// Two copies of libcupti in one process do not see each other's callbacks. So one that is loaded
// already, as PyTorch's wheel brings it, is taken; else one that lies beside CUDA libraries that
// are loaded, as in other wheels; else the loader's own, this library's bundle and the toolkit's.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <string>

namespace warpgauge::inject {

struct CuptiFunctions {
  decltype(cuptiGetVersion)* get_version = nullptr;
  decltype(cuptiSubscribe)* subscribe = nullptr;
  decltype(cuptiEnableCallback)* enable_callback = nullptr;
  decltype(cuptiActivityRegisterCallbacks)* register_callbacks = nullptr;
  decltype(cuptiActivityEnable)* enable = nullptr;
  decltype(cuptiActivityGetNextRecord)* next_record = nullptr;
  decltype(cuptiActivityGetNumDroppedRecords)* dropped_records = nullptr;
  decltype(cuptiActivityFlushAll)* flush_all = nullptr;
  decltype(cuptiGetResultString)* result_string = nullptr;
  // Nothing in those that lack them.
  decltype(cuptiActivitySetAttribute)* set_attribute = nullptr;
  decltype(cuptiActivityDisable)* disable = nullptr;
  decltype(cuptiFinalize)* finalize = nullptr;
  CUptiResult(CUPTIAPI* register_timestamp)(std::uint64_t(CUPTIAPI*)()) = nullptr;
  CUptiResult(CUPTIAPI* subscribe_v2)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*,
                                      void*) = nullptr;

  decltype(cuptiEnableDomain)* enable_domain = nullptr;
  decltype(cuptiGetCallbackName)* callback_name = nullptr;

  void* library = nullptr;
  std::string path;     // of the library that they are of
  std::string problem;  // why there are none; empty: all are there
};

[[nodiscard]] CuptiFunctions find_cupti();

}  // namespace warpgauge::inject
