// SPDX-License-Identifier: Apache-2.0
// The files of tests/import/samples, one of each format, and the same from a machine that is faster
// or slower. They are written for these tests, in the layout of the programs that they stand for.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge {

inline std::string import_sample(const std::string& name) {
  return results::read_file(std::filesystem::path(SOURCE_ROOT) / "tests/import/samples" / name);
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  auto at = text.find(from);
  if (at == text.npos) throw std::logic_error("no " + from);
  for (; at != text.npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

// Of results that were imported, the benchmark of this id.
inline const results::BenchmarkResult& find(const results::Results& results,
                                            const std::string& id) {
  for (const results::BenchmarkResult& each : results.benchmarks) {
    if (each.id == id) return each;
  }
  throw std::logic_error("no " + id);
}

// … and of it the first process's figure.
inline double figure(const results::BenchmarkResult& benchmark, const std::string& metric) {
  return benchmark.metrics.at(metric).sessions.at(0).at(0);
}

// As NVBench writes them: little-endian, four bytes each, in seconds.
inline std::string sample_bytes(const std::vector<float>& seconds) {
  std::string bytes;
  for (const float each : seconds) {
    const auto bits = std::bit_cast<std::uint32_t>(each);
    for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift);
  }
  return bytes;
}

// Ten samples, of which only the lowest and the highest are no mean.
inline std::string samples_of(double mean_seconds) {
  std::vector<float> samples(10, static_cast<float>(mean_seconds));
  samples.front() *= 0.5F;
  samples.back() *= 100.0F;
  return sample_bytes(samples);
}

// How a run of each format says its times, by a factor.
struct SampleFormat {
  const char* name;    // of the format
  const char* file;    // in tests/import/samples
  const char* device;  // as an argument, where the file does not say it
  std::vector<std::pair<std::string, double>> times;  // as they stand in the file, and as numbers
  const char* figure;                                 // how a time is written, for fmt
  const char* id;                                     // of a benchmark of the file
};

inline void PrintTo(const SampleFormat& format, std::ostream* stream) { *stream << format.file; }

inline const std::vector<SampleFormat>& sample_formats() {
  static const std::vector<SampleFormat> kFormats{
      {"nvbench",
       "nvbench.json",
       "",
       {{"\"0.0000204\"", 20.4e-6}, {"\"0.0000816\"", 81.6e-6}},
       "\"{:.12f}\"",
       "fill_values/T=F32/Elements=2^20"},
      {"ncu",
       "ncu_details.csv",
       "'NVIDIA H200'",
       {{"\"12.45\"", 12.45}, {"\"12.51\"", 12.51}, {"\"30.02\"", 30.02}},
       "\"{:.5f}\"",
       "tile/void ns::tile<(int)1>(const float *, float *, unsigned long)/grid=8x6x1/"
       "block=32x8x1"},
      {"ncu",
       "ncu_raw.csv",
       "",
       {{"\"12,448\"", 12448}, {"\"12,512\"", 12512}, {"\"30,016\"", 30016}},
       "\"{:.3f}\"",
       "finish/finish(float *)/grid=1x1x1/block=32x8x1"},
      {"babelstream",
       "babelstream.csv",
       "",
       {{"0.000134892", 134.892e-6}, {"0.000137284", 137.284e-6}},
       "{:.12f}",
       "babelstream/copy/double/33554432"},
      {"google-benchmark",
       "google_benchmark.json",
       "'NVIDIA H200'",
       {{"\"real_time\": 51.2", 51.2},
        {"\"real_time\": 51.4", 51.4},
        {"\"real_time\": 51.3", 51.3}},
       "\"real_time\": {:.6f}",
       "BM_copy_float/1024/manual_time"}};
  return kFormats;
}

inline std::string run_of(const SampleFormat& format, double factor) {
  std::string text = import_sample(format.file);
  for (const auto& [written, time] : format.times) {
    text = replaced(text, written, fmt::format(fmt::runtime(format.figure), time * factor));
  }
  return text;
}

}  // namespace warpgauge
