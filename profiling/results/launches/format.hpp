// SPDX-License-Identifier: Apache-2.0
// What the injection library leaves of one process of a program: a file of records in which nothing
// moves, so that whatever ends the process leaves all that was written before. Plain data.
//
// The file begins with a page that the process maps: its counts are right even after SIGKILL. Then
// follow records, each a RecordHead and so many bytes. A last one that is cut off does not count.
// Totals are written again and again where they were first; all others are written once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpgauge::launches {

inline constexpr char kMagic[8] = {'W', 'G', 'L', 'A', 'U', 'N', 'C', 'H'};
inline constexpr std::uint32_t kVersion = 4;
inline constexpr std::size_t kHeaderBytes = 4096;
inline constexpr const char* kRecordSuffix = ".launches";  // of the file of one process
inline constexpr const char* kCodePrefix = "code-";  // … of a module's machine code, by hash
inline constexpr const char* kCodeSuffix = ".cubin";

// By which the injection library is found and told where to write, and the NVTX range at which
// recording begins; empty or absent: at once.
inline constexpr const char* kFolderVariable = "WARPGAUGE_LAUNCH_RECORDS";
inline constexpr const char* kSkipUntilVariable = "WARPGAUGE_SKIP_UNTIL";

// What is counted instead of timed: nothing, kCountCounters or kCountLines. Then the first of these
// names further counters, by commas; the second is the symbol of the kernel whose lines are
// counted.
inline constexpr const char* kCountVariable = "WARPGAUGE_COUNT";
inline constexpr const char* kCountCounters = "counters";
inline constexpr const char* kCountLines = "lines";
inline constexpr const char* kMoreCountersVariable = "WARPGAUGE_COUNT_MORE";
inline constexpr const char* kKernelVariable = "WARPGAUGE_COUNT_KERNEL";
// So many of an entry's launches are counted, from the first one on.
inline constexpr std::uint64_t kCountedLaunches = 4;

// How a process ended, as far as it could say.
enum class End : std::uint32_t {
  none,      // it did not: it was killed, crashed, or left in a way that nobody sees
  ended,     // with all records
  replaced,  // by another program (exec), with all records
};

struct Counts {
  std::uint64_t launches = 0;        // that succeeded, but for those of graphs
  std::uint64_t graph_launches = 0;  // of whole graphs
  std::uint64_t kernels = 0;         // recorded, of those launches
  std::uint64_t graph_kernels = 0;   // … of graphs
  std::uint64_t dropped = 0;         // records for which the profiler had no room
  std::uint64_t unfinished = 0;      // records without timestamps: the process ended before
  std::uint64_t folded = 0;          // kernels of which there were too many kinds to tell apart
  std::uint64_t folded_ranges = 0;   // ranges, likewise: they count with the range around them
  std::uint64_t folded_names = 0;    // kernels whose names were too many to keep: they are "?"
  std::uint64_t unwritten = 0;       // records for which the file had no room
  std::uint64_t expected_graph_kernels = 0;  // of the graphs that were launched and are known
  std::uint64_t unknown_graphs = 0;          // launches of graphs of which that is not known
  std::uint64_t copies = 0;                  // and memsets, recorded, of calls and of graphs
};

struct Header {
  char magic[8] = {};
  std::uint32_t version = 0;
  std::int32_t process = 0;
  std::int32_t parent = 0;
  End end = End::none;
  std::uint64_t started_ns = 0;  // since 1970
  Counts counts;
  std::int32_t rank_from_1 = 0;  // that its launcher gave it, plus one; 0: none
  std::int32_t ranks = 0;        // that its launcher started; 0: not known
};

// By which torchrun, MPI's launchers and Slurm tell a process its rank, the nearest first.
inline constexpr const char* kRankVariables[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                                 "PMIX_RANK", "SLURM_PROCID"};
// … and how many there are.
inline constexpr const char* kRanksVariables[] = {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                                  "SLURM_STEP_NUM_TASKS"};

static_assert(sizeof(Header) <= kHeaderBytes);

enum class Kind : std::uint32_t {
  text = 1,
  range,
  entry,
  launch,
  entry_total,
  instance,
  range_total,
  module,
  device,
  problem,  // a text: why what is here is not all, and cannot be trusted
  remark,   // a text that is worth knowing
  count,
  not_counted,
  instruction,
};

struct RecordHead {
  Kind kind = Kind::problem;
  std::uint32_t bytes = 0;  // that follow
};

// Ids count from 1 in each of texts, ranges and entries; 0 is no text, and the whole program.
struct TextRecord {  // its characters follow
  std::uint32_t id = 0;
};

struct RangeRecord {
  std::uint32_t id = 0;
  std::uint32_t parent = 0;
  std::uint32_t domain = 0;  // a text
  std::uint32_t name = 0;    // a text
};

