// SPDX-License-Identifier: Apache-2.0
#include "ci/init/repository.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "ci/init/cmake_switches.hpp"
#include "ci/init/cmake_text.hpp"
#include "ci/init/cuda_architectures.hpp"
#include "ci/init/git_host.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 5000;
constexpr int kDeepest = 8;
constexpr std::uintmax_t kLargest = 524'288;  // bytes

bool is_source(const fs::path& path) {
  static const std::set<std::string> kinds{".cu", ".cuh", ".py", ".cmake"};
  return kinds.contains(path.extension().string()) || path.filename() == "CMakeLists.txt";
}

bool is_skipped(const fs::path& folder) {
  static const std::set<std::string> names{"build",        "third_party", "thirdparty", "external",
                                           "node_modules", "vendor",      "extern",     "venv"};
  const std::string name = folder.filename().string();
  return name.starts_with('.') || names.contains(name);
}

// Sorted, those near the root first: what a repository is stands there.
std::vector<fs::path> sources_of(const fs::path& root) {
  std::vector<fs::path> sources;
  std::vector<fs::path> folders{root};
  std::size_t seen = 0;
  for (int depth = 0; depth < kDeepest && !folders.empty(); ++depth) {
    std::vector<fs::path> below;
    std::vector<fs::path> here;
    for (const fs::path& folder : folders) {
      std::error_code error;
      for (fs::directory_iterator each(folder, error), end; !error && each != end;
           each.increment(error)) {
        if (++seen > kMostFiles) break;
        std::error_code unknown;
        const fs::file_status status = each->symlink_status(unknown);
        if (fs::is_directory(status) && !is_skipped(each->path())) below.push_back(each->path());
        if (!fs::is_regular_file(status) || !is_source(each->path())) continue;
        if (each->file_size(unknown) <= kLargest && !unknown) here.push_back(each->path());
      }
    }
    std::sort(here.begin(), here.end());
    std::sort(below.begin(), below.end());
    sources.insert(sources.end(), here.begin(), here.end());
    folders = std::move(below);
  }
  return sources;
}

// Whether a line of Python imports that module: "import os, triton.language as tl", "from triton
// …".
bool imports(const std::string& python, std::string_view module) {
  std::istringstream lines(python);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word != "import" && word != "from") continue;
    const char between = word == "import" ? ',' : '\n';
    for (std::string part; std::getline(words >> std::ws, part, between);) {
      if (part.substr(0, part.find_first_of(" .\t\r")) == module) return true;
    }
  }
  return false;
}

struct Found {
  Kind kind = Kind::nothing;
  std::string target;
  std::vector<std::string> more_targets;
  bool cuda = false;
  std::optional<CMakeFacts> cmake;
  bool launched_by_python = false;  // kernels of this repository
};

// Whether a file of Python has kernels, or builds or loads those in C++.
bool launches_kernels(std::string_view python) {
  for (const std::string_view word :
       {"triton.jit", "triton import jit", "cpp_extension", "load_library(", "torch.ops."}) {
    if (python.find(word) != python.npos) return true;
  }
  return false;
}

Found in_cmake(const std::string& text) {
  Found found;
  const CMakeFacts& facts = found.cmake.emplace(facts_of_cmake(text));
  found.cuda = facts.cuda;
  found.launched_by_python = facts.for_python;
  if (facts.links_nvbench) {
    found.kind = Kind::nvbench;
  } else if (facts.links_google_benchmark) {
    found.kind = Kind::google_benchmark;
  } else if (facts.cuda) {
    found.kind = Kind::cuda;
    return found;
  }
  found.target = facts.target;
  found.more_targets = facts.more_targets;
  return found;
}

Found in_file(const fs::path& path) {
  std::string text;
  try {
    text = results::read_file(path, results::kAnswerLimit);
  } catch (const results::FileError&) {
    return {};
  }
  const std::string extension = path.extension().string();
  if (extension == ".cu" || extension == ".cuh") {
    const bool nvbench = text.find("<nvbench/nvbench.cuh>") != text.npos;
    return {nvbench ? Kind::nvbench : Kind::cuda, "", {}, true, {}};
  }
  if (extension == ".py") {
    const bool triton = imports(text, "triton");
    if (!triton && !imports(text, "torch")) return {};
    return {triton ? Kind::triton : Kind::torch, "", {}, false, {}, launches_kernels(text)};
  }
  return in_cmake(text);
}

