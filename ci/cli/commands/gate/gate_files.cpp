// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/commands/gate/gate_files.hpp"

#include <fmt/format.h>

#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "ci/support/errors.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

// In the folder of a gate: the names of what it wrote there, one a line.
constexpr const char* kNames = ".reports";
constexpr const char* kEarlier = "earlier";

// What is no file of its own, such as /dev/stdout, is written to, not replaced.
bool is_file_of_its_own(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error));
}

std::set<fs::path> files_among(std::set<fs::path> paths) {
  std::erase_if(paths, [](const fs::path& each) { return !is_file_of_its_own(each); });
  return paths;
}

// What any gate may have left, and what this one listed. A name with a folder in it is not one that
// a gate wrote.
std::set<fs::path> left_in(const fs::path& folder) {
  std::set<fs::path> left;
  for (const char* name :
       {"results.json", "verdict.json", "summary.md", "against.json", kInTurns, kFloors}) {
    left.insert(folder / name);
  }
  if (is_file_of_its_own(folder / kNames)) {
    std::istringstream names(results::read_file(folder / kNames, results::kNamesLimit));
    for (std::string name; std::getline(names, name);) {
      const fs::path report(name);
      if (!name.empty() && report.filename() == report && name != "." && name != "..") {
        left.insert(folder / report);
      }
    }
  }
  left.insert(folder / kNames);
  return files_among(std::move(left));
}

void require_done(const fs::path& path, const std::error_code& error) {
  if (!error) return;
  throw Error(kExitNotMeasured, fmt::format("cannot replace {}: {}; choose another folder with "
                                            "--out",
                                            path.string(), error.message()));
}

void remove(const std::set<fs::path>& files) {
  for (const fs::path& each : files) {
    std::error_code error;
    fs::remove(each, error);
    require_done(each, error);
  }
}

}  // namespace

GateFolder::GateFolder(fs::path folder, const std::vector<ReportRequest>& reports)
    : folder_(std::move(folder)) {
  const fs::path whole = fs::absolute(folder_).lexically_normal();
  for (const ReportRequest& request : reports) {
    const fs::path report = fs::absolute(request.out).lexically_normal();
    if (report.parent_path() / "" == whole / "") {
      names_ += report.filename().string() + "\n";
      reports_.insert(folder_ / report.filename());
    } else {
      elsewhere_.insert(request.out);
    }
  }
}

// Whatever interrupts this, nothing of the newest gate is lost: its list of names moves first, and
// only beside that list is anything removed.
void GateFolder::set_earlier_aside() {
  std::set<fs::path> left = left_in(folder_);
  left.merge(files_among(reports_));
  remove(files_among(elsewhere_));
  if (left.empty()) return;
  const fs::path earlier = folder_ / kEarlier;
  std::error_code error;
  const fs::file_status there = fs::symlink_status(earlier, error);
  if (fs::exists(there) && !fs::is_directory(there)) {
    require_done(earlier, std::make_error_code(std::errc::not_a_directory));
  }
  fs::create_directory(earlier, error);
  require_done(earlier, error);
  const auto move = [&](const fs::path& each) {
    fs::rename(each, earlier / each.filename(), error);
    require_done(each, error);
  };
  if (left.erase(folder_ / kNames) > 0) {
    remove(left_in(earlier));
    move(folder_ / kNames);
  }
  for (const fs::path& each : left) move(each);
}

void GateFolder::replace(results::NewFiles& files) {
  const std::vector<fs::path> paths = files.paths();
  files.replace();
  for (const fs::path& each : paths) names_ += each.filename().string() + "\n";
  results::write_file_atomically(folder_ / kNames, names_);
  if (!has_earlier()) return;
  remove(left_in(folder_ / kEarlier));
  std::error_code not_empty;
  fs::remove(folder_ / kEarlier, not_empty);
}

bool GateFolder::has_earlier() const {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(folder_ / kEarlier, error)) &&
         !left_in(folder_ / kEarlier).empty();
}

fs::path GateFolder::earlier_results() const {
  const bool has_new =
      is_file_of_its_own(folder_ / "results.json") || is_file_of_its_own(folder_ / kNames);
  return !has_new && has_earlier() ? folder_ / kEarlier : fs::path();
}

}  // namespace warpgauge::ci
