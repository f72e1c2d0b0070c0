// SPDX-License-Identifier: Apache-2.0
// Decisions of `warpgauge compare` on the recorded sessions of the whole suite, with edits that
// stand for what people change, and by the project's own policy. See golden_verdicts.hpp.
#include <fnmatch.h>

#include <functional>
#include <utility>

#include "tests/verdict/golden/golden_verdicts.hpp"

namespace warpgauge {
namespace {

using golden::Golden;
using golden::Keep;
using results::Json;

// With a filter, overrides of benchmarks that were not recorded are not refused.
const std::string kProjectPolicy =
    "--policy " + quoted(SOURCE_ROOT "/tests/verdict/recorded/policy.toml");
const std::string kAll = "--filter . " + kProjectPolicy;
const std::string kSome = "--filter '^(scan|transpose)' " + kProjectPolicy;
const std::string kFew = "--filter '^transpose/[cp]' " + kProjectPolicy;

std::string recorded_path(int session) {
  return fmt::format("{}/tests/verdict/recorded/h200-{:02}.json", SOURCE_ROOT, session);
}

Json recorded(int session) {
  Json json = Json::parse(results::read_file(recorded_path(session)));
  for (Json& entry : json["benchmarks"]) entry["warpgauge"]["samples_ns"] = Json::array();
  return json;
}

using Edit = std::function<void(Json& entry)>;

void each(Json& session, const std::string& pattern, const Edit& edit) {
  for (Json& entry : session["benchmarks"]) {
    const auto id = entry["warpgauge"]["id"].get<std::string>();
    if (::fnmatch(pattern.c_str(), id.c_str(), 0) == 0) edit(entry);
  }
}

void slow_down(Json& session, const std::string& pattern, double factor) {
  each(session, pattern, [factor](Json& entry) {
    Json& time = entry["warpgauge"]["time_ns"];
    if (time.is_number()) time = time.get<double>() * factor;
  });
}

void multiply(Json& session, const std::string& pattern, const std::string& counter, double by) {
  each(session, pattern, [&](Json& entry) {
    if (entry.contains(counter)) entry[counter] = entry[counter].get<double>() * by;
  });
}

void compile_otherwise(Json& session, const std::string& pattern) {
  each(session, pattern, [](Json& entry) {
    if (!entry["warpgauge"].contains("machine_code")) return;
    for (Json& code : entry["warpgauge"]["machine_code"]) code["sass_hash"] = std::string(32, 'f');
  });
}

void forget_machine_code(Json& session, const std::string& pattern) {
  each(session, pattern, [](Json& entry) { entry["warpgauge"].erase("machine_code"); });
}

// The recorded sessions do not tell how kernels were launched.
void tell_launches(Json& session, const std::string& pattern, unsigned blocks = 1024) {
  each(session, pattern, [blocks](Json& entry) {
    if (!entry["warpgauge"].contains("kernels")) return;
    Json& launches = entry["warpgauge"]["launches"] = Json::array();
    for (const Json& kernel : entry["warpgauge"]["kernels"]) {
      results::KernelLaunch launch{.kernel = kernel.get<std::string>()};
      launch.grid = {blocks, 1, 1};
      launches.push_back(to_json(launch));
    }
  });
}

void remove(Json& session, const std::string& pattern) {
  Json kept = Json::array();
  for (Json& entry : session["benchmarks"]) {
    const auto id = entry["warpgauge"]["id"].get<std::string>();
    if (::fnmatch(pattern.c_str(), id.c_str(), 0) != 0) kept.push_back(std::move(entry));
  }
  session["benchmarks"] = std::move(kept);
}

class GoldenSuite : public Golden<InFolder> {
 protected:
  void approve_files(const std::string& files) {
    std::filesystem::remove_all(folder_ / "baselines");
    const Finished finished =
        warpgauge("approve " + files + " --reason recorded " + kProjectPolicy);
    ASSERT_EQ(finished.status, 0) << finished.output;
  }

  void approve(const std::vector<int>& sessions) {
    std::string files;
    for (const int session : sessions) files += quoted(recorded_path(session)) + " ";
    approve_files(files);
  }

  void approve_all_but_the_last() { approve({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}); }

  void compare_with_baseline(const std::string& name, const Json& fresh,
                             const std::string& options = kAll) {
    write("fresh.json", fresh.dump());
    compare(name, "baselines", "fresh.json", options, Keep::what_is_not_same);
  }

  // The last session with an edit, against all others.
  void compare_edited(const std::string& name, const std::function<void(Json&)>& edit,
                      const std::string& options = kAll) {
    Json fresh = last_;
    edit(fresh);
    compare_with_baseline(name, fresh, options);
  }

