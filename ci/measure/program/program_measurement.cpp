// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/program/program_measurement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <system_error>
#include <utility>

#include "ci/measure/program/first_start.hpp"
#include "ci/measure/program/foreign_profiler.hpp"
#include "ci/measure/program/program_process.hpp"
#include "ci/measure/source.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/files/temporary_folder.hpp"
#include "ci/support/process/helper_query.hpp"
#include "ci/support/process/process.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utc_time.hpp"
#include "profiling/machine_code/compiler_notes.hpp"
#include "profiling/machine_code/files/elf_image.hpp"
#include "profiling/machine_code/kernel_code.hpp"
#include "profiling/machine_code/names/symbol_names.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"
#include "profiling/results/merge.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using launches::DeviceRecord;
using launches::ProcessRecords;
using results::KernelCode;

// So large a part of the launches may leave no record: what is known of the rest stands for all.
constexpr double kMostLost = 0.001;

std::string uuid_text(const unsigned char (&bytes)[16]) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

results::Device device_of(const DeviceRecord& record) {
  results::Device device;
  device.kind = results::DeviceKind::gpu;
  device.name = record.name;
  device.key = results::device_key(device.name);
  device.uuid = uuid_text(record.uuid);
  device.compute_capability = fmt::format("{}.{}", record.major, record.minor);
  device.multiprocessors = static_cast<int>(record.multiprocessors);
  device.l2_bytes = record.l2_bytes;
  device.memory_bytes = record.memory_bytes;
  device.driver = record.driver;
  return device;
}

std::uint64_t launched(const ProcessRecords& process) {
  return process.header.counts.kernels + process.header.counts.graph_kernels;
}

template <class Count>
std::uint64_t sum(const std::vector<ProcessRecords>& start, Count count) {
  return std::accumulate(
      start.begin(), start.end(), std::uint64_t{0},
      [&](std::uint64_t all, const ProcessRecords& each) { return all + count(each); });
}

// Empty: what is there can be trusted.
std::string why_not_whole(const std::vector<ProcessRecords>& start) {
  for (const ProcessRecords& process : start) {
    if (!process.problems.empty()) return process.problems.front();
  }
  const std::uint64_t recorded = sum(start, launched);
  const std::uint64_t lost = sum(start, [](const ProcessRecords& each) { return each.lost(); });
  const std::uint64_t unfinished =
      sum(start, [](const ProcessRecords& each) { return each.header.counts.unfinished; });
  if (static_cast<double>(lost) <= kMostLost * static_cast<double>(lost + recorded)) return "";
  return unfinished >= lost / 2 + 1
             ? fmt::format(
                   "{} of {} launches had not ended when their process did: let it wait "
                   "for the GPU (cudaDeviceSynchronize, torch.cuda.synchronize)",
                   unfinished, lost + recorded)
             : fmt::format(
                   "{} of {} launches left no record: a process was killed or crashed, or "
                   "another profiler took them",
                   lost, lost + recorded);
}

// What `count` says, or why it could not be done.
std::string why_not(const std::function<std::string()>& count) {
  try {
    return count();
  } catch (const Error& error) {
    return error.what();
  } catch (const machine_code::CubinError& error) {
    return error.what();
  } catch (const results::FormatError& error) {
    return error.what();
  } catch (const results::FileError& error) {
    return error.what();
  }
}

}  // namespace

ProgramMeasurement::ProgramMeasurement(ProgramOptions options) : options_(std::move(options)) {
  const std::string other = other_profiler(options_.command, ::getenv);
  if (!other.empty()) {
    throw Error(kExitUsage, fmt::format("{} would record the program's kernels in place of "
                                        "Warpgauge: measure without it",
                                        other));
  }
  const std::string& name = options_.command.front();
  program_ = name.find('/') == name.npos ? find_program(name) : fs::absolute(name);
  if (program_.empty() || !fs::is_regular_file(program_)) {
    throw Error(kExitNotMeasured,
                fmt::format("there is no program {}; check its name, and that the whole "
                            "command stands after --",
                            name));
  }
  if (!fs::is_regular_file(options_.injection)) {
    throw Error(kExitNotMeasured,
                fmt::format("there is no {}, which CUDA loads into the program: install all of a "
                            "release, or {}",
                            options_.injection.string(), how_to_build("warpgauge_inject")));
  }
  session_.created = utc_now();
  session_.toolchain.version = WARPGAUGE_VERSION;
  session_.source = current_source();
  session_.program = results::Program{shell_text(options_.command), options_.skip_until};
}

