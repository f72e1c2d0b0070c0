// SPDX-License-Identifier: Apache-2.0
#include "kernels/transpose.cuh"

#include "profiling/check.hpp"
#include "tests/kernels/device_test.hpp"

namespace {

using namespace warpgauge;

using TransposeKernel = void (*)(const float*, float*, std::size_t, std::size_t);

class TransposeTest : public DeviceTest {
 protected:
  void expect_transposes(TransposeKernel kernel) {
    for (const auto& [rows, columns] :
         std::vector<std::pair<std::size_t, std::size_t>>{{0, 5},
                                                          {1, 1},
                                                          {1, 100},
                                                          {100, 1},
                                                          {31, 33},
                                                          {32, 32},
                                                          {33, 31},
                                                          {64, 96},
                                                          {65, 127},
                                                          {257, 191}}) {
      const auto host_in = input(rows * columns);
      const DeviceBuffer<float> in(host_in);
      const DeviceBuffer<float> out(host_in.size());
      launch(kernel,
             static_cast<unsigned>(transpose_tiles_across(rows) * transpose_tiles_across(columns)),
             dim3(kTransposeTile, kTransposeRows), in.data(), out.data(), rows, columns);
      expect_clean();
      const Check check = compare<float>(
          out.to_host(),
          [&, rows = rows, columns = columns](std::size_t i) {
            return host_in[i % rows * columns + i / rows];
          },
          Tolerance{});
      EXPECT_TRUE(check.passed()) << rows << "x" << columns << ": " << check.message();
    }
  }
};

TEST_F(TransposeTest, NaiveIsRightAtEverySize) { expect_transposes(transpose_naive); }
TEST_F(TransposeTest, SharedIsRightAtEverySize) { expect_transposes(transpose_tiled<0>); }
TEST_F(TransposeTest, PaddedIsRightAtEverySize) { expect_transposes(transpose_tiled<1>); }

}  // namespace