// Launches of one kernel that are alike, in one range. Or copies or memsets of as many bytes: these
// have no block, the bytes as the first two of grid, low half first, and a name of program_id.hpp.
struct EntryRecord {
  std::uint32_t id = 0;
  std::uint32_t range = 0;
  std::uint32_t kernel = 0;  // a text: its symbol
  std::uint32_t device = 0;
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t registers = 0;
  std::uint32_t in_graph = 0;  // 1: a node of a graph
  std::uint64_t code[2] = {};  // the hash of its module, as in ModuleRecord; zero: not known
};

[[nodiscard]] inline bool is_copy(const EntryRecord& entry) { return entry.block[0] == 0; }
[[nodiscard]] inline std::uint64_t copied_bytes(const EntryRecord& entry) {
  return std::uint64_t{entry.grid[1]} << 32U | entry.grid[0];
}

// Every `stride`-th launch of an entry: all at first, ever fewer.
struct LaunchRecord {
  std::uint32_t entry = 0;
  std::uint32_t stride = 0;
  std::uint64_t order = 0;  // of the entry's launches, counted from 0
  std::uint64_t start_ns = 0;
  std::uint64_t duration_ns = 0;
};

// So far; the last one counts, and one of entry 0 is room for another.
struct EntryTotal {
  std::uint32_t entry = 0;
  std::uint32_t streams = 0;  // on how many it ran, at most kMostStreams
  std::uint64_t launches = 0;
  std::uint64_t gpu_ns = 0;
};
inline constexpr std::uint32_t kMostStreams = 8;

// One time that a range was entered; chosen as launches are.
struct InstanceRecord {
  std::uint32_t range = 0;
  std::uint32_t stride = 0;
  std::uint64_t order = 0;
  std::uint64_t launches = 0;
  std::uint64_t gpu_ns = 0;   // of its kernels together, but for those that wait for others
  std::uint64_t busy_ns = 0;  // in which at least one ran
  std::uint64_t span_ns = 0;  // from the first one's start to the last one's end
};

// So far, of what is still open too; without launches it is room for another.
struct RangeTotal {
  std::uint32_t range = 0;
  std::uint32_t reserved = 0;
  std::uint64_t instances = 0;  // with a kernel
  std::uint64_t launches = 0;
  std::uint64_t gpu_ns = 0;
  std::uint64_t busy_ns = 0;
  std::uint64_t span_ns = 0;
};

// A counter of one launch of an entry.
struct CountRecord {
  std::uint32_t entry = 0;
  std::uint32_t counter = 0;  // a text: its name
  std::uint32_t order = 0;    // of the entry's launches, counted from 0
  std::uint32_t passes = 0;   // so often the kernel ran for all its counters
  double value = 0;
};

// Why an entry is not counted, or one counter of it.
struct NotCountedRecord {
  std::uint32_t entry = 0;
  std::uint32_t counter = 0;  // a text: its name; 0: all
  std::uint32_t reason = 0;   // a text
};

// What one instruction did in one launch of an entry.
struct InstructionRecord {
  std::uint32_t entry = 0;
  std::uint32_t order = 0;         // as in CountRecord
  std::uint64_t offset_bytes = 0;  // in the kernel
  std::uint64_t requests = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t ideal_wavefronts = 0;
  std::uint64_t sectors = 0;
  std::uint64_t ideal_sectors = 0;
};

struct ModuleRecord {
  std::uint64_t hash[2] = {};  // in the name of its file; 128-bit XXH3, low half first
  std::uint64_t bytes = 0;
};

struct DeviceRecord {
  std::uint32_t id = 0;
  std::uint32_t major = 0;  // compute capability
  std::uint32_t minor = 0;
  std::uint32_t multiprocessors = 0;
  std::uint64_t l2_bytes = 0;
  std::uint64_t memory_bytes = 0;
  unsigned char uuid[16] = {};
  char name[128] = {};
  char driver[64] = {};  // "580.159.04"
};

// "code-0123….cubin".
[[nodiscard]] inline std::string code_file(const ModuleRecord& module) {
  std::string name = kCodePrefix;
  for (const std::uint64_t half : {module.hash[1], module.hash[0]}) {
    for (int shift = 60; shift >= 0; shift -= 4) name += "0123456789abcdef"[half >> shift & 0xfU];
  }
  return name + kCodeSuffix;
}

// Beyond these, what comes is counted with others of its kind, and the header says how much that
// was.
inline constexpr std::uint32_t kMostEntriesRecorded = 65'536;
inline constexpr std::uint32_t kMostRanges = 4'096;
inline constexpr std::size_t kLongestName = 16'384;
inline constexpr std::uint32_t kMostTexts = 131'072;
inline constexpr std::size_t kMostTextBytes = std::size_t{32} << 20U;  // of all together
// So many launches of an entry are recorded one by one, then half as many for each doubling.
inline constexpr std::uint64_t kFirstSamples = 1'024;

}  // namespace warpgauge::launches