void ProgramMeasurement::observe(int processes) {
  if (starts_.empty() && locks_.empty()) begin();
  const OtherProcesses before = others();
  const std::size_t first = starts_.size();
  const std::size_t wanted = first + static_cast<std::size_t>(processes);
  while (starts_.size() < wanted) {
    starts_.push_back(start(fmt::format("start {}", starts_.size() + 1)));
    know_ranks(starts_.back());
    take_first();
    session_.processes = static_cast<int>(starts_.size());
    // Until the end is known, which a start that fails leaves out.
    others_.resize(starts_.size(), before);
  }
  if (first == 0) count();
  // One that has just ended, or only looked at the device, was in nobody's way.
  OtherProcesses throughout = before.names.empty() ? before : others();
  std::erase_if(throughout.names, [&](const auto& each) { return !before.names.contains(each); });
  others_.resize(first);
  others_.resize(starts_.size(), throughout);
}

// Which GPUs it uses is known once it has run, and that, too, must not disturb another run.
void ProgramMeasurement::begin() {
  const auto visible = ask({});
  if (visible && !visible->no_gpu.empty()) {
    throw Error(
        kExitNotMeasured,
        fmt::format(
            "a GPU is needed to measure {}, and there is none: {}; a CUDA binary's machine "
            "code is gated without one, by 'warpgauge static', or by --machine-code of a "
            "script of 'warpgauge init' that builds the binary; the script that it writes for "
            "a Google Benchmark suite without CUDA gates CPU time",
            options_.command.front(), visible->no_gpu));
  }
  if (visible) lock({visible->uuids.begin(), visible->uuids.end()});
  first_ = start("a first start, which fills caches");
  know_devices(*first_);
  for (const std::string& each : options_.lines) with_lines_.merge(symbols_of(each, *first_));
  if (!with_lines_.empty()) {
    options_.log(fmt::format("source lines cost one more start of the program a kernel: {}",
                             counted(with_lines_.size(), "start")));
  }
  lock(used_);
  const auto facts = ask(session_.device.uuid);
  if (!facts || !facts->no_gpu.empty()) return;
  session_.settings = facts->settings;
  session_.toolchain.cuda = facts->cuda;
}

// Once there is another one to hold it against.
void ProgramMeasurement::take_first() {
  if (!first_) return;
  const ProgramStart first = *std::exchange(first_, std::nullopt);
  if (!counts_like_the_next(first, starts_.front())) return;
  starts_.insert(starts_.begin(), first);
  options_.log("the first start counts, too: it launched the same and took no longer");
}

// In one order for all runs, lest two wait for each other.
void ProgramMeasurement::lock(const std::set<std::string>& uuids) {
  if (uuids == locked_) return;
  locks_.clear();
  for (const std::string& uuid : uuids) {
    locks_.emplace_back(uuid, options_.lock_wait,
                        [&] { options_.log(fmt::format("waiting for another run on {}", uuid)); });
  }
  locked_ = uuids;
}

// What cannot be counted leaves the rest measured.
void ProgramMeasurement::count() {
  further_.source_root = options_.source_root;
  if (options_.counters) count_counters();
  for (const std::string& each : with_lines_) count_lines(each);
}

void ProgramMeasurement::count_counters() {
  options_.log(
      fmt::format("a further start counts: at most {} launches of each kernel are replayed",
                  launches::kCountedLaunches));
  const TemporaryFolder folder;
  CountingStart& counting = further_.counting.emplace();
  counting.why_not = why_not([&] {
    auto processes =
        start_program(options_, program_, folder.path(), variables_of_counters(options_));
    std::string why = why_not_counted(processes);
    counting.start = read(folder.path(), std::move(processes));
    return why;
  });
  if (counting.why_not.empty()) return;
  options_.log(fmt::format("not all is counted: {}", counting.why_not));
}

void ProgramMeasurement::count_lines(const std::string& symbol) {
  LinesStart& lines = further_.lines.emplace_back();
  lines.kernel = machine_code::demangled(symbol);
  options_.log(fmt::format("a further start counts the source lines of {}", lines.kernel));
  const TemporaryFolder folder;
  lines.why_not = why_not([&] {
    auto processes = start_program(options_, program_, folder.path(), variables_of_lines(symbol));
    std::string why = why_not_counted(processes);
    lines.start = read(folder.path(), std::move(processes));
    for (const auto& [module, code] : lines.start.code_of_modules) {
      const auto& [file, kernel] = module;
      if (kernel != lines.kernel) continue;
      lines.code.emplace(
          file, MachineCode::read({folder.path() / file}, session_.device.compute_capability));
    }
    return why;
  });
  if (lines.why_not.empty()) return;
  options_.log(fmt::format("source lines of {}: {}", lines.kernel, lines.why_not));
}

std::optional<GpuFacts> ProgramMeasurement::ask(const std::string& uuid) const {
  if (options_.doctor.empty()) return std::nullopt;
  return ask_doctor(options_.doctor, uuid);
}

ProgramMeasurement::OtherProcesses ProgramMeasurement::others() const {
  OtherProcesses others;
  for (const std::string& uuid : used_) {
    const auto facts = ask(uuid);
    if (facts) others.names.insert(facts->other_processes.begin(), facts->other_processes.end());
    others.unknown = facts ? facts->others_unknown : "warpgauge_doctor gave no answer";
  }
  return others;
}

