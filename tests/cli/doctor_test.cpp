// SPDX-License-Identifier: Apache-2.0
// `warpgauge doctor`: what is made of the facts, and the command with a program that answers as the
// test wants.
#include "ci/cli/commands/doctor/doctor_report.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "ci/support/loaded_driver.hpp"
#include "tests/helpers/golden.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using ci::Check;
using ci::Diagnosis;
using ci::DoctorFacts;
using ci::Health;
using results::Json;

// A machine that lacks nothing.
DoctorFacts whole_machine() {
  DoctorFacts facts;
  facts.gpu = Json::parse(R"({
    "cuda": "13.0", "cupti": 130000, "cupti_of_build": 130000, "driver": "580.159.04",
    "driver_cuda": "13.0",
    "device": {"name": "NVIDIA H200", "compute_capability": "9.0", "multiprocessors": 132},
    "settings": {"sm_clock_mhz": 1980, "most_sm_clock_mhz": 1980, "ecc": true, "mig": false,
                 "persistence": true},
    "reading": {"slowed_by": ["idle"]}})");
  facts.counters = Json::object();
  facts.counters_for_root_only = true;
  for (const char* name : {"g++", "nvcc", "ncu", "nsys", "suite_emulated", "suite_gpu"}) {
    facts.programs[name] = std::string("/bin/") + name;
  }
  return facts;
}

const Check& find(const Diagnosis& diagnosis, const std::string& what) {
  for (const Check& check : diagnosis.checks) {
    if (check.what == what) return check;
  }
  throw std::logic_error("no check of " + what);
}

bool can(const Diagnosis& diagnosis, const std::string& name) {
  for (const auto& ability : diagnosis.abilities) {
    if (ability.name == name) return ability.given;
  }
  throw std::logic_error("no ability " + name);
}

TEST(Doctor, OfAMachineWithNothingAtAllSaysWhatToDo) {
  DoctorFacts facts;
  facts.why_no_gpu_answer = "there is no driver to ask";
  expect_golden(diagnosis_text(diagnose(facts)), "doctor_nothing.txt");
}

TEST(Doctor, OfAWholeMachineFindsNothing) {
  const Diagnosis diagnosis = diagnose(whole_machine());
  for (const Check& check : diagnosis.checks) {
    EXPECT_EQ(check.health, Health::fine) << check.what << ": " << check.found;
    EXPECT_EQ(check.remedy, "") << check.what;
  }
  for (const char* name : {"program", "time", "counters", "emulator"})
    EXPECT_TRUE(can(diagnosis, name));
  expect_golden(diagnosis_text(diagnosis), "doctor_whole.txt");
}

TEST(Doctor, WhatIsNotFineHasARemedy) {
  DoctorFacts nothing;
  nothing.why_no_gpu_answer = "why";
  for (const Check& check : diagnose(nothing).checks) {
    EXPECT_EQ(check.remedy.empty(), check.health == Health::fine) << check.what;
  }
}

TEST(Doctor, OfAReleaseNamesNothingThatOnlyACheckoutHas) {
  DoctorFacts facts = whole_machine();
  facts.has_suites_of_its_own = false;
  for (const char* name : {"suite_emulated", "suite_gpu", "g++"}) facts.programs.erase(name);
  const Diagnosis diagnosis = diagnose(facts);
  EXPECT_EQ(diagnosis_text(diagnosis).find("ci/"), std::string::npos);
  EXPECT_NE(find(diagnosis, "suite").remedy.find("warpgauge gate -- ./program"), std::string::npos);
  EXPECT_TRUE(can(diagnosis, "program"));
  EXPECT_FALSE(can(diagnosis, "time"));
}

TEST(Doctor, SaysWhyNoProgramCanBeWatched) {
  DoctorFacts facts = whole_machine();
  facts.why_not_any_program = "there is no libwarpgauge_inject.so";
  const Diagnosis diagnosis = diagnose(facts);
  EXPECT_EQ(find(diagnosis, "any program").remedy, "there is no libwarpgauge_inject.so");
  EXPECT_FALSE(can(diagnosis, "program"));
  EXPECT_TRUE(can(diagnosis, "time"));
}

