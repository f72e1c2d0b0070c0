// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/commands/gate/gate_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <system_error>
#include <utility>

#include "ci/support/errors.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

// In the folder of a gate: the names of the reports that it wrote there, one a line.
constexpr const char* kReportNames = ".reports";

void remove_earlier(const fs::path& earlier) {
  // What is no file of its own, such as /dev/stdout, is written to, not replaced.
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(earlier, error))) return;
  if (fs::remove(earlier, error) || !error) return;
  throw Error(kExitNotMeasured,
              fmt::format("cannot replace {}: {}; choose another folder with --out",
                          earlier.string(), error.message()));
}

}  // namespace

// A name with a folder in it is not one that a gate wrote.
std::vector<fs::path> reports_in(const fs::path& folder) {
  std::vector<fs::path> reports;
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(folder / kReportNames, error))) return reports;
  std::istringstream names(results::read_file(folder / kReportNames, results::kNamesLimit));
  for (std::string name; std::getline(names, name);) {
    const fs::path report(name);
    if (!name.empty() && report.filename() == report && name != "." && name != "..") {
      reports.push_back(folder / report);
    }
  }
  return reports;
}

Replacement::Replacement(fs::path folder, std::vector<fs::path> earlier,
                         const std::vector<ReportRequest>& reports)
    : folder_(std::move(folder)), earlier_(std::move(earlier)) {
  for (const ReportRequest& request : reports) {
    earlier_.push_back(request.out);
    const fs::path report = fs::absolute(request.out).lexically_normal();
    const fs::path whole = fs::absolute(folder_).lexically_normal();
    if (report.parent_path() / "" == whole / "") names_ += report.filename().string() + "\n";
  }
}

void Replacement::replace(results::NewFiles& files) {
  const std::vector<fs::path> paths = files.paths();
  for (const fs::path& each : earlier_) {
    const bool stays = each == paths.front() || std::count(new_.begin(), new_.end(), each) > 0;
    if (!stays) remove_earlier(each);
  }
  remove_earlier(folder_ / kReportNames);
  files.replace();
  new_.insert(new_.end(), paths.begin(), paths.end());
  for (const fs::path& each : paths) names_ += each.filename().string() + "\n";
  results::write_file_atomically(folder_ / kReportNames, names_);
}

}  // namespace warpgauge::ci