// A CMake project with CUDA has some Python near it as a rule: a script that checks results, or
// plots. Its kernels are started by its own programs, and a benchmark in Python would measure
// PyTorch's. Only where Python has kernels or loads the project's own does it come first.
class CudaBesidePython {
 public:
  // file: below the root.
  void look_at(const Found& found, const std::string& file) {
    if (found.cmake && found.cmake->cuda && cmake_.empty()) cmake_ = file;
    python_launches_ = python_launches_ || found.launched_by_python;
  }
  void settle(Repository& repository) const {
    const bool python = repository.kind == Kind::triton || repository.kind == Kind::torch;
    if (!python || cmake_.empty() || python_launches_) return;
    repository.kind = Kind::cuda;
    repository.seen = cmake_;
  }

 private:
  std::string cmake_;
  bool python_launches_ = false;
};

// The nearest folder with a .git, from this one upwards.
std::optional<fs::path> around(const fs::path& folder) {
  const fs::path start = fs::absolute(folder).lexically_normal();
  for (fs::path each = start; !each.empty(); each = each.parent_path()) {
    std::error_code error;
    if (fs::exists(each / ".git", error)) return each;
    if (each == each.parent_path()) break;
  }
  return std::nullopt;
}

void note_architectures(const CMakeFacts& facts, const std::string& file, Repository& repository) {
  if (!facts.names_architectures || !repository.architectures.empty()) return;
  if (!facts.architectures.empty() || repository.architectures_named_by.empty())
    repository.architectures_named_by = file;
  repository.architectures = facts.architectures;
}

// Those that its own builds have come first.
void read_presets(Repository& repository) {
  const fs::path file = fs::path(repository.source) / "CMakePresets.json";
  std::error_code error;
  if (!fs::is_regular_file(repository.root / file, error)) return;
  std::string text;
  try {
    text = results::read_file(repository.root / file, results::kAnswerLimit);
  } catch (const results::FileError&) {
    return;
  }
  const std::string architectures = architectures_of_presets(text);
  if (architectures.empty()) return;
  repository.architectures = architectures;
  repository.architectures_named_by = file.lexically_normal().string();
  repository.architectures_of_preset = true;
}

}  // namespace

Repository look_at_repository(const fs::path& root) {
  Repository repository;
  repository.root = root;
  repository.git_root = around(root).value_or("");
  CMakeProject project;
  CudaBesidePython beside_python;
  std::string of_target;  // the folder of its CMakeLists.txt
  for (const fs::path& source : sources_of(root)) {
    Found found = in_file(source);
    beside_python.look_at(found, source.lexically_relative(root).string());
    const std::string folder = source.parent_path().lexically_relative(root).generic_string();
    if (found.cmake)
      note_architectures(*found.cmake, source.lexically_relative(root).string(), repository);
    if (found.cmake && source.filename() == "CMakeLists.txt")
      project[folder] = std::move(*found.cmake);
    repository.cuda = repository.cuda || found.cuda;
    const bool better = found.kind < repository.kind;
    // The first file of a kind says so; the first that names an executable, which.
    const bool more = found.kind == repository.kind && repository.target.empty();
    if (better) repository.seen = source.lexically_relative(root).string();
    if (better || (more && !found.target.empty())) {
      repository.kind = found.kind;
      repository.target = found.target;
      repository.more_targets = std::move(found.more_targets);
      of_target = folder;
    } else if (found.kind == repository.kind && !found.target.empty()) {
      repository.more_targets.push_back(found.target);
      std::move(found.more_targets.begin(), found.more_targets.end(),
                std::back_inserter(repository.more_targets));
    }
  }
  beside_python.settle(repository);
  if (!repository.target.empty()) {
    repository.source = source_folder(project, of_target);
    repository.switches = switches_of(project, of_target);
  }
  read_presets(repository);
  find_host(repository);
  return repository;
}

fs::path root_of_repository(const fs::path& folder) {
  return around(folder).value_or(fs::absolute(folder).lexically_normal());
}

std::string to_text(Kind kind) {
  switch (kind) {
    case Kind::nvbench:
      return "benchmarks of NVBench";
    case Kind::google_benchmark:
      return "benchmarks of Google Benchmark";
    case Kind::triton:
      return "kernels in Triton";
    case Kind::torch:
      return "a program of PyTorch";
    case Kind::cuda:
      return "kernels in CUDA";
    case Kind::nothing:
      break;
  }
  return "no kernels and no benchmarks";
}

}  // namespace warpgauge::ci
