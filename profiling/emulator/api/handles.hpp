// SPDX-License-Identifier: Apache-2.0
// Objects that a program holds by an opaque pointer, such as streams.
#pragma once

#include <map>
#include <memory>
#include <utility>

namespace warpgauge::emulator {

template <class Object>
class Handles {
 public:
  Object* create(Object object) {
    auto owned = std::make_unique<Object>(std::move(object));
    Object* handle = owned.get();
    objects_.emplace(handle, std::move(owned));
    return handle;
  }

  // False when there is no such object.
  [[nodiscard]] bool destroy(Object* handle) { return objects_.erase(handle) > 0; }

  // nullptr when there is no such object.
  [[nodiscard]] Object* find(Object* handle) {
    return objects_.find(handle) == objects_.end() ? nullptr : handle;
  }

  template <class Call>
  void for_each(Call call) {
    for (auto& [handle, object] : objects_) call(*object);
  }

  void clear() { objects_.clear(); }

 private:
  std::map<Object*, std::unique_ptr<Object>> objects_;
};

}  // namespace warpgauge::emulator
