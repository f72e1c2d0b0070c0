// SPDX-License-Identifier: Apache-2.0
// A program that launches what its arguments say, without a GPU: it records as the injection
// library would.
//
//   fake_program COUNTER [WORK...]
//
// COUNTER is a file with a line for each start. Without work in the arguments it is what
// FAKE_PROGRAM_WORK says, so that one command does another work each time. Work, one after the
// other:
//
//   push NAME, pop      an NVTX range
//   run KERNEL N NS     so many launches of it that take so long; NS may be a list, "1000,1010", of
//                       which each start takes the next, the last for all that follow; 0: not in
//                       this start
//   shape BLOCKS THREADS
//                       of what follows; without threads: copies of so many bytes, whose kernel is
//                       one of program_id.hpp's names
//   sleep MS            in each start as long; a list as of NS
//   repeat N WORK... end  so often
//   lose N              launches that leave no record
//   fold N              launches of too many kinds to tell apart
//   problem TEXT        as the library says it
//   count COUNTER N     in a start that counts: of each launch of what follows; N may be a list, of
//                       which each launch of a kernel takes the next. Those that are asked for by
//                       name are 5
//   refuse REASON       … why what follows is not counted; "-": it is
//   module FILE N       is loaded, with machine code that is told from others by the number
//   instructions N      in a start that counts lines: each of 256 instructions of its kernel, 16
//                       bytes apart, takes N times the wavefronts and sectors that would do
//   count_problem TEXT, count_fail STATUS
//                       as problem and fail, in a start that counts
//   leave MIB           another process's record, of zeros
//   say TEXT            a line
//   fail STATUS         ends; a list as of NS; 0: not in this start
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "profiling/results/launches/aggregation.hpp"
#include "profiling/results/launches/ranges.hpp"
#include "profiling/results/launches/record_file.hpp"

namespace {

using namespace warpgauge::launches;

class Program {
 public:
  // device_number: tells it from those of other tests, which are not locked with it.
  Program(const std::string& folder, std::size_t start, std::size_t device_number)
      : start_(start), folder_(folder), file_(folder), aggregation_(file_, ranges_) {
    DeviceRecord device;
    device.major = 9;
    device.multiprocessors = 132;
    std::memcpy(device.uuid, &device_number, sizeof device_number);
    std::strcpy(device.name, "NVIDIA H200");
    std::strcpy(device.driver, "580.1");
    file_.append(Kind::device, device);
    const char* const more = std::getenv(kMoreCountersVariable);
    std::istringstream names(more == nullptr ? "" : more);
    for (std::string name; std::getline(names, name, ',');) counters_[name] = "5";
  }

  void work(const std::vector<std::string>& words, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::string& word = words[i];
      if (word == "push") {
        ranges_.push("", words[++i]);
      } else if (word == "pop") {
        ranges_.pop("");
      } else if (word == "shape") {
        blocks_ = static_cast<std::uint32_t>(std::stoul(words[i + 1]));
        threads_ = static_cast<std::uint32_t>(std::stoul(words[i + 2]));
        i += 2;
      } else if (word == "run") {
        run(words[i + 1], std::stoul(words[i + 2]), of_this_start(words[i + 3]));
        i += 3;
      } else if (word == "sleep") {
        std::this_thread::sleep_for(std::chrono::milliseconds(of_this_start(words[++i])));
      } else if (word == "repeat") {
        std::size_t end = i + 2;
        while (words[end] != "end") ++end;
        for (std::size_t n = std::stoul(words[i + 1]); n > 0; --n) work(words, i + 2, end);
        i = end;
      } else if (word == "lose") {
        file_.count(&Counts::launches, std::stoul(words[++i]));
      } else if (word == "fold") {
        file_.count(&Counts::folded, std::stoul(words[++i]));
      } else if (word == "problem") {
        file_.problem(words[++i]);
      } else if (word == "count") {
        counters_[words[i + 1]] = words[i + 2];
        i += 2;
      } else if (word == "refuse") {
        refusal_ = words[i + 1] == "-" ? "" : words[i + 1];
        ++i;
      } else if (word == "module") {
        load(words[i + 1], std::stoul(words[i + 2]));
        i += 2;
      } else if (word == "instructions") {
        times_ideal_ = std::stoul(words[++i]);
      } else if (word == "count_problem") {
        if (counts_) file_.problem(words[i + 1]);
        ++i;
      } else if (word == "count_fail") {
        if (counts_) std::exit(std::stoi(words[i + 1]));
        ++i;
      } else if (word == "leave") {
        leave_record(std::stoul(words[++i]));
      } else if (word == "say") {
        std::printf("%s\n", words[++i].c_str());
      } else if (word == "fail") {
        const auto status = static_cast<int>(of_this_start(words[++i]));
        if (status == 0) continue;
        std::fprintf(stderr, "it fails as it was told\n");
        std::exit(status);
      } else {
        std::fprintf(stderr, "fake_program: what is %s?\n", word.c_str());
        std::exit(64);
      }
    }
  }

