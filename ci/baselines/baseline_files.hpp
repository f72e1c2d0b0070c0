// SPDX-License-Identifier: Apache-2.0
// The files of a device's baseline, which are replaced all at once: whoever reads them, whenever
// the one that replaces them is stopped, finds those of before or those of after.
//
// The new ones are made whole in a folder beside them, which gets the name .approval in one step.
// From then on they are what is read. Then one after the other takes its place, device.json last.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace warpgauge::ci {

inline constexpr const char* kWaitingFiles = ".approval";

// Where files of a baseline that is stored in `of_device` still wait for their places; empty: none
// do. Throws Error (not measured) where that is no folder.
[[nodiscard]] std::filesystem::path waiting_files(const std::filesystem::path& of_device);

// The JSON files of the baseline in `of_device` by their names, each where it is read now. Throws
// as waiting_files() and read_device() do.
[[nodiscard]] std::map<std::string, std::filesystem::path> baseline_files(
    const std::filesystem::path& of_device);

// Files that wait take their places, and those that are no longer named vanish. Without a family
// the folder vanishes too, if nothing else is in it. Throws FileError, which says that the approval
// holds. The caller holds the FolderLock.
void put_into_place(const std::filesystem::path& of_device);

// New files of a baseline, the device's among them. They vanish unless they are committed.
class NewApproval {
 public:
  // Makes `of_device` where there is none. Throws FileError.
  explicit NewApproval(std::filesystem::path of_device);
  NewApproval(const NewApproval&) = delete;
  NewApproval& operator=(const NewApproval&) = delete;
  ~NewApproval();

  void add(const std::string& name, std::string_view text) const;

  // From here on they are what is read; none wait already. Throws FileError where they are not.
  void commit();

 private:
  explicit NewApproval(std::filesystem::path of_device, int descriptor)
      : of_device_(std::move(of_device)), descriptor_(descriptor) {}

  std::filesystem::path of_device_;
  int descriptor_;  // keeps the folder from being swept
  std::filesystem::path folder_;
};

}  // namespace warpgauge::ci
