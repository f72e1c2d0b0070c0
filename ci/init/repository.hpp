// SPDX-License-Identifier: Apache-2.0
// What a repository is, as far as its files tell: what of it could be measured, and where it is
// hosted. Runs nothing of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpgauge::ci {

// What there is to measure; where there are several, the first of these. But a CMake project with
// CUDA comes before Python that launches none of its kernels.
enum class Kind { nvbench, google_benchmark, triton, torch, cuda, nothing };
enum class Host { github, gitlab, unknown };

struct Repository {
  std::filesystem::path root;
  Kind kind = Kind::nothing;
  std::string seen;  // the file that says so, below the root; empty: nothing was found
  std::string
      target;  // of nvbench and google_benchmark: CMake's name of the executable; empty: not found
  std::vector<std::string> more_targets;  // the other ones of that kind
  std::string source = ".";           // of that executable: the folder that CMake is called with
  std::vector<std::string> switches;  // CMake's options that it is built with only when they are on
  bool cuda = false;                  // a .cu or .cuh file, or CMake names the language
  // For GPUs: CMAKE_CUDA_ARCHITECTURES of a configure preset, which a build without it does not
  // have, else of the first CMake file that sets it; empty: not known. named_by: the file that says
  // so, or something about architectures; empty: none.
  std::string architectures;
  std::string architectures_named_by;
  bool architectures_of_preset = false;
  // The folder with .git: the root or one above it; empty: none has one.
  std::filesystem::path git_root;
  Host host = Host::unknown;
  std::string why_host;         // "remote origin", ".gitlab-ci.yml"
  std::string owner;            // who owns it there, without @; empty: not known
  std::string branch = "main";  // the default one
};

[[nodiscard]] inline bool is_git(const Repository& repository) {
  return !repository.git_root.empty();
}

// Whether it lies below the folder where hosts look for pipelines and owners.
[[nodiscard]] inline bool is_part(const Repository& repository) {
  return is_git(repository) && repository.git_root != repository.root;
}

// Looks at no more than some thousand files, none of which is large, and follows no links.
[[nodiscard]] Repository look_at_repository(const std::filesystem::path& root);

// The folder, or the nearest above it, that has a .git; the folder itself where none has.
[[nodiscard]] std::filesystem::path root_of_repository(const std::filesystem::path& folder);

// "a CMake project with CUDA", as part of a sentence.
[[nodiscard]] std::string to_text(Kind kind);

}  // namespace warpgauge::ci
