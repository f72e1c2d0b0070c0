// SPDX-License-Identifier: Apache-2.0
// The fixture that holds a benchmark's data, and its successors: others of the same benchmark, with
// the data elsewhere, or with other data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "profiling/harness/fixture.hpp"

namespace warpgauge {

class Subject {
 public:
  // Prepares the first fixture, with the gate's input.
  Subject(Backend& backend, std::function<std::unique_ptr<KernelFixture>()> make, Sizes size,
          Coverage coverage);

  [[nodiscard]] KernelFixture& fixture() const { return *fixture_; }
  // What the fixture holds on the device.
  [[nodiscard]] const std::vector<DeviceBlock>& blocks() const { return blocks_; }

  void launch();
  // Throws WrongResult unless the last launch's result is right, or was checked before.
  void require_right();
  // Of a check in the last of these. Empty: there is nothing to remark.
  [[nodiscard]] const std::string& remark() const { return remark_; }

  // See Workload. A full check looks at the usual data before they are replaced.
  void relocate();
  void surprise();
  void settle();

 private:
  [[nodiscard]] Check check();
  void prepare(std::uint64_t seed);
  void prepare_erased(std::uint64_t seed);
  [[nodiscard]] bool is_right(std::uint64_t seed);
  [[nodiscard]] std::string why_wrong(const Check& check, bool wrote_nothing);

  Backend& backend_;
  std::function<std::unique_ptr<KernelFixture>()> make_;
  Sizes size_;
  Coverage coverage_;
  bool is_checked_ = true;  // there was no launch since
  std::string remark_;
  std::unique_ptr<KernelFixture> fixture_;
  std::vector<DeviceBlock> blocks_;
  std::uint64_t unseen_ = 0;  // seed of the last surprise
  std::vector<DeviceBlock> prepared_;
  std::string erased_;  // digest of prepared_ before the launch
};

}  // namespace warpgauge
