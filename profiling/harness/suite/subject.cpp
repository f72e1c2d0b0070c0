// SPDX-License-Identifier: Apache-2.0
#include "profiling/harness/suite/subject.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "profiling/harness/trust.hpp"
#include "profiling/harness/unforeseen.hpp"

namespace warpgauge {
namespace {

// Places are kept as long as this lives.
class KeptPlaces {
 public:
  KeptPlaces() { device_memory().keep_places(true); }
  KeptPlaces(const KeptPlaces&) = delete;
  KeptPlaces& operator=(const KeptPlaces&) = delete;
  ~KeptPlaces() { device_memory().keep_places(false); }
};

// NaN is what was never written.
std::string hint_of_precision(const Check& check) {
  if (!check.is_coarse() || std::isnan(check.worst_error)) return "";
  return "; most are as far off as if they were computed in lower precision than their type has";
}

}  // namespace

Subject::Subject(Backend& backend, std::function<std::unique_ptr<KernelFixture>()> make, Sizes size,
                 Coverage coverage)
    : backend_(backend), make_(std::move(make)), size_(std::move(size)), coverage_(coverage) {
  prepare(kInputSeed);
}

// Frees the old data after allocating the new, so that the addresses differ.
void Subject::prepare(std::uint64_t seed) {
  auto fresh = make_();
  fresh->set_seed(seed);
  const std::size_t of_others = device_memory().size();
  fresh->prepare(size_);
  blocks_ = device_memory().since(of_others);
  fixture_ = std::move(fresh);
}

// What prepare() may have computed is no result of a launch.
void Subject::prepare_erased(std::uint64_t seed) {
  prepare(seed);
  fixture_->poison_result();
}

void Subject::launch() {
  const std::size_t known = device_memory().size();
  is_checked_ = false;
  fixture_->enqueue();
  if (device_memory().size() <= known) return;
  for (const DeviceBlock& block : device_memory().since(known)) blocks_.push_back(block);
}

Check Subject::check() {
  const Check result = fixture_->check(coverage_);
  remark_ = remark_on_precision(result);
  is_checked_ = true;
  return result;
}

void Subject::require_right() {
  if (is_checked_) return;
  const Check result = check();
  if (!result.passed()) throw WrongResult(result.message() + hint_of_precision(result));
}

void Subject::relocate() { prepare(kInputSeed); }

void Subject::surprise() {
  if (coverage_ == Coverage::full) require_right();
  const KeptPlaces kept;
  fixture_.reset();
  unseen_ = unforeseen_number();
  prepare_erased(unseen_);
  prepared_ = blocks_;
  erased_ = backend_.digest(prepared_);
}

void Subject::settle() {
  const std::string left = backend_.digest(blocks_);
  const bool wrote_nothing = !erased_.empty() && backend_.digest(prepared_) == erased_;
  const Check result = check();
  if (backend_.digest(blocks_) != left) {
    throw Untrusted(
        "device memory changed after the launch had ended and the device was idle: part of the "
        "work is done later, by another stream or thread, or when the result is read. End all of "
        "it before the launch's stream does");
  }
  if (!result.passed()) throw WrongResult(why_wrong(result, wrote_nothing));
}

bool Subject::is_right(std::uint64_t seed) {
  prepare_erased(seed);
  launch();
  static_cast<void>(backend_.digest(blocks_));  // waits for it
  return fixture_->check(Coverage::sampled).passed();
}

// Tries what it does get right.
std::string Subject::why_wrong(const Check& check, bool wrote_nothing) {
  const auto cause = [&]() -> std::string {
    if (const std::string hint = hint_of_precision(check); !hint.empty()) return hint.substr(2);
    if (is_right(unforeseen_number())) {
      return "It is right at addresses where it has not run before: it keeps results by the "
             "address of its data";
    }
    if (is_right(kInputSeed)) {
      return "It is right on the input that all other launches have: it gives what it kept of an "
             "earlier launch, or what it knew before";
    }
    return "It is not right on the usual input either: it does its work in some launches only, or "
           "only a part of it";
  };
  return fmt::format(
      "wrong on input that no launch had seen, put in the place of the usual one, with the result "
      "erased: {}{}. {}. Compute the result from the input in every launch. (Seed {}: input and "
      "reference must both be made from seed())",
      wrote_nothing ? "the launch wrote nothing; " : "", check.message(), cause(), unseen_);
}

}  // namespace warpgauge
