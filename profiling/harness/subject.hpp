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
  Subject(Backend& backend, std::function<std::unique_ptr<KernelFixture>()> make, Sizes size);

  [[nodiscard]] KernelFixture& fixture() const { return *fixture_; }
  // What the fixture holds on the device.
  [[nodiscard]] const std::vector<DeviceBlock>& blocks() const { return blocks_; }

  void launch();
  // See Workload.
  void relocate();
  void surprise();
  void settle(Coverage coverage);

 private:
  void prepare(std::uint64_t seed);
  [[nodiscard]] bool is_right(std::uint64_t seed);
  [[nodiscard]] std::string why_wrong(const Check& check, bool wrote_nothing);

  Backend& backend_;
  std::function<std::unique_ptr<KernelFixture>()> make_;
  Sizes size_;
  std::unique_ptr<KernelFixture> fixture_;
  std::vector<DeviceBlock> blocks_;
  std::uint64_t unseen_ = 0;  // seed of the last surprise
  std::vector<DeviceBlock> prepared_;
  std::string erased_;  // digest of prepared_ before the launch
};

}  // namespace warpgauge