  void end() {
    aggregation_.finish();
    file_.end_as(End::ended);
  }

 private:
  std::uint64_t of_this_start(const std::string& list) const { return of_list(list, start_); }

  // The last one of a list that is shorter.
  static std::uint64_t of_list(const std::string& list, std::size_t place) {
    std::istringstream numbers(list);
    std::string number;
    for (std::size_t i = 0; i <= place; ++i) {
      std::string next;
      if (!std::getline(numbers, next, ',')) break;
      number = next;
    }
    return std::stoull(number);
  }

  void run(const std::string& kernel, std::size_t count, std::uint64_t duration_ns) {
    if (duration_ns == 0) return;
    std::vector<Launch> launches(count);
    for (Launch& each : launches) {
      each.kernel = kernel.c_str();
      each.start_ns = now_ns_;
      each.end_ns = now_ns_ + duration_ns;
      each.instance = ranges_.current();
      each.alike.grid[0] = blocks_;
      each.alike.block[0] = threads_;
      const std::uint32_t one = threads_ > 0 ? 1 : 0;
      each.alike.grid[1] = each.alike.grid[2] = each.alike.block[1] = each.alike.block[2] = one;
      now_ns_ = each.end_ns + 500;
    }
    if (threads_ > 0) file_.count(&Counts::launches, count);
    if (!counts_) return aggregation_.add(launches);
    if (threads_ == 0) return;
    for (const Launch& each : launches) {
      const EntryTotal total = aggregation_.total_of(each);
      aggregation_.add(std::vector{each});
      if (total.launches >= kCountedLaunches) continue;
      if (lines_of_.empty()) count_launch(total);
      if (lines_of_ == kernel) count_instructions(total);
    }
  }

  void load(const std::string& path, std::uint64_t number) {
    std::ifstream file(path, std::ios::binary);
    const std::string code{std::istreambuf_iterator<char>(file), {}};
    const ModuleRecord module{{number, 0}, code.size()};
    if (store_code(folder_, module, code)) file_.append(Kind::module, module);
  }

  void leave_record(std::uintmax_t mebibytes) {
    const std::filesystem::path path =
        folder_ + "/another-" + std::to_string(++left_) + kRecordSuffix;
    std::ofstream(path).flush();
    std::filesystem::resize_file(path, mebibytes << 20U);
  }

  void count_instructions(const EntryTotal& total) {
    constexpr std::uint64_t kBytes = 16;
    for (std::uint64_t i = 0; i < 256; ++i) {
      file_.append(Kind::instruction,
                   InstructionRecord{total.entry, static_cast<std::uint32_t>(total.launches),
                                     i * kBytes, 1, times_ideal_, 1, 4 * times_ideal_, 4});
    }
  }

  void count_launch(const EntryTotal& total) {
    if (!refusal_.empty()) {
      file_.append(Kind::not_counted,
                   NotCountedRecord{total.entry, 0, aggregation_.text_of(refusal_)});
      return;
    }
    for (const auto& [name, list] : counters_) {
      const auto value = static_cast<double>(of_list(list, total.launches));
      file_.append(Kind::count, CountRecord{total.entry, aggregation_.text_of(name),
                                            static_cast<std::uint32_t>(total.launches), 3, value});
    }
  }

  std::size_t start_;
  std::string folder_;
  bool counts_ = std::getenv(kCountVariable) != nullptr;
  std::string lines_of_ =
      std::getenv(kKernelVariable) == nullptr ? "" : std::getenv(kKernelVariable);
  std::uint64_t times_ideal_ = 1;
  int left_ = 0;
  std::map<std::string, std::string> counters_;
  std::string refusal_;
  Ranges ranges_;
  RecordFile file_;
  Aggregation aggregation_;
  std::uint64_t now_ns_ = 1'000'000;
  std::uint32_t blocks_ = 4096;
  std::uint32_t threads_ = 128;
};

// How often it was started before.
std::size_t starts_so_far(const std::string& counter) {
  std::size_t count = 0;
  std::ifstream before(counter);
  for (std::string line; std::getline(before, line);) ++count;
  std::ofstream(counter, std::ios::app) << "started\n";
  return count;
}

std::vector<std::string> work_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 2, argv + argc);
  const char* const variable = std::getenv("FAKE_PROGRAM_WORK");
  if (!words.empty() || variable == nullptr) return words;
  std::istringstream text(variable);
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words = work_of(argc, argv);
  const std::size_t start = starts_so_far(argv[1]);
  const char* const folder = std::getenv(kFolderVariable);
  if (folder == nullptr || words.empty()) return 0;
  Program program(folder, start, std::hash<std::string>()(argv[1]));
  program.work(words, 0, words.size());
  program.end();
  return 0;
}
