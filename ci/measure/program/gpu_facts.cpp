// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/program/gpu_facts.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ci/support/errors.hpp"
#include "ci/support/process/helper_query.hpp"
#include "ci/support/process/process.hpp"
#include "profiling/results/json/session_json.hpp"

namespace warpgauge::ci {
namespace {

using results::Json;

// No program but a suite can run emulated.
std::string without_advice_for_suites(std::string problem) {
  for (const std::string_view advice :
       {", or run the emulated suite", "; or run the emulated suite"}) {
    if (problem.ends_with(advice)) problem.resize(problem.size() - advice.size());
  }
  return problem;
}

GpuFacts facts_of(const Json& answer) {
  GpuFacts facts;
  for (const Json& each : answer.value("devices", Json::array())) {
    facts.uuids.push_back(each.at("uuid").get<std::string>());
  }
  // An older CUDA than the doctor's may well do with the driver that is there.
  const std::string problem = answer.value("device_problem", "");
  if (answer.value("driver", "") == "none" || problem.starts_with("the NVIDIA driver sees no")) {
    facts.no_gpu = without_advice_for_suites(problem);
  }
  facts.cuda = answer.value("driver_cuda", "");
  if (answer.contains("settings")) {
    facts.settings = results::device_settings_from({answer["settings"], "settings"});
  }
  for (const Json& each : answer.value("other_processes", Json::array())) {
    facts.other_processes.insert(each.get<std::string>());
  }
  if (!answer.contains("other_processes")) {
    facts.others_unknown = answer.value(
        "other_processes_problem", answer.value("nvml_problem", "warpgauge_doctor does not say"));
  }
  return facts;
}

}  // namespace

std::optional<GpuFacts> ask_doctor(const std::filesystem::path& doctor, const std::string& uuid) {
  std::filesystem::path program = doctor;
  std::vector<std::string> arguments;
  if (!uuid.empty()) {
    program = find_program("env");
    arguments = {"CUDA_VISIBLE_DEVICES=" + uuid, doctor.string()};
  }
  try {
    GpuFacts facts = facts_of(ask(program, arguments, kQuestionTimeout, "is it of this version?"));
    if (facts.uuids.empty() && facts.no_gpu.empty()) return std::nullopt;
    return facts;
  } catch (const Error&) {
    return std::nullopt;
  } catch (const results::FormatError&) {
    return std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace warpgauge::ci