  Json last_ = recorded(12);
};

TEST_F(GoldenSuite, Unchanged) {
  approve_all_but_the_last();
  compare_with_baseline("a machine of the baseline's kind", last_);
  approve({4, 5, 6, 7, 8, 9, 10, 11, 12});
  compare("a machine that it lacks", "baselines", quoted(recorded_path(1)), kAll,
          Keep::what_is_not_same);
  approve({1, 2, 3});
  compare("sessions of one machine, another now", "baselines", quoted(recorded_path(12)), kSome,
          Keep::what_is_not_same);
  approve({8, 10});
  compare("two sessions", "baselines", quoted(recorded_path(9)), kSome, Keep::what_is_not_same);
  approve({8});
  compare("one session", "baselines", quoted(recorded_path(9)), kSome, Keep::what_is_not_same);
  compare("a file of the same machine", quoted(recorded_path(8)), quoted(recorded_path(9)), kSome,
          Keep::what_is_not_same);
}

TEST_F(GoldenSuite, TimesThatMoved) {
  approve_all_but_the_last();
  compare_edited("a family slower by 3 %", [](Json& fresh) { slow_down(fresh, "scan_*", 1.03); });
  compare_edited("a family slower by 12 %", [](Json& fresh) { slow_down(fresh, "scan_*", 1.12); });
  compare_edited("a family faster by 20 %", [](Json& fresh) { slow_down(fresh, "scan_*", 0.8); });
  compare_edited("a family slower by 3 %, of other code", [](Json& fresh) {
    slow_down(fresh, "scan_*", 1.03);
    compile_otherwise(fresh, "scan_*");
  });
  compare_edited("a family faster by 3 %, of other code", [](Json& fresh) {
    slow_down(fresh, "scan_*", 0.97);
    compile_otherwise(fresh, "scan_*");
  });
  compare_edited("a family slower by 0.8 %, of other code", [](Json& fresh) {
    slow_down(fresh, "re*", 1.008);
    compile_otherwise(fresh, "re*");
  });
  compare_edited("what has floors of its own slower by 3 %, of other code", [](Json& fresh) {
    for (const char* pattern : {"transpose/naive/*", "histogram_*", "bandwidth/*"}) {
      slow_down(fresh, pattern, 1.03);
      compile_otherwise(fresh, pattern);
    }
  });
  compare_edited("what is not gated", [](Json& fresh) {
    slow_down(fresh, "*/cub/*", 2);
    multiply(fresh, "*/cublas/*", "global_load_sectors", 2);
    multiply(fresh, "scan_*/lookback/*", "global_load_requests", 1.1);
  });
  compare_edited("one process far out", [](Json& fresh) {
    each(fresh, "transpose/*", [](Json& entry) {
      if (entry["repetition_index"] != 3) return;
      entry["warpgauge"]["time_ns"] = entry["warpgauge"]["time_ns"].get<double>() * 1.3;
    });
  });
  compare_edited("one process only", [](Json& fresh) {
    each(fresh, "reverse/*", [](Json& entry) {
      if (entry["repetition_index"] != 0) entry["warpgauge"]["id"] = "gone";
    });
    remove(fresh, "gone");
  });
  compare_edited("all slower by 1 %", [](Json& fresh) { slow_down(fresh, "*", 1.01); });
  compare_edited(
      "all slower by 12 %", [](Json& fresh) { slow_down(fresh, "*", 1.12); }, kSome);
  compare_edited(
      "all faster by 1 %, of other code",
      [](Json& fresh) {
        slow_down(fresh, "*", 0.99);
        compile_otherwise(fresh, "*");
      },
      kSome);
}

TEST_F(GoldenSuite, CountersAndCode) {
  approve_all_but_the_last();
  compare_edited("counters doubled and halved", [](Json& fresh) {
    multiply(fresh, "transpose/padded/*", "shared_load_wavefronts", 2);
    multiply(fresh, "transpose/shared/*", "shared_load_wavefronts", 0.5);
  });
  compare_edited("a counter doubled, slower by 4 %", [](Json& fresh) {
    multiply(fresh, "transpose/padded/*", "shared_load_wavefronts", 2);
    slow_down(fresh, "transpose/padded/*", 1.04);
  });
  compare_edited("other code that does the same",
                 [](Json& fresh) { compile_otherwise(fresh, "matmul/*"); });
  compare_edited("a counter gone", [](Json& fresh) {
    each(fresh, "stencil/*", [](Json& entry) { entry.erase("global_load_sectors"); });
    each(fresh, "stencil/shared/*",
         [](Json& entry) { entry["warpgauge"]["not_measured"]["counters"] = "no permission"; });
  });
  compare_edited("a counter that is new", [](Json& fresh) {
    each(fresh, "reverse/vectorized/*", [](Json& entry) { entry["barriers"] = 7; });
  });
  compare_edited("benchmarks that failed, are missing, new or not measured", [](Json& fresh) {
    each(fresh, "stencil/global/*", [](Json& entry) {
      entry["warpgauge"]["outcome"] = {{"status", "crashed"}, {"message", "died of SIGSEGV"}};
    });
    each(fresh, "stencil/shared/*", [](Json& entry) {
      entry["warpgauge"]["outcome"] = {{"status", "wrong_result"}, {"message", "3 are wrong"}};
    });
    remove(fresh, "reverse/grid_wide/*");
    each(fresh, "matmul/global/*", [](Json& entry) {
      entry["name"] = entry["warpgauge"]["id"] = "matmul/fresh/2048x2048x2048";
    });
    each(fresh, "adjacent_sum/global/*", [](Json& entry) {
      Json& ours = entry["warpgauge"];
      ours["time_ns"] = nullptr;
      ours["not_measured"]["time"] = "no clock";
    });
  });
  compare_edited("the policy's control and another one", [](Json& fresh) {
    compile_otherwise(fresh, "[!t]*");
    compile_otherwise(fresh, "transpose/[!c]*");
    slow_down(fresh, "scan_*", 1.03);
  });
  compare_edited(
      "no controls",
      [](Json& fresh) {
        compile_otherwise(fresh, "*");
        slow_down(fresh, "scan_*", 1.03);
      },
      kSome);
  compare_edited("machine code not known", [](Json& fresh) {
    forget_machine_code(fresh, "*");
    slow_down(fresh, "scan_*", 1.03);
  });
  const Json told = [this] {
    Json fresh = last_;
    tell_launches(fresh, "*");
    slow_down(fresh, "scan_*", 1.03);
    return fresh;
  }();
  compare_with_baseline("launches that the baseline does not tell", told);
}

TEST_F(GoldenSuite, Launches) {
  std::string files;
  for (const int number : {4, 5, 6, 7, 8, 9, 10, 11}) {
    Json session = recorded(number);
    tell_launches(session, "*");
    const std::string name = fmt::format("session{}.json", number);
    write(name, session.dump());
    files += name + " ";
  }
  approve_files(files);
  compare_edited("told alike, slower by 3 %", [](Json& fresh) {
    tell_launches(fresh, "*");
    slow_down(fresh, "scan_*", 1.03);
  });
  compare_edited("told alike, slower by 12 %", [](Json& fresh) {
    tell_launches(fresh, "*");
    slow_down(fresh, "scan_*", 1.12);
  });
  compare_edited("another grid, slower by 3 %", [](Json& fresh) {
    tell_launches(fresh, "*");
    tell_launches(fresh, "scan_*", 512);
    slow_down(fresh, "scan_*", 1.03);
  });
  compare_edited("another grid, the same time", [](Json& fresh) {
    tell_launches(fresh, "*");
    tell_launches(fresh, "transpose/*", 512);
  });
  compare_edited("not told now, slower by 3 %",
                 [](Json& fresh) { slow_down(fresh, "scan_*", 1.03); });
}

TEST_F(GoldenSuite, Circumstances) {
  approve_all_but_the_last();
  const auto judge = [&](const std::string& name, const char* path, const Json& value) {
    compare_edited(
        name,
        [&](Json& fresh) {
          fresh["context"]["warpgauge"][Json::json_pointer(path)] = value;
          multiply(fresh, "transpose/padded/*", "shared_load_wavefronts", 2);
        },
        kFew);
  };
  judge("another driver", "/device/driver", "590.1");
  judge("another power limit", "/settings/power_limit_w", 600.0);
  judge("hot", "/hot", true);
  judge("another device", "/device/key", "nvidia-h100");
  judge("a part of the device", "/device/multiprocessors", 16);
  judge("another host compiler", "/toolchain/host_compiler", "GNU 13.1.0");
}

TEST_F(GoldenSuite, Filters) {
  approve_all_but_the_last();
  const auto measured = [this](const std::string& filter, const std::string& kept) {
    Json fresh = last_;
    fresh["context"]["warpgauge"]["filter"] = filter;
    Json entries = Json::array();
    each(fresh, kept, [&](Json& entry) { entries.push_back(entry); });
    fresh["benchmarks"] = std::move(entries);
    slow_down(fresh, "scan_exclusive/blelloch/*", 1.2);
    return fresh;
  };
  compare_with_baseline("a family", measured("^scan_", "scan_*"), kProjectPolicy);
  compare_with_baseline("half of a family", measured("^scan_", "scan_exclusive/*"), kProjectPolicy);
  write("part.json", measured("^scan_", "scan_*").dump());
  compare("a file of a family", "part.json", quoted(recorded_path(12)), kProjectPolicy,
          Keep::what_is_not_same);
  // A session of a part of the suite stands in the baseline beside whole ones.
  approve({1, 2, 3, 4, 5, 6, 7});
  const Finished finished = warpgauge("approve " + quoted(recorded_path(8)) +
                                      " --reason part --filter '^(scan|re)' " + kProjectPolicy);
  ASSERT_EQ(finished.status, 0) << finished.output;
  compare_with_baseline("a baseline with a part", last_);
}

}  // namespace
}  // namespace warpgauge
