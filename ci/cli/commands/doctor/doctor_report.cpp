// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/commands/doctor/doctor_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "ci/support/text.hpp"
#include "profiling/results/json/session_json.hpp"

namespace warpgauge::ci {
namespace {

using results::DeviceSettings;
using results::Json;

std::string text_in(const std::optional<Json>& answer, const char* field) {
  if (!answer || !answer->contains(field)) return "";
  const Json& value = answer->at(field);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

const char* to_string(Health health) {
  switch (health) {
    case Health::fine:
      return "fine";
    case Health::limited:
      return "limited";
    case Health::missing:
      return "missing";
  }
  return "";
}

class Doctor {
 public:
  explicit Doctor(const DoctorFacts& facts) : facts_(facts) {}

  Diagnosis diagnose() {
    check_driver();
    check_gpu();
    check_cupti();
    check_counters();
    check_profiler();
    if (has_gpu()) check_settings();
    check_programs();
    judge_abilities();
    return std::move(diagnosis_);
  }

 private:
  [[nodiscard]] bool has_gpu() const { return facts_.gpu && facts_.gpu->contains("device"); }

  void add(const char* what, Health health, std::string found, std::string remedy = "") {
    diagnosis_.checks.push_back({what, health, std::move(found), std::move(remedy)});
  }

  void check_driver() {
    const std::string driver = text_in(facts_.gpu, "driver");
    if (!driver.empty() && driver != "none") {
      add("driver", Health::fine,
          fmt::format("{}, for programs up to CUDA {}", driver,
                      text_in(facts_.gpu, "driver_cuda")));
    } else if (facts_.loaded_driver) {
      add("driver", Health::fine, *facts_.loaded_driver);
    } else {
      add("driver", Health::missing, "no NVIDIA driver is loaded",
          "install it; in a container, start that with --gpus all. The emulator needs none");
    }
  }

  void check_gpu() {
    if (has_gpu()) {
      const Json& device = facts_.gpu->at("device");
      add("GPU", Health::fine,
          fmt::format("{}, compute capability {}, {} multiprocessors", device.value("name", ""),
                      device.value("compute_capability", ""), device.value("multiprocessors", 0)));
    } else if (facts_.gpu) {
      add("GPU", Health::missing, "CUDA has none", text_in(facts_.gpu, "device_problem"));
    } else {
      add("GPU", Health::missing, "not asked: " + facts_.why_no_gpu_answer,
          facts_.loaded_driver
              ? "install the CUDA toolkit, and build warpgauge_doctor with its nvcc"
              : "install the driver first");
    }
  }

  void check_cupti() {
    if (!facts_.gpu) return;
    const std::string loaded = text_in(facts_.gpu, "cupti");
    const std::string built = text_in(facts_.gpu, "cupti_of_build");
    const std::string cuda = text_in(facts_.gpu, "cuda");
    if (loaded == built) {
      add("CUPTI", Health::fine, fmt::format("version {}, of CUDA {}", loaded, cuda));
    } else {
      add("CUPTI", Health::limited,
          fmt::format("version {} is loaded, but the suite was built with {}", loaded, built),
          fmt::format("put the libcupti of CUDA {} first where the loader looks (LD_LIBRARY_PATH), "
                      "or rebuild",
                      cuda));
    }
    if (const std::string problem = text_in(facts_.gpu, "time_problem"); !problem.empty()) {
      add("timing by CUPTI", Health::limited, "CUDA events are used instead", problem);
    }
  }

  void check_counters() {
    if (!has_gpu()) return;
    const std::string problem = facts_.counters ? text_in(facts_.counters, "counters_problem")
                                                : facts_.why_no_counters_answer;
    const char* who = facts_.counters_for_root_only.value_or(false)
                          ? "the driver lets only root count"
                          : "the driver lets everyone count";
    const std::string rule = facts_.counters_for_root_only ? who : "";
    if (problem.empty()) {
      add("counters", Health::fine, rule.empty() ? "a kernel was counted" : "counted; " + rule);
    } else {
      add("counters", Health::missing, rule.empty() ? "a trial failed" : "a trial failed; " + rule,
          problem);
    }
  }

  void check_profiler() {
    const std::string profiler = text_in(facts_.gpu, "profiler");
    if (profiler.empty()) return;
    add("other profilers", Health::limited, profiler + " is in this process",
        "run Warpgauge without it: two profilers in one process crash each other");
  }

  void check_settings() {
    if (const std::string problem = text_in(facts_.gpu, "nvml_problem"); !problem.empty()) {
      add("clocks", Health::limited, "not known", problem);
      return;
    }
    const DeviceSettings settings = results::device_settings_from(facts_.gpu->at("settings"));
    check_clocks(settings);
    const auto on = [](const std::optional<bool>& value) { return value && *value; };
    if (settings.persistence) {
      add("persistence", on(settings.persistence) ? Health::fine : Health::limited,
          on(settings.persistence) ? "on" : "off: each process waits for the driver to start",
          on(settings.persistence) ? "" : "as root: nvidia-smi -pm 1");
    }
    if (settings.mig) {
      add("MIG", on(settings.mig) ? Health::limited : Health::fine,
          on(settings.mig) ? "on: this is a part of a GPU" : "off",
          on(settings.mig) ? "compare with baselines of the same part only; for counters, use a "
                             "whole GPU"
                           : "");
    }
    if (settings.ecc) add("ECC", Health::fine, on(settings.ecc) ? "on" : "off");
  }

  void check_clocks(const DeviceSettings& settings) {
    std::string found = "not told";
    if (settings.sm_clock_mhz && settings.most_sm_clock_mhz) {
      found = fmt::format("up to {:g} of {:g} MHz", *settings.sm_clock_mhz,
                          *settings.most_sm_clock_mhz);
    }
    const Json reading = facts_.gpu->value("reading", Json::object());
    std::vector<std::string> slowed_by;
    for (const Json& each : reading.value("slowed_by", Json::array())) {
      const auto reason = each.get<std::string>();
      if (reason != "idle" && reason != "application_clocks") slowed_by.push_back(reason);
    }
    if (slowed_by.empty()) {
      add("clocks", Health::fine, found + ", not slowed now");
    } else {
      add("clocks", Health::limited,
          fmt::format("{}, slowed now by {}", found, fmt::join(slowed_by, ", ")),
          "let it cool, and see nvidia-smi -q -d PERFORMANCE; samples taken meanwhile are "
          "discarded");
    }
  }

  void check_program(const char* name, Health otherwise, const char* remedy) {
    const auto found = facts_.programs.find(name);
    if (const auto why = facts_.why_not_started.find(name); why != facts_.why_not_started.end()) {
      add(name, Health::missing, "does not start",
          why->second + "; a library that it lacks may be installed by ci/scripts/setup.sh");
    } else if (found != facts_.programs.end()) {
      add(name, Health::fine, found->second);
    } else {
      add(name, otherwise, "not found", remedy);
    }
  }

  void check_programs() {
    check_program("g++", facts_.has_suites_of_its_own ? Health::missing : Health::limited,
                  "to build suites: apt-get install g++");
    check_program("nvcc", Health::limited,
                  "for GPUs and for machine code: install the CUDA toolkit, or put its bin into "
                  "PATH");
    if (facts_.why_not_any_program.empty()) {
      add("any program", Health::fine, "the library that watches launches is there");
    } else {
      add("any program", Health::missing, "its launches cannot be watched",
          facts_.why_not_any_program);
    }
    add("CPU suite", Health::fine,
        "any of Google Benchmark, by its own times: warpgauge init writes what gates it");
    if (facts_.suites.empty() && !facts_.has_suites_of_its_own) {
      add("suite", Health::limited, "this build has none of its own",
          "gate a program, as warpgauge gate -- ./program; for a suite that you built: --suite "
          "SUITE");
    } else if (facts_.suites.empty()) {
      check_program("suite_emulated", Health::missing, "build it: ci/gate.sh");
      check_program("suite_gpu", Health::limited,
                    "on a machine with nvcc and a GPU, build it: ci/gate.sh");
    }
    for (const SuiteFacts& suite : facts_.suites) check_suite(suite);
    check_program("ncu", Health::limited, "for warpgauge profile --tool ncu: Nsight Compute");
    check_program("nsys", Health::limited, "for warpgauge profile --tool nsys: Nsight Systems");
  }

  void check_suite(const SuiteFacts& suite) {
    if (!suite.problem.empty()) {
      add("suite", Health::missing, suite.path + " does not start", suite.problem);
    } else if (suite.benchmarks == 0) {
      add("suite", Health::missing, suite.path + " has no benchmark",
          "name its sources in warpgauge_add_benchmark()");
    } else {
      add("suite", Health::fine,
          fmt::format("{}, for the {} device, {}", suite.path, suite.backend,
                      counted(suite.benchmarks, "benchmark")));
    }
  }

  // Why no suite can measure on this device; empty: one can.
  [[nodiscard]] std::string suite_trouble(const char* backend, const char* usual) const {
    if (facts_.suites.empty()) {
      return first_trouble({facts_.has_suites_of_its_own ? usual : "suite"});
    }
    for (const SuiteFacts& suite : facts_.suites) {
      if (suite.backend == backend && suite.benchmarks > 0) return "";
    }
    if (std::string trouble = first_trouble({"suite"}); !trouble.empty()) return trouble;
    return fmt::format("suite: none that was named is for the {} device", backend);
  }

  [[nodiscard]] std::string first_trouble(std::initializer_list<std::string_view> of) const {
    for (const Check& check : diagnosis_.checks) {
      const bool asked = std::find(of.begin(), of.end(), check.what) != of.end();
      if (asked && check.health != Health::fine) {
        return fmt::format("{}: {}", check.what, check.found);
      }
    }
    return "";
  }

  void judge_abilities() {
    const auto judge = [&](const char* name, const std::string& trouble) {
      diagnosis_.abilities.push_back({name, trouble.empty(), trouble});
    };
    const auto either = [](std::string trouble, std::string other) {
      return trouble.empty() ? std::move(other) : std::move(trouble);
    };
    const std::string device = first_trouble({"driver", "GPU"});
    judge("program",
          either(device, first_trouble({"other profilers", "timing by CUPTI", "any program"})));
    const std::string gpu = either(device, suite_trouble("gpu", "suite_gpu"));
    judge("time", either(gpu, first_trouble({"other profilers"})));
    judge("counters", either(gpu, first_trouble({"other profilers", "counters"})));
    judge("emulator", suite_trouble("emulated", "suite_emulated"));
  }

  const DoctorFacts& facts_;
  Diagnosis diagnosis_;
};

}  // namespace

Diagnosis diagnose(const DoctorFacts& facts) { return Doctor(facts).diagnose(); }

std::string diagnosis_text(const Diagnosis& diagnosis) {
  std::vector<std::vector<std::string>> abilities;
  for (const Ability& each : diagnosis.abilities) {
    abilities.push_back({each.name, each.given ? "yes" : "no", one_line(each.why_not)});
  }
  std::string text = aligned_table({{"can measure"}, {""}, {"because of"}}, abilities) + "\n";
  std::size_t width = 0;
  for (const Check& check : diagnosis.checks) width = std::max(width, check.what.size());
  for (const Check& check : diagnosis.checks) {
    text += fmt::format("  {:<7}  {:<{}}  {}\n", to_string(check.health), check.what, width,
                        one_line(check.found));
    if (!check.remedy.empty()) {
      text += fmt::format("{:{}}→ {}\n", "", width + 13, one_line(check.remedy));
    }
  }
  return text;
}

Json to_json(const Diagnosis& diagnosis) {
  Json json{{"can_measure", Json::object()}, {"checks", Json::array()}};
  for (const Ability& each : diagnosis.abilities) {
    Json ability{{"given", each.given}};
    if (!each.given) ability["why_not"] = each.why_not;
    json["can_measure"][each.name] = std::move(ability);
  }
  for (const Check& check : diagnosis.checks) {
    Json entry{{"what", check.what}, {"health", to_string(check.health)}, {"found", check.found}};
    if (!check.remedy.empty()) entry["remedy"] = check.remedy;
    json["checks"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace warpgauge::ci