TEST(Doctor, WithoutPermissionTimeCanBeMeasuredAndCountersCannot) {
  DoctorFacts facts = whole_machine();
  (*facts.counters)["counters_problem"] = "counters need permission: run as root";
  const Diagnosis diagnosis = diagnose(facts);
  EXPECT_EQ(find(diagnosis, "counters").health, Health::missing);
  EXPECT_EQ(find(diagnosis, "counters").found, "a trial failed; the driver lets only root count");
  EXPECT_EQ(find(diagnosis, "counters").remedy, "counters need permission: run as root");
  EXPECT_TRUE(can(diagnosis, "time"));
  EXPECT_FALSE(can(diagnosis, "counters"));
}

TEST(Doctor, ATrialThatCrashedIsNoPermission) {
  DoctorFacts facts = whole_machine();
  facts.counters.reset();
  facts.why_no_counters_answer = "died of signal 11";
  EXPECT_EQ(find(diagnose(facts), "counters").remedy, "died of signal 11");
  EXPECT_FALSE(can(diagnose(facts), "counters"));
}

TEST(Doctor, ADriverWithoutAGpuHasItsOwnWords) {
  DoctorFacts facts = whole_machine();
  facts.gpu->erase("device");
  (*facts.gpu)["device_problem"] = "the NVIDIA driver sees no GPU";
  const Diagnosis diagnosis = diagnose(facts);
  EXPECT_EQ(find(diagnosis, "GPU").remedy, "the NVIDIA driver sees no GPU");
  EXPECT_FALSE(can(diagnosis, "time"));
  EXPECT_TRUE(can(diagnosis, "emulator"));
}

TEST(Doctor, ASuiteThatDoesNotStartMeasuresNothing) {
  DoctorFacts facts = whole_machine();
  facts.why_not_started["suite_emulated"] = "libbenchmark.so.1: cannot open";
  const Diagnosis diagnosis = diagnose(facts);
  EXPECT_NE(find(diagnosis, "suite_emulated").remedy.find("libbenchmark.so.1"), std::string::npos);
  EXPECT_FALSE(can(diagnosis, "emulator"));
  EXPECT_TRUE(can(diagnosis, "time"));
}

struct Trouble {
  const char* pointer;  // into the GPU's answer
  const char* value;
  const char* what;
  const char* found;
};

constexpr Trouble kTroubles[] = {
    {"/cupti", "120000", "CUPTI", "version 120000 is loaded, but the suite was built with 130000"},
    {"/time_problem", "\"old driver\"", "timing by CUPTI", "CUDA events are used instead"},
    {"/profiler", "\"nsys\"", "other profilers", "nsys is in this process"},
    {"/nvml_problem", "\"there is no libnvidia-ml.so.1\"", "clocks", "not known"},
    {"/reading/slowed_by/0", "\"hardware_thermal_slowdown\"", "clocks",
     "up to 1980 of 1980 MHz, slowed now by hardware_thermal_slowdown"},
    {"/settings/persistence", "false", "persistence",
     "off: each process waits for the driver to start"},
    {"/settings/mig", "true", "MIG", "on: this is a part of a GPU"},
};

TEST(Doctor, EachTroubleIsSaidWithItsRemedy) {
  for (const Trouble& trouble : kTroubles) {
    SCOPED_TRACE(trouble.pointer);
    DoctorFacts facts = whole_machine();
    (*facts.gpu)[Json::json_pointer(trouble.pointer)] = Json::parse(trouble.value);
    const Diagnosis diagnosis = diagnose(facts);
    const Check& check = find(diagnosis, trouble.what);
    EXPECT_EQ(check.health, Health::limited);
    EXPECT_EQ(check.found, trouble.found);
    EXPECT_NE(check.remedy, "");
  }
}

