// SPDX-License-Identifier: Apache-2.0
// The counters that are always read on a GPU, and CUPTI's metric for each.
//
// The gated ones count executed instructions, or the traffic that their addresses request: both
// repeat exactly. The hardware unit's own counters (l1tex__data_bank_conflicts…) include
// arbitration and report thousands of "conflicts" in a kernel that has none. Counters that depend
// on the caches' contents, or on when blocks start, are shown but not gated.
//
// CUPTI collects the metrics with `sass` in their names in one pass and all others in a second. (A
// hit rate by sector instead of by request would take a third.)
#pragma once

#include <array>
#include <string_view>

namespace warpgauge::cupti {

// ldmatrix (LDSM) is among the loads and stmatrix (STSM) among the stores of shared memory: both
// repeat. Asynchronous copies (LDGSTS) are in neither: on an H200 their sectors and wavefronts
// differ by up to 0.1 % from run to run, so time alone judges them.
struct Counter {
  std::string_view name;         // in the results
  const char* metric;            // in CUPTI, with its roll-up
  const char* matrix = nullptr;  // of ldmatrix or stmatrix, added where the chip has it
};

inline constexpr std::array kCounters{
    Counter{"shared_load_requests", "smsp__sass_inst_executed_op_shared_ld.sum",
            "smsp__sass_inst_executed_op_ldsm.sum"},
    Counter{"shared_load_wavefronts",
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum"},
    Counter{"shared_store_requests", "smsp__sass_inst_executed_op_shared_st.sum",
            "smsp__sass_inst_executed_op_shared_stsm.sum"},
    Counter{"shared_store_wavefronts",
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm.sum"},
    Counter{"global_load_requests", "smsp__sass_inst_executed_op_global_ld.sum"},
    Counter{"global_load_sectors", "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    Counter{"global_store_requests", "smsp__sass_inst_executed_op_global_st.sum"},
    Counter{"global_store_sectors", "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum"},
    Counter{"instructions", "smsp__inst_executed.sum"},
    Counter{"dram_read_bytes", "dram__bytes_read.sum"},
    Counter{"dram_write_bytes", "dram__bytes_write.sum"},
    Counter{"l2_request_hit_rate", "lts__t_request_hit_rate.pct"},
    Counter{"occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
};

}  // namespace warpgauge::cupti
