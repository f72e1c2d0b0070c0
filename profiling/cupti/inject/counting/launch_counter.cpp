// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/counting/launch_counter.hpp"

namespace warpgauge::inject {

using launches::Kind;

void CountWriter::counter(const std::string& name, double value, std::size_t passes) {
  file_.append(Kind::count, launches::CountRecord{entry_, aggregation_.text_of(name), order_,
                                                  static_cast<std::uint32_t>(passes), value});
}

void CountWriter::not_counted(const std::string& name, const std::string& reason) {
  const std::uint32_t counter = name.empty() ? 0 : aggregation_.text_of(name);
  file_.append(Kind::not_counted,
               launches::NotCountedRecord{entry_, counter, aggregation_.text_of(reason)});
}

void CountWriter::instruction(const results::InstructionTraffic& traffic) {
  file_.append(Kind::instruction,
               launches::InstructionRecord{entry_, order_, traffic.offset_bytes, traffic.requests,
                                           traffic.wavefronts, traffic.ideal_wavefronts,
                                           traffic.sectors, traffic.ideal_sectors});
}

}  // namespace warpgauge::inject
