// SPDX-License-Identifier: Apache-2.0
// `warpgauge affected`: of committed machine code, and launches that results files record.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/helpers/one_line.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/helpers/schema.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using Document = nlohmann::json;

const std::string kAdd = "add(float*, float const*, int)";

class AffectedCommand : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write("before.json", suite(8));
    write("after.json", suite(8));
  }

  static std::string suite(std::uint32_t blocks) {
    const auto benchmark = [](const std::string& id, const std::string& kernel,
                              std::uint32_t grid) {
      return Measured{.id = id,
                      .counters = {{"barriers", 1}},
                      .launches = {{.kernel = kernel, .grid = {grid, 1, 1}}}};
    };
    return results_text(emulated(), {benchmark("a/add/1", kAdd, blocks),
                                     benchmark("a/scale/1", "void scale<3>(float*)", 8)});
  }

  static std::string image(const std::string& name) {
    return quoted(std::string(SOURCE_ROOT) + "/tests/fuzz/corpus/machine_code/" + name);
  }

  [[nodiscard]] Finished affected(const std::string& before, const std::string& after,
                                  const std::string& arguments) const {
    return warpgauge("affected --before " + image(before) + " --after " + image(after) + " " +
                     arguments);
  }
};

const std::string kSuites = "--suite-before before.json --suite after.json ";

TEST_F(AffectedCommand, PrintsNoFilterWhereTheSameIsOnlyCompressedDifferently) {
  const Finished filter = affected("zstd.fatbin", "lz4.fatbin", kSuites + "--as-filter");
  EXPECT_EQ(filter.status, 0);
  EXPECT_EQ(filter.output, "");
  EXPECT_EQ(affected("zstd.fatbin", "lz4.fatbin", kSuites).output,
            "0 of 2 benchmarks may be affected.\n0 of 2 kernels changed.\n");
}

TEST_F(AffectedCommand, PrintsAFilterForWhatIsLaunchedDifferently) {
  write("after.json", suite(16));
  EXPECT_EQ(affected("zstd.fatbin", "lz4.fatbin", kSuites + "--as-filter").output, "^(a/add/)\n");
  const Finished text = affected("zstd.fatbin", "lz4.fatbin", kSuites);
  EXPECT_NE(text.output.find("affected  a/add/1: launched differently: add: grid 8 → 16\n"),
            std::string::npos)
      << text.output;
}

// A program that launches the same kernels in another way is not the same.
TEST_F(AffectedCommand, WithoutASuiteOnlyTheSameFilesAreNotAffected) {
  const auto filter = [&](const std::string& before, const std::string& after) {
    const Finished finished =
        warpgauge("affected --before " + before + " --after " + after + " --as-filter");
    EXPECT_EQ(finished.status, 0) << finished.output;
    return finished.output;
  };
  EXPECT_EQ(filter(image("zstd.fatbin"), image("zstd.fatbin")), "");
  EXPECT_EQ(filter(image("zstd.fatbin"), image("lz4.fatbin")), ".\n");
  const std::string two = image("zstd.fatbin") + " --before " + image("add.cubin");
  EXPECT_EQ(filter(two, image("zstd.fatbin")), ".\n");
  for (const char* side : {"a", "b"}) {
    write(std::string(side) + "/bin/program", "code");
    write(std::string(side) + "/libmine.so", "more code");
  }
  EXPECT_EQ(filter("a", "b"), "");
  write("b/libmine.so", "more cod_");
  EXPECT_EQ(filter("a", "b"), ".\n");
  fs::rename(folder_ / "b/libmine.so", folder_ / "b/libother.so");
  write("b/libother.so", "more code");
  EXPECT_EQ(filter("a", "b"), ".\n");
  fs::remove(folder_ / "b/libother.so");
  EXPECT_EQ(filter("a", "b"), ".\n");
  for (const char* empty : {"c", "d"}) fs::create_directory(folder_ / empty);
  EXPECT_EQ(filter("c", "d"), ".\n");
  for (const char* side : {"c", "d"}) {
    write(std::string("of_") + side + "/libmine.so", side);
    fs::create_directory_symlink(folder_ / (std::string("of_") + side), folder_ / side / "lib");
  }
  EXPECT_EQ(filter("c", "d"), ".\n") << "a link leads to other files";
}

TEST_F(AffectedCommand, TakesOneSuiteAndSaysThatLaunchesWereNotCompared) {
  write("after.json", suite(16));
  const Finished text = affected("zstd.fatbin", "lz4.fatbin", "--suite after.json");
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.output,
            "0 of 2 benchmarks may be affected.\nLaunches were not compared, so host code may have "
            "changed them: for that give --suite-before.\n0 of 2 kernels changed.\n");
  EXPECT_EQ(affected("zstd.fatbin", "lz4.fatbin", "--suite after.json --as-filter").output, "");
}

TEST_F(AffectedCommand, RefusesPipesInsteadOfWaiting) {
  ASSERT_EQ(shell("mkfifo " + quoted((folder_ / "pipe").string())).status, 0);
  for (const char* const suites : {"--suite pipe", "--suite-before pipe --suite after.json"}) {
    expect_one_line(affected("zstd.fatbin", "lz4.fatbin", suites), 4,
                    "cannot read pipe: it is a pipe or a device; name a regular file");
  }
}

TEST_F(AffectedCommand, PrintsAsJsonWhatItsSchemaSays) {
  const auto json_of = [&](const std::string& after, const std::string& arguments) {
    const Finished finished = affected("plain.fatbin", after, arguments + "--json");
    EXPECT_EQ(finished.status, 0) << finished.output;
    EXPECT_EQ(why_invalid(finished.output, "ci/cli/output.schema.json", "affected"), "")
        << finished.output;
    return Document::parse(finished.output);
  };
  const Document kernels = json_of("add.cubin", "");
  EXPECT_TRUE(kernels["affected"]);
  EXPECT_EQ(kernels["filter"], ".");
  EXPECT_FALSE(kernels.contains("benchmarks"));
  const Document same = json_of("plain.fatbin", kSuites);
  EXPECT_FALSE(same["affected"]);
  EXPECT_EQ(same["same_kernels"], 2);
  EXPECT_EQ(same["same_benchmarks"], 2);
  EXPECT_TRUE(same["compared_launches"]);
  const Document one = json_of("plain.fatbin", "--suite after.json ");
  EXPECT_FALSE(one["compared_launches"]);
  const Document all = json_of("add.cubin", kSuites);
  EXPECT_EQ(all["doubts"][0], "compute_90, which a driver compiles, is gone");
  EXPECT_EQ(all["benchmarks"].size(), 2U);
  EXPECT_TRUE(all["benchmarks"][0]["known"]);
}

TEST_F(AffectedCommand, SaysWhatIsWrong) {
  expect_one_line(affected("zstd.fatbin", "lz4.fatbin", "--suite-before after.json"), 64,
                  "--suite");
  expect_one_line(warpgauge("affected --before none --after none --as-filter"), 4,
                  "cannot read none: there is no such file");
  expect_one_line(affected("zstd.fatbin", "none.fatbin", ""), 4, "none.fatbin");
  expect_one_line(affected("zstd.fatbin", "lz4.fatbin", "--suite-before before.json --suite none"),
                  4, "none");
  write("broken.json", "{");
  expect_one_line(
      affected("zstd.fatbin", "lz4.fatbin", "--suite-before before.json --suite broken.json"), 4,
      "broken.json");
}

}  // namespace
}  // namespace warpgauge
