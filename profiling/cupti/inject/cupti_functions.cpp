// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/cupti_functions.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <string_view>
#include <vector>

#include "profiling/cupti/inject/program_hooks/loaded_libraries.hpp"

namespace warpgauge::inject {
namespace {

constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12"};

struct Loaded {
  std::string cupti;                 // its path; empty: not loaded
  std::vector<std::string> folders;  // of CUDA libraries
};

bool look_for_cupti(const link_map& library, void* found) {
  const std::string_view path = library.l_name == nullptr ? "" : library.l_name;
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return true;
  const std::string_view name = path.substr(slash + 1);
  auto& loaded = *static_cast<Loaded*>(found);
  if (name.starts_with("libcupti.so")) loaded.cupti = path;
  for (const char* cuda : {"libcudart.so", "libnvrtc.so", "libcublas.so", "libnvJitLink.so"}) {
    if (name.starts_with(cuda)) loaded.folders.emplace_back(path.substr(0, slash));
  }
  return true;
}

// In the order in which they are tried.
std::vector<std::string> candidates(const Loaded& loaded) {
  std::vector<std::string> paths;
  for (const char* name : kNames) {
    for (const std::string& folder : loaded.folders) {
      // Wheels of CUDA 13 share a folder; of CUDA 12, each has its own beside the others.
      paths.push_back(folder + "/" + name);
      paths.push_back(folder + "/../../cuda_cupti/lib/" + name);
      paths.push_back(folder + "/../extras/CUPTI/lib64/" + name);
    }
  }
  for (const char* name : kNames) paths.emplace_back(name);
  for (const char* name : kNames) {
    for (const char* folder : {"/usr/local/cuda/extras/CUPTI/lib64/", "/usr/local/cuda/lib64/"}) {
      paths.push_back(std::string(folder) + name);
    }
  }
  return paths;
}

void* open_cupti(std::string& path) {
  Loaded loaded;
  each_library(look_for_cupti, &loaded);
  path = loaded.cupti;
  if (!path.empty()) return ::dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  for (const std::string& each : candidates(loaded)) {
    const bool is_path = each.find('/') != each.npos;
    if (is_path && ::access(each.c_str(), R_OK) != 0) continue;
    path = each;
    if (void* const library = ::dlopen(each.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

}  // namespace

CuptiFunctions find_cupti() {
  CuptiFunctions cupti;
  void* const library = open_cupti(cupti.path);
  if (library == nullptr) {
    cupti.problem =
        "no libcupti.so.13 nor .12 is found: install the toolkit's CUPTI (Python: pip install "
        "nvidia-cuda-cupti), or name its folder in LD_LIBRARY_PATH";
    return cupti;
  }
  cupti.library = library;
  const auto find_if_there = [&](auto& function, const char* name) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
  };
  const auto find = [&](auto& function, const char* name) {
    find_if_there(function, name);
    if (function == nullptr) cupti.problem = cupti.path + " has no " + name;
  };
  find(cupti.get_version, "cuptiGetVersion");
  find(cupti.subscribe, "cuptiSubscribe");
  find(cupti.enable_callback, "cuptiEnableCallback");
  find(cupti.register_callbacks, "cuptiActivityRegisterCallbacks");
  find(cupti.enable, "cuptiActivityEnable");
  find(cupti.next_record, "cuptiActivityGetNextRecord");
  find(cupti.dropped_records, "cuptiActivityGetNumDroppedRecords");
  find(cupti.flush_all, "cuptiActivityFlushAll");
  find(cupti.result_string, "cuptiGetResultString");
  find_if_there(cupti.set_attribute, "cuptiActivitySetAttribute");
  find_if_there(cupti.disable, "cuptiActivityDisable");
  find_if_there(cupti.finalize, "cuptiFinalize");
  find_if_there(cupti.register_timestamp, "cuptiActivityRegisterTimestampCallback");
  find_if_there(cupti.subscribe_v2, "cuptiSubscribe_v2");
  find_if_there(cupti.enable_domain, "cuptiEnableDomain");
  find_if_there(cupti.callback_name, "cuptiGetCallbackName");
  return cupti;
}

}  // namespace warpgauge::inject
