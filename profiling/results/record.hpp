// SPDX-License-Identifier: Apache-2.0
// What was observed of one benchmark in one process: plain data, no CUDA.
//
// The suite writes it, the command line reads it; this folder is all that both sides know of
// each other.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace warpgauge::results {

// Version of the `warpgauge` objects in results.json; see results.schema.json.
inline constexpr int kSchemaVersion = 1;

inline constexpr double kNanosecondsPerSecond = 1e9;

// From the first kernel's start to the last one's end, where a launch is several kernels, in
// nanoseconds: a counter.
inline constexpr const char* kSpanMetric = "span";

// What one process is started to observe. Passes never share a process: a profiler in the process
// would be in the way of the clock. `sentinel` is a short time pass: it tells how the kernels are
// launched and on what input, and roughly how long they take.
enum class Pass { sentinel, counters, time, lines };

enum class Access {
  shared_load,
  shared_store,
  shared_atomic,
  global_load,
  global_store,
  global_atomic,
};

[[nodiscard]] constexpr bool is_shared(Access access) {
  return access == Access::shared_load || access == Access::shared_store ||
         access == Access::shared_atomic;
}

// What the compiler for the GPU made of the accesses of a source line, by its machine code. Where
// they are written is counted, not how often they run.
enum class Compiled {
  unknown,    // not looked up, or the machine code lacks the kernel
  confirmed,  // as written: that many of that width, as often as the code is unrolled or inlined
  merged,     // wider instructions do several at once
  fewer,      // some are left out, because their value is known or in a register
  absent,     // all are left out, or moved to another line
  different,  // other instructions, such as a loop of compare-and-swap
};

// What one instruction of a kernel's machine code did, summed over all launches of the observation.
struct InstructionTraffic {
  std::string kernel;              // demangled; empty: that of the line it belongs to
  std::uint64_t offset_bytes = 0;  // in the kernel
  std::string opcode;              // with its width in bits, "LDS.32"; empty: not looked up
  std::uint64_t requests = 0;      // warp-level executions
  std::uint64_t wavefronts = 0;    // shared memory only
  std::uint64_t ideal_wavefronts = 0;
  std::uint64_t sectors = 0;  // global memory only, 32 bytes each
  std::uint64_t ideal_sectors = 0;

  friend bool operator==(const InstructionTraffic&, const InstructionTraffic&) = default;
};

// Traffic of one kind and width of access at one place in the source, summed over all launches
// of the observation.
struct SourceLine {
  std::string file;  // relative to the source root, as in the debug information
  int line = 0;      // counted from 1
  int column = 0;    // counted from 1; 0: not known
  std::string function;
  std::string text;  // the line itself without indentation; empty: the file was not at hand
  Access access = Access::shared_load;
  int width_bytes = 0;                 // bytes a lane
  std::uint64_t requests = 0;          // warp-level instructions
  std::uint64_t wavefronts = 0;        // shared memory only
  std::uint64_t ideal_wavefronts = 0;  // shared memory only
  std::uint64_t sectors = 0;           // global memory only, 32 bytes each
  std::uint64_t ideal_sectors = 0;     // global memory only
  // Of all accesses of this kind on this line together.
  Compiled compiled = Compiled::unknown;
  std::string instructions;  // "4 × LDS.128, 16 × LDS.32"; empty: unknown or absent
  // What it is the sum of, by offset; empty where accesses are counted as they are written.
  std::vector<InstructionTraffic> by_instruction = {};

  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

enum class Status {
  ok,
  wrong_result,  // the kernel's result differs from the reference
  error,         // CUDA, the emulator or the fixture reported an error
  crashed,       // the process died of a signal or left without an answer
  hung,          // no progress within the time allowed
};

struct Outcome {
  Status status = Status::ok;
  std::string message;  // empty when ok; otherwise what, where and what to do

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Least work that the benchmark's problem needs, whatever the variant does.
struct Work {
  double bytes_read = 0;
  double bytes_written = 0;
  double operations = 0;

  friend bool operator==(const Work&, const Work&) = default;
};

// A place in the source from which a kernel's machine code has accesses of this kind.
struct CodePlace {
  std::string kind;  // as in KernelCode::accesses
  std::string file;  // relative to the source root
  int line = 0;      // counted from 1
  std::string text;  // the line itself without indentation; empty: the file was not at hand

