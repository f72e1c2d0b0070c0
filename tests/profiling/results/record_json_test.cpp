// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/json/record_json.hpp"
#include "profiling/results/json/session_json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace warpgauge::results {
namespace {

Record full_record() {
  Record record;
  record.id = "transpose/padded/256x192";
  record.pass = Pass::counters;
  record.outcome = {Status::wrong_result, "wrong result: 3 of 7 elements"};
  record.work = {1024, 512, 33};
  record.samples_ns = {1024.5, 992};
  record.time_ns = 1000.25;
  record.time_method = "cupti_activity";
  record.sampling = {SamplingEnd::precision, 1.5, 40};
  record.counters = {{"shared_load_requests", 16777216}, {"barriers", 0}};
  record.counter_passes = 3;
  record.device_state =
      DeviceState{.before = {1980, 3201, 411.5, 700, 41, std::vector<std::string>{}},
                  .after = {.sm_clock_mhz = 1755,
                            .memory_clock_mhz = {},
                            .power_w = {},
                            .power_limit_w = {},
                            .temperature_c = {},
                            .slowed_by = std::vector<std::string>{"software_power_cap"}},
                  .discarded_samples = 20,
                  .slowed_throughout = true};
  record.lines = {{"kernels/transpose.cuh", 51, 9, "transpose_tiled<1>", "x = y;",
                   Access::shared_load, 4, 10, 320, 10, 0, 0, Compiled::unknown, ""},
                  {"kernels/transpose.cuh", 60, 0, "transpose_tiled<1>", "", Access::global_store,
                   16, 8, 0, 0, 128, 64, Compiled::merged, "1 × STG.128"}};
  record.lines[0].by_instruction = {{"", 704, "LDS.32", 4, 128, 4, 0, 0},
                                    {"", 736, "LDS.32", 6, 192, 6, 0, 0}};
  record.lines[1].by_instruction = {{"", 960, "STG.128", 8, 0, 0, 128, 64}};
  record.instructions = {{"second()", 16, "", 8, 1, 2, 3, 4}};
  record.grid_fills_device = true;
  record.kernels = {"void transpose_tiled<1>(float const*, float*)", "second()"};
  record.launches = {{.kernel = "second()",
                      .grid = {128, 64, 2},
                      .block = {32, 8, 1},
                      .dynamic_shared_bytes = 4096,
                      .cluster = {2, 1, 1},
                      .shared_carveout = 50,
                      .count = 3},
                     {.kernel = "third()"}};
  record.machine_code = {{.name = "second()",
                          .architecture = "sm_90",
                          .compiler = "ptxas 13.0.88",
                          .sass_hash = std::string(32, 'a'),
                          .instructions = 100,
                          .code_bytes = 2048,
                          .registers = 32,
                          .static_shared_bytes = 4224,
                          .stack_bytes = 16,
                          .spill_store_bytes = 8,
                          .spill_load_bytes = 12,
                          .accesses = {{{"load global 128", 4}, {"store local 32", 1}}},
                          .places = {{"load global 128", "kernels/copy.cuh", 31, "v = in[i];"},
                                     {"store local 32", "kernels/copy.cuh", 40, ""}}}};
  record.input_digest = "0123456789abcdef";
  record.sentinel_ns = 1234.5;
  record.not_timed = "its code is the same";
  record.not_measured = {{"time", "the emulator has no clock"}};
  record.remarks = {"exit before a barrier: kernel transpose_tiled<1>", "another"};
  return record;
}

TEST(RecordJson, ARecordSurvivesTheWayThroughText) {
  const Record record = full_record();
  const Record again = record_from(Json::parse(to_json(record).dump()));
  EXPECT_EQ(again, record);
  // Which make no machine code another.
  EXPECT_EQ(again.machine_code[0].accesses, record.machine_code[0].accesses);
  EXPECT_EQ(again.machine_code[0].places, record.machine_code[0].places);
}

TEST(RecordJson, WhatWasNotMeasuredIsAbsentAndNotZero) {
  Record record = full_record();
  record.time_ns.reset();
  const Json json = to_json(record);
  EXPECT_FALSE(json.contains("time_ns"));
  EXPECT_FALSE(record_from(json).time_ns.has_value());
}

TEST(RecordJson, WhatIsNotKnownOfMachineCodeIsAbsentAndNotZero) {
  Record record = full_record();
  KernelCode& code = record.machine_code[0];
  code.stack_bytes = code.spill_store_bytes = code.spill_load_bytes = std::nullopt;
  code.accesses.reset();
  code.places.clear();
  const Json json = to_json(record);
  EXPECT_FALSE(json["machine_code"][0].contains("stack_bytes"));
  EXPECT_FALSE(json["machine_code"][0].contains("accesses"));
  EXPECT_FALSE(json["machine_code"][0].contains("places"));
  EXPECT_EQ(record_from(json), record);
}

TEST(RecordJson, ADeviceSurvivesTheWayThroughText) {
  const Device device{DeviceKind::gpu, "NVIDIA H200", "nvidia-h200", "GPU-1-2", "9.0", 132,
                      62914560,        150754820096,  "580.159.04"};
  EXPECT_EQ(device_from(Json::parse(to_json(device).dump())), device);
}

TEST(RecordJson, SettingsSurviveTheWayThroughText) {
  const DeviceSettings settings{1980, 3201, 1981, 3202, 700, 701, true, false, true, ""};
  EXPECT_EQ(device_settings_from(Json::parse(to_json(settings).dump())), settings);
  DeviceSettings none;
  none.not_measured = "there is no library";
  EXPECT_EQ(to_json(none).size(), 1U) << "what is not known must be absent";
  EXPECT_EQ(device_settings_from(to_json(none)), none);
}

TEST(RecordJson, ADeviceKeyThatIsNoFolderNameIsRefused) {
  Json json = to_json(Device{});
  for (const char* key : {"", "..", "../../etc", "a/b", "NVIDIA", "-x"}) {
    json["key"] = key;
    EXPECT_THROW((void)device_from(json), FormatError) << key;
  }
}

struct Damage {
  const char* field;
  Json value;
  const char* complaint;
};

class DamagedRecord : public testing::TestWithParam<Damage> {};

TEST_P(DamagedRecord, IsRefusedAndTheFieldNamed) {
  Json json = to_json(full_record());
  json[Json::json_pointer(GetParam().field)] = GetParam().value;
  try {
    (void)record_from(json);
    FAIL() << "accepted " << GetParam().field;
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().complaint), std::string::npos)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fields, DamagedRecord,
    testing::Values(
        Damage{"/id", 7, "id: must be a string"},
        Damage{"/pass", "tiem", "'tiem' is not one of time, sentinel, counters, lines"},
        Damage{"/outcome/status", "fine", "outcome.status"},
        Damage{"/work", Json::array(), "work: must be an object"},
        Damage{"/work/bytes_read", "x", "bytes_read: must be a number"},
        Damage{"/samples_ns", 3, "samples_ns: must be a list"},
        Damage{"/samples_ns/0", nullptr, "samples_ns[0]: must be a number"},
        Damage{"/time_ns", std::numeric_limits<double>::infinity(), "time_ns: is not finite"},
        Damage{"/counters/barriers", "0", "counters.barriers: must be a number"},
        Damage{"/counter_passes", "3", "counter_passes: must be a whole number"},
        Damage{"/device_state", 3, "device_state: must be an object"},
        Damage{"/device_state/before", 3, "before: must be an object"},
        Damage{"/device_state/after/power_w", "x", "power_w: must be a number"},
        Damage{"/device_state/after/slowed_by/0", 1, "slowed_by[0]: must be a string"},
        Damage{"/kernels/0", 1, "kernels[0]: must be a string, is number"},
        Damage{"/lines/0/requests", -1, "requests: must be a whole number"},
        Damage{"/lines/0/requests", 1.5, "requests: must be a whole number"},
        Damage{"/lines/0/line", 10'000'000'000U, "line: 10000000000 is too large"},
        Damage{"/lines/0/by_instruction/1/wavefronts", -1, "wavefronts: must be a whole"},
        Damage{"/lines/0/by_instruction", 1, "by_instruction: must be a list"},
        Damage{"/instructions/0/kernel", 1, "kernel: must be a string"},
        Damage{"/not_measured/time", 0, "not_measured.time: must be a string"},
        Damage{"/launches", 5, "launches: must be a list"},
        Damage{"/launches/0/grid", 5, "grid: must be a list"},
        Damage{"/launches/0/grid", Json::array({1U, 2U}), "grid: must be three whole numbers"},
        Damage{"/launches/0/grid", Json::array({1U, 2U, 3U, 4U}), "grid: must be three whole"},
        Damage{"/launches/0/block/2", -1,
               "block: must be three whole numbers from 1 to 4294967295, is [32,8,-1]"},
        Damage{"/launches/0/block/1", 0U, "block: must be three whole numbers from 1"},
        Damage{"/launches/0/block/1", 1.5, "block: must be three whole numbers from 1"},
        Damage{"/launches/0/grid/0", 4'294'967'296U, "grid: must be three whole numbers"},
        Damage{"/launches/0/cluster/0", 0, "cluster: must be three whole numbers"},
        Damage{"/launches/0/shared_carveout", 101, "shared_carveout: must be at most 100, is 101"},
        Damage{"/launches/0/count", "1", "count: must be a whole number"},
        Damage{"/launches/0/count", 0, "count: must be at least 1, is 0"},
        Damage{"/machine_code", 5, "machine_code: must be a list"},
        Damage{"/machine_code/0/registers", -1, "registers: must be a whole number"},
        Damage{"/machine_code/0/stack_bytes", "8", "stack_bytes: must be a whole"},
        Damage{"/machine_code/0/accesses/load global 128", -4, "must be a whole number"},
        Damage{"/machine_code/0/places/0/line", -1, "line: must be a whole number"},
        Damage{"/remarks/1", 5, "remarks[1]: must be a string, is number"},
        Damage{"/remarks", "one", "remarks: must be a list"}));

TEST(RangeName, HasNothingThatAProfilersFilterTakesForItsOwn) {
  EXPECT_EQ(range_name("transpose/padded/4096x4096"), "transpose.padded.4096x4096");
  EXPECT_EQ(range_name("a_b-c/d@e[f]*g,h:i\\j k"), "a_b-c.d.e.f..g.h.i.j.k");
}

TEST(DeviceKey, IsAFolderName) {
  EXPECT_EQ(device_key("NVIDIA H200"), "nvidia-h200");
  EXPECT_EQ(device_key("  NVIDIA GeForce RTX 4090 (Ti)/x "), "nvidia-geforce-rtx-4090-ti-x");
  EXPECT_EQ(device_key("emulated"), "emulated");
}

}  // namespace
}  // namespace warpgauge::results