ProgramStart ProgramMeasurement::start(const std::string& which) {
  const TemporaryFolder folder;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<ProcessRecords> processes = start_program(options_, program_, folder.path(), {});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const std::uint64_t count = require_whole(processes);
  ProgramStart start = read(folder.path(), std::move(processes));
  start.took = took;
  options_.log(fmt::format("{}: {:.1f} s, {} launches", which, took.count(), count));
  return start;
}

std::uint64_t ProgramMeasurement::require_whole(const std::vector<ProcessRecords>& start) const {
  const std::string why = why_not_whole(start);
  if (!why.empty()) {
    throw Error(kExitNotMeasured, fmt::format("{}: {}", shell_text(options_.command), why));
  }
  const std::uint64_t count = sum(start, launched);
  if (count > 0) return count;
  throw Error(
      kExitNotMeasured,
      fmt::format(
          "{}: {}", shell_text(options_.command),
          start.empty() ? why_no_cuda()
          : options_.skip_until.empty()
              ? "used CUDA, but launched no kernel"
              : fmt::format("opened no range '{}', or launched nothing after it (--skip-until)",
                            options_.skip_until)));
}

ProgramStart ProgramMeasurement::read(const fs::path& folder,
                                      std::vector<ProcessRecords> processes) {
  ProgramStart start;
  start.processes = std::move(processes);
  for (const ProcessRecords& process : start.processes) {
    for (const launches::ModuleRecord& module : process.modules) read_code(folder, module, start);
    for (const std::string& remark : process.remarks) options_.log(remark);
  }
  return start;
}

// The same in each start, it is read once.
void ProgramMeasurement::read_code(const fs::path& folder, const launches::ModuleRecord& module,
                                   ProgramStart& start) {
  const std::string name = launches::code_file(module);
  const auto [known, is_new] = modules_.try_emplace(name);
  if (is_new) {
    try {
      const std::string bytes = results::read_file(folder / name, results::kProgramLimit);
      const machine_code::ElfImage image(bytes);
      known->second = machine_code::kernel_codes(image, machine_code::noted_variant(image));
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      // Kernels of it have no machine code, and say so.
      options_.log(fmt::format("{}: {}", name, error.what()));
    }
  }
  for (const KernelCode& each : known->second) {
    start.code[each.name].push_back(each);
    start.code_of_modules[{name, each.name}].push_back(each);
  }
}

void ProgramMeasurement::know_devices(const ProgramStart& start) {
  // Processes may number them each in its own way.
  std::map<std::string, std::uint64_t> launches_on;  // by UUID
  std::map<std::string, const DeviceRecord*> devices;
  for (const ProcessRecords& process : start.processes) {
    std::map<std::uint32_t, std::string> uuids;
    for (const DeviceRecord& each : process.devices) {
      uuids[each.id] = uuid_text(each.uuid);
      devices[uuids[each.id]] = &each;
    }
    for (const launches::RecordedEntry& entry : process.entries) {
      launches_on[uuids[entry.alike.device]] += entry.total.launches;
    }
  }
  // Of several, the one that most launches were on.
  const DeviceRecord* most = nullptr;
  for (const auto& [uuid, device] : devices) {
    if (launches_on[uuid] > 0) used_.insert(uuid);
    if (most == nullptr || launches_on[uuid] > launches_on[uuid_text(most->uuid)]) most = device;
  }
  if (most == nullptr || most->name[0] == '\0') {
    throw Error(kExitNotMeasured,
                fmt::format("{}: which GPU it ran on is not known", shell_text(options_.command)));
  }
  session_.device = device_of(*most);
  used_.insert(session_.device.uuid);
}

void ProgramMeasurement::know_ranks(const ProgramStart& start) {
  const auto processes =
      std::count_if(start.processes.begin(), start.processes.end(),
                    [](const ProcessRecords& each) { return !each.entries.empty(); });
  session_.program->processes = std::max(session_.program->processes, static_cast<int>(processes));
  session_.program->devices = static_cast<int>(used_.size());
}

results::RunRecord ProgramMeasurement::result() const {
  results::Json context{{"executable", program_.filename().string()}, {"date", session_.created}};
  std::vector<results::Observation> observations =
      program_observations(starts_, options_.terms, further_);
  for (results::Observation& each : observations) {
    if (!each.record.time_ns || options_.doctor.empty()) continue;
    const OtherProcesses& others = others_.at(static_cast<std::size_t>(each.process));
    if (!others.unknown.empty()) each.record.not_measured["other_processes"] = others.unknown;
    if (others.names.empty()) continue;
    each.record.device_state.emplace().other_processes.assign(others.names.begin(),
                                                              others.names.end());
  }
  return results::merge(session_, std::move(context), observations);
}

results::RunRecord run(const ProgramOptions& options) {
  ProgramMeasurement measurement(options);
  measurement.observe(options.processes);
  return measurement.result();
}

}  // namespace warpgauge::ci