  friend auto operator<=>(const CodePlace&, const CodePlace&) = default;
  friend bool operator==(const CodePlace&, const CodePlace&) = default;
};

// What the compiler made of one kernel for one architecture: what it is, and what it takes.
struct KernelCode {
  std::string name;          // demangled, "void transpose_tiled<1>(float const*, float*)"
  std::string architecture;  // "sm_90"
  std::string compiler;      // "ptxas 13.0.88"; empty: the machine code does not say
  // 32 hexadecimal digits over the instructions of the kernel and of all that it calls, without
  // addresses and debug information.
  std::string sass_hash;
  std::uint64_t instructions = 0;  // of the kernel and of all that it calls, but for NOP
  std::uint64_t code_bytes = 0;
  int registers = 0;  // a thread
  std::uint64_t static_shared_bytes = 0;
  // Each absent where the machine code does not tell; see profiling/machine_code/kernel_code.hpp.
  std::optional<std::uint64_t> stack_bytes;  // a thread
  std::optional<std::uint64_t> spill_store_bytes;
  std::optional<std::uint64_t> spill_load_bytes;
  std::uint64_t most_threads = 0;  // a block, by its launch bounds or as it must be; 0: not given
  // That a block uses, as of __syncthreads(). Absent: not known, as in older results.
  std::optional<std::uint64_t> barriers = {};
  // How many of its instructions load, or access local memory, by kind and width: "load global
  // 128". Absent: not known, as in older results.
  std::optional<std::map<std::string, std::uint64_t>> accesses = {};
  std::vector<CodePlace> places = {};  // of these accesses, sorted; empty: not known

  // The accesses, their places and the barriers follow from the instructions, and older results
  // lack them, as they lack the launch bounds.
  friend bool operator==(const KernelCode& a, const KernelCode& b) {
    const auto identity = [](const KernelCode& code) {
      return std::tie(code.name, code.architecture, code.compiler, code.sass_hash,
                      code.instructions, code.code_bytes, code.registers, code.static_shared_bytes,
                      code.stack_bytes, code.spill_store_bytes, code.spill_load_bytes);
    };
    return identity(a) == identity(b);
  }
};

using Extents = std::array<std::uint32_t, 3>;  // in x, y, z

// Launches of one kernel that are alike.
struct KernelLaunch {
  std::string kernel{};                    // demangled
  Extents grid{1, 1, 1};                   // blocks
  Extents block{1, 1, 1};                  // threads
  std::uint64_t dynamic_shared_bytes = 0;  // a block
  Extents cluster{1, 1, 1};                // blocks; of one: no clusters
  // How much of what is both L1 cache and shared memory was asked for as the latter, in %.
  std::optional<std::uint32_t> shared_carveout{};
  // 16 hexadecimal digits over the values of the arguments; of a pointer, over its alignment and
  // the kind of its memory. Empty: not known.
  std::string arguments{};
  std::uint64_t count = 1;  // so many in one launch of the benchmark

  friend bool operator==(const KernelLaunch&, const KernelLaunch&) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): the analyser takes a comparison's 0 for a pointer.
  friend auto operator<=>(const KernelLaunch&, const KernelLaunch&) = default;
};

// Adds it to those that are alike. `launches` stays sorted, so that equal lists compare equal
// whatever stream or process they came from.
void add_launch(KernelLaunch launch, std::vector<KernelLaunch>& launches);

// The name in not_measured under which it stands why the launches are not known.
inline constexpr const char* kLaunches = "launches";

// What the device's sensors said at one moment. Absent: they did not.
struct DeviceReading {
  std::optional<double> sm_clock_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<double> power_w;
  std::optional<double> power_limit_w;
  std::optional<double> temperature_c;
  // Why its clocks were not as high as they could be: "idle", "software_power_cap",
  // "hardware_thermal_slowdown" …; empty: for no reason.
  std::optional<std::vector<std::string>> slowed_by;

  friend bool operator==(const DeviceReading&, const DeviceReading&) = default;
};

// How the device fared while it was timed.
struct DeviceState {
  DeviceReading before;            // the first sample, warmed up
  DeviceReading after;             // the last sample
  int discarded_samples = 0;       // that were taken while heat or the hardware slowed the device
  bool slowed_throughout = false;  // for all samples, so that none is discarded
  std::vector<std::string> other_processes = {};  // that computed on it from begin to end

  friend bool operator==(const DeviceState&, const DeviceState&) = default;
};

enum class SamplingEnd {
  precision,  // the figure was known well enough
  budget,     // the time for it was spent
};

// How a process's samples came about.
struct Sampling {
  SamplingEnd ended_by = SamplingEnd::budget;
  std::optional<double> standard_error_ns = {};  // of the mean over places; absent: too few
  int placements = 1;                            // places in memory where the data lay

