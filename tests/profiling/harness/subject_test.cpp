// SPDX-License-Identifier: Apache-2.0
// A benchmark's data and their successors, on memory of the host.
#include "profiling/harness/suite/subject.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/helpers/contains.hpp"

namespace warpgauge {
namespace {

class HostBackend : public Backend {
 public:
  results::DeviceKind kind() const override { return results::DeviceKind::emulated; }
  std::vector<results::Pass> passes() const override { return {results::Pass::counters}; }
  results::Toolchain toolchain() const override { return {}; }
  results::Device device() override { return {}; }
  void observe(results::Pass, const Workload&, results::Record&) override {}
  std::string digest(std::span<const DeviceBlock> blocks) override {
    std::string all;
    for (const DeviceBlock& block : blocks) {
      all.append(static_cast<const char*>(block.data), block.bytes);
    }
    return all;
  }
};

// Doubles its input, in the way of `launch`. Its memory is that of all fixtures of this kind.
struct Data {
  std::vector<long> in;
  std::vector<long> out;
};
using Way = std::function<void(Data&, std::uint64_t seed)>;

class Doubling : public KernelFixture {
 public:
  explicit Doubling(Way way) : way_(std::move(way)) {}
  ~Doubling() override { device_memory().remove(data_.out.data()); }
  void prepare(const Sizes& size) override {
    data_.in.resize(size[0]);
    for (std::size_t i = 0; i < size[0]; ++i) data_.in[i] = random_element<long>(i, seed());
    data_.out.assign(size[0], -1);
    device_memory().add({data_.out.data(), size[0] * sizeof(long)});
    if (when_prepared) when_prepared(data_);
  }
  Work work() const override { return {}; }
  void poison_result() override { data_.out.assign(data_.out.size(), -1); }
  Check check(Coverage) const override {
    if (when_read) when_read(const_cast<Data&>(data_));
    return compare(std::span<const long>(data_.out),
                   [this](std::size_t i) { return 2 * random_element<long>(i, seed()); }, {});
  }
  static inline std::function<void(Data&)> when_prepared;
  static inline std::function<void(Data&)> when_read;

 protected:
  void run_variant() override { way_(data_, seed()); }

 private:
  Way way_;
  Data data_;
};

void do_all(Data& data, std::uint64_t /*seed*/) {
  for (std::size_t i = 0; i < data.in.size(); ++i) data.out[i] = 2 * data.in[i];
}

// What a launch on unseen input is called, after a few usual ones; "" where nothing is wrong.
std::string said_of(const Way& way) {
  HostBackend backend;
  Subject subject(
      backend, [&] { return std::make_unique<Doubling>(way); }, {8}, Coverage::full);
  try {
    for (int i = 0; i < 3; ++i) subject.launch();
    subject.surprise();
    subject.launch();
    subject.settle();
    subject.relocate();
    subject.launch();
    subject.require_right();
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(Subject, AnHonestBenchmarkIsRightOnAllInput) { EXPECT_EQ(said_of(do_all), ""); }

TEST(Subject, AResultThatIsKnownBeforehandIsFound) {
  const std::string said = said_of([](Data& data, std::uint64_t) {
    for (std::size_t i = 0; i < data.out.size(); ++i) {
      data.out[i] = 2 * random_element<long>(i, kInputSeed);
    }
  });
  EXPECT_TRUE(contains(said, "right on the input that all other launches have")) << said;
}

TEST(Subject, WorkThatIsDoneInSomeLaunchesOnlyIsFound) {
  int launches = 0;
  const std::string said = said_of([&](Data& data, std::uint64_t seed) {
    if (launches++ < 3) do_all(data, seed);
  });
  EXPECT_TRUE(contains(said, "the launch wrote nothing")) << said;
  EXPECT_TRUE(contains(said, "in some launches only")) << said;
}

TEST(Subject, WorkThatIsDoneBeforeTheLaunchIsErased) {
  Doubling::when_prepared = [](Data& data) { do_all(data, 0); };
  const std::string said = said_of([](Data&, std::uint64_t) {});
  Doubling::when_prepared = {};
  EXPECT_TRUE(contains(said, "the launch wrote nothing")) << said;
}

TEST(Subject, WorkThatIsDoneWhenItsResultIsReadIsFound) {
  Doubling::when_read = [](Data& data) { do_all(data, 0); };
  const std::string said = said_of([](Data&, std::uint64_t) {});
  Doubling::when_read = {};
  EXPECT_TRUE(contains(said, "changed after the launch had ended")) << said;
}

}  // namespace
}  // namespace warpgauge
