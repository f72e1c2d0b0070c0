// SPDX-License-Identifier: Apache-2.0
#include "tests/profiling/cupti/inject/counted_program.hpp"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "profiling/results/launches/record_reader.hpp"
#include "tests/helpers/process.hpp"
#include "tests/profiling/cupti/inject/injection.hpp"

namespace warpgauge::launches {
namespace {

namespace fs = std::filesystem;

void add_driver(const fs::path& file, DriverCount& sum) {
  DriverCount one;
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(&one), sizeof(one));
  if (!in) throw std::runtime_error(file.string() + ": cut short");
  sum.launches += one.launches;
  sum.graph_launches += one.graph_launches;
  sum.graph_kernels += one.graph_kernels;
  sum.unknown_graphs += one.unknown_graphs;
}

}  // namespace

double CountedProgram::share_recorded() const {
  const std::uint64_t launched = driver.launches + driver.graph_kernels;
  return launched == 0 ? 0 : static_cast<double>(recorded) / static_cast<double>(launched);
}

CountedProgram count_program(const std::string& command) {
  std::string folder = (fs::temp_directory_path() / "counted program XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error(folder + ": not made");
  const Finished finished =
      shell(injection_into(folder) + kDriverCountFolder + "=" + warpgauge::quoted(folder) +
            " LD_PRELOAD=" + warpgauge::quoted(DRIVER_COUNT) + " " + command);
  CountedProgram counted;
  counted.status = finished.status;
  counted.output = finished.output;
  for (const auto& each : fs::directory_iterator(folder)) {
    if (each.path().extension() == kDriverCountSuffix) add_driver(each.path(), counted.driver);
    if (each.path().extension() != kRecordSuffix) continue;
    const Counts recorded = read_records(each.path()).header.counts;
    counted.recorded += recorded.kernels + recorded.graph_kernels;
  }
  fs::remove_all(folder);
  return counted;
}

}  // namespace warpgauge::launches