  friend bool operator==(const Sampling&, const Sampling&) = default;
};

// How the device is set up. Absent: it did not say.
struct DeviceSettings {
  std::optional<double> sm_clock_mhz;  // for applications, which is what they get at most
  std::optional<double> memory_clock_mhz;
  std::optional<double> most_sm_clock_mhz;  // that could be set
  std::optional<double> most_memory_clock_mhz;
  std::optional<double> power_limit_w;
  std::optional<double> usual_power_limit_w;  // as delivered
  std::optional<bool> ecc;
  std::optional<bool> mig;
  std::optional<bool> persistence;
  std::string not_measured;  // why all of it is absent; empty: it is not

  friend bool operator==(const DeviceSettings&, const DeviceSettings&) = default;
};

// One benchmark, observed in one process by one pass.
struct Record {
  std::string id;  // the registered name: family/variant/size
  Pass pass = Pass::time;
  Outcome outcome;
  Work work;
  // Duration of each sample in launch order; empty unless the pass timed.
  std::vector<double> samples_ns;
  // The process's figure: process_figure() of the samples. Absent: not measured.
  std::optional<double> time_ns;
  // How time_ns came about, such as "cupti_activity, L2 flushed".
  std::string time_method;
  std::optional<Sampling> sampling;  // absent unless the pass timed
  // Absent unless the pass timed on a device that can tell.
  std::optional<DeviceState> device_state;
  // Kernels that were launched, demangled, each once, in order of their first launch. Empty: not
  // observed.
  std::vector<std::string> kernels;
  // How they were launched, each kind once, sorted. Empty: not observed.
  std::vector<KernelLaunch> launches;
  // Of the launched kernels, for each architecture that was built. Empty: not read.
  std::vector<KernelCode> machine_code;
  // A grid was as large as the device holds at once, so another device may have another one.
  bool grid_fills_device = false;
  // 16 hexadecimal digits over what the fixture put into device memory before the first launch.
  // Empty: not known.
  std::string input_digest;
  // The sentinel's figure, as time_ns. Absent: there was no sentinel.
  std::optional<double> sentinel_ns;
  std::optional<double> sentinel_span_ns;  // … of kSpanMetric, where a launch is several kernels
  // Why it was not timed though it could be: its code is the baseline's. Empty: it was, or could
  // not be.
  std::string not_timed;
  // Counters by name, one launch's worth; see metric names in docs/explain/measurement.md.
  std::map<std::string, double> counters;
  // How often each kernel ran so that all counters could be read. 0: not known, or not counted.
  int counter_passes = 0;
  std::vector<SourceLine> lines;
  // What the machine code has to be searched for to become lines. Not in results.json.
  std::vector<InstructionTraffic> instructions;
  // What could not be measured ("time", "counters", "source_lines", "machine_code", "device_state",
  // "other_processes", or a counter's name): why.
  std::map<std::string, std::string> not_measured;
  // Remarks by the device, which are no errors, each with its place.
  std::vector<std::string> remarks;

  friend bool operator==(const Record&, const Record&) = default;
};

enum class DeviceKind {
  gpu,
  cpu,  // of imported results only
  emulated,
  machine_code,  // no device: what the compiler made for an architecture
};

struct Device {
  DeviceKind kind = DeviceKind::emulated;
  std::string name;  // as the driver says it, "NVIDIA H200"
  std::string key;   // name of its folder under baselines/: "nvidia-h200", "emulated"
  std::string uuid;
  std::string compute_capability;  // "9.0"
  int multiprocessors = 0;         // 0: the device has none
  std::uint64_t l2_bytes = 0;
  std::uint64_t memory_bytes = 0;
  std::string driver;  // version of the driver, "580.159.04"

  friend bool operator==(const Device&, const Device&) = default;
};

// What the suite was built with.
struct Toolchain {
  std::string host_compiler;
  std::string cuda;  // toolkit version, "13.0"; empty for the emulator
  std::string build_type;
  std::string version;     // of Warpgauge
  std::string flags = {};  // of compiler and linker, "C++ -O3; linker -flto"; empty: not known

  friend bool operator==(const Toolchain&, const Toolchain&) = default;
};

// The source that the suite was built from.
struct Source {
  std::string revision;  // empty: not in a git repository
  bool modified = false;

  friend bool operator==(const Source&, const Source&) = default;
};

// Domain of the NVTX ranges of benchmarks.
inline constexpr const char* kRangeDomain = "warpgauge";

// Name of a benchmark's NVTX range: its id, with dots for all that profilers' filters give a
// meaning of their own, such as the slash, which ends a name for ncu.
[[nodiscard]] std::string range_name(const std::string& id);

// Folder name for a device: lower case, runs of other characters become one dash.
[[nodiscard]] std::string device_key(const std::string& device_name);

}  // namespace warpgauge::results