TEST(Doctor, WhatCanBeMeasuredIsUpToTheSuiteThatWasNamed) {
  DoctorFacts facts = whole_machine();
  facts.suites = {{"a/suite", "emulated", 3, ""}};
  const Diagnosis diagnosis = diagnose(facts);
  EXPECT_EQ(find(diagnosis, "suite").found, "a/suite, for the emulated device, 3 benchmarks");
  EXPECT_TRUE(can(diagnosis, "emulator"));
  EXPECT_FALSE(can(diagnosis, "time"));
  EXPECT_THROW((void)find(diagnosis, "suite_gpu"), std::logic_error);

  facts.suites.push_back({"a/gpu", "gpu", 3, ""});
  EXPECT_TRUE(can(diagnose(facts), "counters"));
  facts.suites = {{"a/gpu", "", 0, "no libx.so"}};
  EXPECT_EQ(find(diagnose(facts), "suite").remedy, "no libx.so");
  EXPECT_FALSE(can(diagnose(facts), "time"));
  facts.suites = {{"a/gpu", "gpu", 0, ""}};
  EXPECT_EQ(find(diagnose(facts), "suite").health, Health::missing);
  EXPECT_FALSE(can(diagnose(facts), "time"));
}

class DoctorCommand : public InFolder {
 protected:
  // The command with a program that does this, without anything in PATH.
  Finished with(const std::string& script, const std::string& arguments) {
    const fs::path program = write("answers", "#!/bin/sh\n" + script + "\n");
    fs::permissions(program, fs::perms::owner_all);
    return shell("cd '" + folder_.string() + "' && PATH=/nowhere " + quoted(WARPGAUGE) +
                 " doctor --program ./answers " + arguments);
  }
};

TEST_F(DoctorCommand, IsUsefulWithoutTheProgramThatAsksCuda) {
  const Finished finished = warpgauge("doctor --program absent");
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find("there is no absent: build the target warpgauge_doctor where "
                                 "there is nvcc: cmake --preset ci -DWARPGAUGE_CUDA=ON "),
            std::string::npos)
      << finished.output;
  EXPECT_EQ(warpgauge("doctor --program absent --require time").status, 4);
  if (!ci::loaded_driver()) {
    EXPECT_NE(warpgauge("doctor").output.find("there is no driver to ask"), std::string::npos);
  }
  EXPECT_EQ(warpgauge("doctor --require courage").status, 64);
}

