// SPDX-License-Identifier: Apache-2.0
// Decisions of `warpgauge compare` on small results by what else is known of a change: machine
// code, launches, the machine, resources and source lines. See golden_verdicts.hpp.
#include <utility>

#include "tests/verdict/golden/golden_verdicts_small.hpp"

namespace warpgauge {
namespace {

using golden::counted;
using golden::GoldenVerdicts;
using golden::hour;
using golden::in_session;
using golden::Keep;
using golden::steady_ns;
using results::Access;
using results::Json;

// What the machine code and launches say of a time that moved. Controls are as before.
class GoldenCauses : public GoldenVerdicts {
 protected:
  static Measured kernel(const std::string& id, double time_ns, char code = 'a',
                         double wavefronts = 1536, std::uint64_t dynamic_shared_bytes = 64) {
    Measured measured{
        .id = id,
        .times_ns = steady_ns(time_ns),
        .counters = {{"shared_load_requests", 1536}, {"shared_load_wavefronts", wavefronts}}};
    if (code != '-') measured.machine_code = {kernel_code("tiled<1>(float*)", code)};
    measured.launches = {
        {.kernel = "tiled<1>(float*)", .grid = {128, 128, 1}, .block = {32, 8, 1}}};
    measured.launches[0].dynamic_shared_bytes = dynamic_shared_bytes;
    return measured;
  }

  // Each benchmark is named after what happens to it.
  void add(const std::string& name, Measured before, Measured after) {
    before.id = after.id = "a/" + name + "/1";
    before_.push_back(std::move(before));
    after_.push_back(std::move(after));
  }

