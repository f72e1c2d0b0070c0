// SPDX-License-Identifier: Apache-2.0
// Which counters are read on a GPU, and from which metric of CUPTI's.
//
// Only metrics that count executed instructions, or what the instructions' addresses ask for: they
// repeat to the unit. The unit's own counters (l1tex__data_bank_conflicts…) add arbitration, and
// read thousands of "conflicts" in a kernel that has none.
#pragma once

#include <array>
#include <string_view>

namespace warpgauge::cupti {

struct Counter {
  std::string_view name;  // in the results
  const char* metric;     // in CUPTI, with its roll-up
};

inline constexpr std::array kCounters{
    Counter{"instructions", "smsp__inst_executed.sum"},
    Counter{"shared_load_requests", "smsp__sass_inst_executed_op_shared_ld.sum"},
    Counter{"shared_load_wavefronts",
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    Counter{"shared_store_requests", "smsp__sass_inst_executed_op_shared_st.sum"},
    Counter{"shared_store_wavefronts",
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    Counter{"global_load_requests", "smsp__sass_inst_executed_op_global_ld.sum"},
    Counter{"global_load_sectors", "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    Counter{"global_store_requests", "smsp__sass_inst_executed_op_global_st.sum"},
    Counter{"global_store_sectors", "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum"},
};

}  // namespace warpgauge::cupti