TEST_F(DoctorCommand, AsksForFactsAndThenForATrialOfCounters) {
  const std::string script =
      "if [ \"$1\" = counters ]; then echo '{\"counters_problem\": \"not allowed\"}'; else echo '" +
      whole_machine().gpu->dump() + "'; fi";
  const Finished finished = with(script, "--json");
  EXPECT_EQ(finished.status, 0) << finished.output;
  const Json json = Json::parse(finished.output);
  bool found = false;
  for (const Json& check : json.at("checks")) {
    if (check.at("what") != "counters") continue;
    found = true;
    EXPECT_EQ(check.at("remedy"), "not allowed");
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(json.at("can_measure").at("counters").at("given"), false);
  EXPECT_EQ(with(script, "--require counters").status, 4);
}

// As CTest's manual has it: https://cmake.org/cmake/help/latest/manual/ctest.1.html.
TEST_F(DoctorCommand, WritesEachGpuAsASlotForCTest) {
  Json answer = *whole_machine().gpu;
  answer["devices"] = {{{"uuid", "GPU-8E7E0102-aa"}, {"name", "NVIDIA H200"}},
                       {{"uuid", "GPU-00ff-bb"}, {"name", "NVIDIA H200"}}};
  const Finished finished = with("echo '" + answer.dump() + "'", "--resource-spec gpus.json");
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(Json::parse(results::read_file(folder_ / "gpus.json")), Json::parse(R"({
    "version": {"major": 1, "minor": 0},
    "local": [{"gpus": [{"id": "gpu_8e7e0102_aa", "slots": 1}, {"id": "gpu_00ff_bb", "slots": 1}]}]
  })"));
}

TEST_F(DoctorCommand, WritesNoSpecificationOfWhatItDoesNotKnow) {
  const auto refuses = [&](const std::string& script, const std::string& text) {
    const Finished finished = with(script, "--resource-spec gpus.json");
    EXPECT_EQ(finished.status, 4) << finished.output;
    EXPECT_NE(finished.output.find(text), std::string::npos) << finished.output;
    EXPECT_FALSE(fs::exists(folder_ / "gpus.json"));
  };
  Json answer = *whole_machine().gpu;
  refuses("echo '" + answer.dump() + "'", "warpgauge_doctor names none");
  answer["devices"] = {{{"uuid", 3}}};
  refuses("echo '" + answer.dump() + "'", "is it of the same version?");
  answer["settings"]["mig"] = true;
  refuses("echo '" + answer.dump() + "'", "shared by MIG");
  answer.erase("device");
  answer.erase("devices");
  answer.erase("settings");
  answer["device_problem"] = "the driver sees no GPU";
  refuses("echo '" + answer.dump() + "'", "to tests: the driver sees no GPU");
  refuses("exit 3", "no GPU was asked: ");
}

TEST_F(DoctorCommand, AProgramThatFailsIsNoGpu) {
  for (const char* script : {"kill -SEGV $$", "echo no >&2; exit 4", "echo text", "exit 127"}) {
    SCOPED_TRACE(script);
    const Finished finished = with(script, "");
    EXPECT_EQ(finished.status, 0) << finished.output;
    EXPECT_NE(finished.output.find("not asked: "), std::string::npos) << finished.output;
  }
}

TEST_F(DoctorCommand, AnAnswerOfAnotherVersionIsSaid) {
  for (const char* answer :
       {"[]", "3", R"({"device": 3})", R"({"device": {}, "settings": {"ecc": 3}})"}) {
    SCOPED_TRACE(answer);
    const Finished finished = with(std::string("echo '") + answer + "'", "");
    EXPECT_TRUE(finished.status == 0 || finished.status == 4) << finished.output;
    if (finished.status == 4) {
      EXPECT_NE(finished.output.find("is it of the same version?"), std::string::npos)
          << finished.output;
    }
  }
}

TEST_F(DoctorCommand, LooksAtTheSuiteThatIsNamed) {
  write("plan.json", Json{{"backend", "emulated"},
                          {"passes", {"counters"}},
                          {"device", to_json(emulated())},
                          {"benchmarks", {{"a/b/1", Json::object()}}}}
                         .dump());
  const Finished finished =
      shell("cd " + quoted(folder_.string()) + " && FAKE_SUITE_PLAN=plan.json " +
            quoted(WARPGAUGE) + " doctor --require emulator --suite " + quoted(FAKE_SUITE));
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find("fake_suite, for the emulated device, 1 benchmark"),
            std::string::npos)
      << finished.output;
  const Finished absent = warpgauge("doctor --require emulator --suite nowhere");
  EXPECT_EQ(absent.status, 4);
  EXPECT_NE(absent.output.find("there is no suite nowhere"), std::string::npos) << absent.output;
}

// Two libraries that are gone: the loader names one, the doctor both.
TEST_F(DoctorCommand, NamesEveryLibraryThatASuiteLacks) {
  const Finished built =
      shell("cd " + quoted(folder_.string()) +
            " && for name in one two; do echo \"int $name() { return 0; }\" | "
            "c++ -shared -fPIC -o lib$name.so -x c++ -; done && "
            "echo 'int one(); int two(); int main() { return one() + two(); }' | "
            "c++ -o suite -x c++ - -L. -lone -ltwo && rm libone.so libtwo.so");
  ASSERT_EQ(built.status, 0) << built.output;
  const std::string output = warpgauge("doctor --suite suite").output;
  EXPECT_NE(output.find("Of its libraries libone.so, libtwo.so are not found"), output.npos)
      << output;
}

}  // namespace
}  // namespace warpgauge