  void add_controls(int count = 3) {
    for (int i = 0; i < count; ++i) {
      before_.push_back(kernel("control/copy/" + std::to_string(i), 60'000));
      after_.push_back(before_.back());
    }
  }

  // Each beside the controls alone: what moved with the same code would be taken for the machine.
  void compare_each() {
    approve(before_, 5, h200());
    write_results("before.json", h200(), before_);
    write_results("after.json", h200(), after_);
    for (const Measured& each : before_) {
      if (each.id.starts_with("control/")) continue;
      const std::string only = "--filter '^(control|" + each.id + ")'";
      compare(each.id, "baselines", "after.json", only, Keep::what_is_not_same);
      compare(each.id + " of a file", "before.json", "after.json", only, Keep::what_is_not_same);
    }
  }

  std::vector<Measured> before_;
  std::vector<Measured> after_;
};

TEST_F(GoldenCauses, OfTimes) {
  add_controls();
  const auto was = kernel("", 50'000);
  add("same_code_slower", was, kernel("", 53'000));
  add("same_code_faster", was, kernel("", 47'000));
  add("same_code_much_slower", was, kernel("", 60'000));
  add("same_code_much_faster", was, kernel("", 40'000));
  add("same_code_other_counters", was, kernel("", 53'000, 'a', 3072));
  add("other_code_slower", was, kernel("", 53'000, 'b'));
  add("other_code_faster", was, kernel("", 47'000, 'b'));
  add("other_code_same_time", was, kernel("", 50'010, 'b'));
  add("other_registers", was, kernel("", 53'000));
  after_.back().machine_code[0].registers = 40;
  add("code_not_known_now", was, kernel("", 53'000, '-'));
  add("code_not_known_before", kernel("", 50'000, '-'), kernel("", 53'000));
  add("launched_otherwise_slower", was, kernel("", 53'000, 'a', 1536, 65536));
  add("launched_otherwise_other_code", was, kernel("", 53'000, 'b', 1536, 65536));
  add("launched_otherwise_code_not_known", was, kernel("", 53'000, '-', 1536, 65536));
  add("launched_otherwise_same_time", was, kernel("", 50'010, 'a', 1536, 65536));
  add("other_kernels_of_other_code", was, kernel("", 53'000, 'b'));
  after_.back().launches[0].kernel = "tiled<0>(float*)";
  add("other_kernels_of_the_same_code", was, kernel("", 53'000));
  after_.back().launches[0].kernel = "tiled<0>(float*)";
  add("launches_not_observed_now", was, kernel("", 53'000));
  after_.back().launches.clear();
  add("launches_not_known_before_slower", was, kernel("", 53'000));
  before_.back().launches.clear();
  add("launches_not_known_before_much_slower", was, kernel("", 60'000));
  before_.back().launches.clear();
  add("no_counters", was, kernel("", 53'000));
  before_.back().counters.clear();
  after_.back().counters.clear();
  add("a_counter_on_one_side", was, kernel("", 53'000));
  before_.back().counters.erase("shared_load_requests");
  add("another_kernel_beside", was, kernel("", 53'000));
  after_.back().machine_code.push_back(kernel_code("more()", 'c'));
  add("a_kernel_less", was, kernel("", 53'000));
  before_.back().machine_code.push_back(kernel_code("more()", 'c'));
  add("another_compiler_of_the_same_code", was, kernel("", 53'000));
  after_.back().machine_code[0].compiler = "ptxas 13.1.1";
  add("another_architecture", was, kernel("", 53'000));
  after_.back().machine_code[0].architecture = "sm_80";
  compare_each();
}

TEST_F(GoldenCauses, OfCounters) {
  const auto was = kernel("", 50'000);
  add_controls();
  add("counter_same_code", was, kernel("", 50'000, 'a', 3072));
  add("counter_other_code", was, kernel("", 50'000, 'b', 3072));
  add("counter_launched_otherwise", was, kernel("", 50'000, 'a', 3072, 65536));
  add("counter_improved", was, kernel("", 50'000, 'b', 768));
  add("counter_without_launches_now", was, kernel("", 50'000, 'a', 3072));
  after_.back().launches.clear();
  compare_each();
}

TEST_F(GoldenCauses, ControlsTheMachineAndItsLikes) {
  const auto suite = [&](double machine, double kernels, char code, int controls, int others) {
    std::vector<Measured> all;
    for (int i = 0; i < controls; ++i) {
      const double slope = i == 1 ? -0.8 : 1 - 0.05 * i;
      all.push_back(kernel("control/copy/" + std::to_string(i), 60'000 * (1 + machine * slope)));
    }
    for (int i = 0; i < others; ++i) {
      const double slope = 0.8 - 0.1 * i;
      const double time = (40'000 + 1'000 * i) * (1 + machine * slope) * kernels;
      all.push_back(kernel("a/kernel/" + std::to_string(i), time, code));
    }
    return all;
  };
  // Sessions of both kinds of machine in turns, or of one kind alone.
  const auto judge = [&](const std::string& name, bool both_kinds, double machine, double kernels,
                         char code, int controls, int others = 4, char code_before = 'a',
                         const std::string& policy = "") {
    std::filesystem::remove_all(folder_ / "baselines");
    std::string files;
    for (int i = 0; i < 6; ++i) {
      const double of_session = both_kinds && i % 2 == 1 ? 0.02 : 0;
      const std::string file = "session" + std::to_string(i) + ".json ";
      write(file.substr(0, file.size() - 1),
            results_text(h200(), in_session(suite(of_session, 1, code_before, controls, others), i),
                         hour(i)));
      files += file;
    }
    ASSERT_EQ(warpgauge("approve " + files + "--reason first --policy policy.toml").status, 0);
    write_results("after.json", h200(),
                  in_session(suite(machine, kernels, code, controls, others), 7));
    compare(name, "baselines", "after.json", policy);
  };
  judge("the one kind", true, 0, 1, 'b', 3);
  judge("the other kind", true, 0.02, 1, 'b', 3);
  judge("the other kind, and slower", true, 0.02, 1.02, 'b', 3);
  judge("a kind that the baseline lacks", false, 0.02, 1.01, 'b', 3);
  judge("that kind with the same code", false, 0.02, 1, 'a', 3);
  judge("far beyond both kinds", true, 0.1, 1, 'b', 3);
  judge("two controls by name", true, 0.02, 1, 'b', 2);
  judge("one control by name", true, 0.02, 1, 'b', 1);
  judge("none by name, four by code", true, 0.02, 1, 'a', 0);
  judge("none by name, two by code", true, 0.02, 1, 'a', 0, 2);
  judge("none at all", true, 0.02, 1, 'b', 0);
  judge("many by code", true, 0.02, 1, 'a', 3, 9);
  judge("code not known", true, 0.02, 1, '-', 2, 4, '-');
  write("changed.toml", [] {
    std::string text = golden::kPolicy;
    return text.replace(text.find("control/*"), 9, "a/kernel/*");
  }());
  judge("the policy's controls changed", true, 0.02, 1, 'b', 3, 4, 'a', "--policy changed.toml");
}

TEST_F(GoldenCauses, CommonShift) {
  for (int i = 0; i < 6; ++i)
    add("moved" + std::to_string(i), kernel("", 100'000), kernel("", 103'000, 'b'));
  compare_files("six greater", before_, after_);
  compare_files("six less", after_, before_);
  before_.resize(4);
  after_.resize(4);
  compare_files("four greater", before_, after_);
}

// Where nothing else is known, that alone is what a reason can tell.
TEST_F(GoldenCauses, CountersBeyondTheirRange) {
  const auto with_bytes = [](double time_ns, double bytes) {
    Measured measured = kernel("a/b/1", time_ns, '-');
    measured.counters["dram_read_bytes"] = bytes;
    return std::vector<Measured>{measured};
  };
  compare_stored("slower and beyond", with_bytes(50'000, 1000), with_bytes(55'000, 2000));
  compare_stored("slower and within", with_bytes(50'000, 1000), with_bytes(55'000, 1000));
  compare_stored("the same time, beyond", with_bytes(50'000, 1000), with_bytes(50'000, 2000));
  compare_stored("too few sessions", with_bytes(50'000, 1000), with_bytes(55'000, 2000), 3);
}

TEST_F(GoldenCauses, WhatKernelsTake) {
  const auto taking = [](const std::map<std::string, double>& resources,
                         const std::string& compiler = "ptxas 13.0.88",
                         const std::string& architecture = "sm_90") {
    Measured measured{.id = "", .counters = resources};
    measured.counters["barriers"] = 3;
    const int registers =
        resources.contains("registers") ? static_cast<int>(resources.at("registers")) : 0;
    measured.machine_code = {kernel_code("k()", 'a', registers)};
    measured.machine_code[0].compiler = compiler;
    measured.machine_code[0].architecture = architecture;
    return measured;
  };
  const std::map<std::string, double> usual{
      {"registers", 32}, {"spill_store_bytes", 0}, {"code_bytes", 2048}};
  add("same", taking(usual), taking(usual));
  add("more_registers", taking(usual),
      taking({{"registers", 40}, {"spill_store_bytes", 0}, {"code_bytes", 4096}}));
  add("fewer_registers", taking({{"registers", 40}}), taking({{"registers", 32}}));
  add("spills", taking(usual),
      taking({{"registers", 32},
              {"spill_store_bytes", 16},
              {"spill_load_bytes", 16},
              {"code_bytes", 2048}}));
  add("another_compiler", taking(usual), taking({{"registers", 40}}, "ptxas 12.4.131"));
  add("another_architecture", taking(usual), taking({{"registers", 40}}, "ptxas 13.0.88", "sm_80"));
  add("no_code_now", taking(usual), counted("", {{"barriers", 3}}));
  add("no_code_before", counted("", {{"barriers", 3}}), taking(usual));
  compare_files("emulated", before_, after_, {}, "", emulated());
  compare_stored("against a baseline", before_, after_, 1, "", emulated());
  results::Device device;
  device.kind = results::DeviceKind::machine_code;
  device.name = "machine code for sm_90";
  device.key = "machine-code-sm-90";
  compare_files("read from an image", before_, after_, {}, "", device);
  compare_stored("read from an image, against a baseline", before_, after_, 1, "", device);
}

TEST_F(GoldenCauses, SourceLines) {
  using Lines = std::vector<results::SourceLine>;
  const auto load = [](int line, std::uint64_t requests, std::uint64_t wavefronts,
                       const std::string& text, const std::string& function = "kernel") {
    return source_line(line, Access::shared_load, requests, wavefronts, text, function);
  };
  const auto with = [](double wavefronts, const Lines& lines) {
    Measured measured =
        counted("", {{"shared_load_requests", 1536}, {"shared_load_wavefronts", wavefronts}});
    measured.lines = lines;
    return measured;
  };
  const auto grew = [&](const std::string& name, const Lines& before, const Lines& after) {
    add(name, with(1536, before), with(49152, after));
  };
  grew("line_moved", {load(30, 512, 512, "a"), load(31, 1024, 1024, "b")},
       {load(40, 512, 512, "a"), load(41, 1024, 48640, "b")});
  grew("line_edited", {load(30, 512, 512, "a"), load(31, 1024, 1024, "b")},
       {load(30, 512, 512, "a"), load(31, 1024, 48640, "b32")});
  grew("another_instance_of_a_template",
       {load(30, 512, 40000, "a", "t<1>"), load(31, 1024, 1024, "b", "t<1>")},
       {load(31, 1024, 9152, "b", "t<0>"), load(32, 512, 40000, "a", "t<0>")});
  grew("other_accesses", {load(31, 1536, 1536, "b")},
       {source_line(20, Access::shared_store, 1536, 99999, "c"), load(31, 1536, 49152, "b")});
  grew("several_lines", {load(30, 512, 512, "a")},
       {load(30, 512, 20000, "a"), load(31, 512, 29000, "b"), load(32, 512, 152, "c")});
  grew("five_lines", {},
       {load(30, 100, 9000, "a"), load(31, 100, 9001, "b"), load(32, 100, 9002, "c"),
        load(33, 100, 9003, "d"), load(34, 100, 9004, "e")});
  before_.back().lines = {load(30, 100, 100, "a")};
  grew("lines_about_a_quarter_of_the_greatest",
       {load(30, 100, 100, "a"), load(31, 100, 100, "b"), load(32, 100, 100, "c")},
       {load(30, 100, 20100, "a"), load(31, 100, 5100, "b"), load(32, 100, 5099, "c")});
  grew("two_widths_of_a_line", {load(30, 512, 512, "a")},
       {load(30, 512, 20000, "a"), load(30, 512, 29000, "a", "other")});
  grew("no_lines_before_several_now", {}, {load(30, 512, 20000, "a"), load(31, 1024, 29152, "b")});
  grew("no_lines_before_one_now", {}, {load(31, 1536, 49152, "b")});
  grew("no_lines_now", {load(31, 1536, 1536, "b")}, {});
  grew("no_lines_now_for_a_reason", {load(31, 1536, 1536, "b")}, {});
  after_.back().not_measured["source_lines"] = "not counted here";
  grew("no_line_grew", {load(31, 1536, 1536, "b")}, {load(31, 1536, 1536, "b")});
  grew("nothing_counted_before", {}, {load(31, 1536, 49152, "b"), load(32, 10, 20, "c")});
  before_.back().counters = {{"shared_load_requests", 0}, {"shared_load_wavefronts", 0}};
  grew("requests_not_counted", {load(31, 0, 1536, "b")}, {load(31, 0, 49152, "b")});
  before_.back().counters.erase("shared_load_requests");
  after_.back().counters.erase("shared_load_requests");
  add("more_requests", with(1536, {load(31, 1536, 1536, "b")}),
      with(1536, {load(31, 3072, 1536, "b")}));
  after_.back().counters["shared_load_requests"] = 3072;
  add("sectors", counted("", {{"global_load_requests", 8}, {"global_load_sectors", 8}}),
      counted("", {{"global_load_requests", 8}, {"global_load_sectors", 64}}));
  before_.back().lines = {source_line(9, Access::global_load, 8, 0, "g")};
  after_.back().lines = before_.back().lines;
  before_.back().lines[0].sectors = 8;
  after_.back().lines[0].sectors = 64;
  add("no_traffic", counted("", {{"barriers", 3}}), counted("", {{"barriers", 4}}));
  add("improved", with(49152, {load(31, 1536, 49152, "b")}),
      with(1536, {load(31, 1536, 1536, "b")}));
  compare_files("emulated", before_, after_, {}, "", emulated());
}

// Shards of one session on two dies are two sessions of the new side.
TEST_F(GoldenCauses, ShardsOfTwoDies) {
  std::vector<Measured> all;
  for (int i = 0; i < 4; ++i) all.push_back(kernel("a/kernel/" + std::to_string(i), 50'000));
  approve(all, 5, h200());
  const auto on_two_dies = [](double factor) {
    return [factor](Json& json) {
      Json& session = json["context"]["warpgauge"];
      session["dies"] = {{{"created", hour(12)}, {"uuid", "GPU-one"}},
                         {{"created", hour(13)}, {"uuid", "GPU-two"}}};
      session["device"]["uuid"] = "";
      int place = 0;
      for (Json& entry : json["benchmarks"]) {
        const int die = place++ % 2;
        entry["warpgauge"]["die"] = die;
        if (die == 1) {
          entry["warpgauge"]["time_ns"] = entry["warpgauge"]["time_ns"].get<double>() * factor;
        }
      }
    };
  };
  write_results("after.json", h200(), all, on_two_dies(1));
  compare("alike", "baselines", "after.json");
  write_results("after.json", h200(), all, on_two_dies(1.02));
  compare("two per cent apart", "baselines", "after.json");
}

}  // namespace
}  // namespace warpgauge
