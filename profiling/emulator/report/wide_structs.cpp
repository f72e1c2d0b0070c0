// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/report/wide_structs.hpp"

#include <dwarf.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace warpgauge::emulator {
namespace {

constexpr Dwarf_Word kWideBytes = 16;

std::optional<Dwarf_Word> unsigned_of(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &found), &value) != 0) return {};
  return value;
}

std::optional<Dwarf_Die> type_of(Dwarf_Die* die) {
  Dwarf_Attribute found;
  Dwarf_Die type;
  if (dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &found), &type) == nullptr) return {};
  return type;
}

template <class Visit>
void for_each_child(Dwarf_Die* die, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(die, &child) != 0) return;
  do {
    visit(&child);
  } while (dwarf_siblingof(&child, &child) == 0);
}

bool is_struct(int tag) {
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool is_part(int tag) { return tag == DW_TAG_member || tag == DW_TAG_inheritance; }

bool is_pointer(int tag) {
  return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
         tag == DW_TAG_rvalue_reference_type || tag == DW_TAG_ptr_to_member_type;
}

// Whether it is another type by another name, or of other rights; or an array, which is aligned as
// its elements are.
bool is_as_another(int tag) {
  return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
         tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type || tag == DW_TAG_array_type;
}

Dwarf_Word alignment_of(Dwarf_Die type) {
  Dwarf_Word alignment = unsigned_of(&type, DW_AT_alignment).value_or(1);
  const int tag = dwarf_tag(&type);
  const Dwarf_Word bytes = unsigned_of(&type, DW_AT_byte_size).value_or(1);
  if (is_struct(tag)) {
    for_each_child(&type, [&](Dwarf_Die* child) {
      if (!is_part(dwarf_tag(child))) return;
      alignment = std::max(alignment, unsigned_of(child, DW_AT_alignment).value_or(1));
      if (const auto part = type_of(child)) alignment = std::max(alignment, alignment_of(*part));
    });
  } else if (is_pointer(tag)) {
    alignment = std::max(alignment, Dwarf_Word{sizeof(void*)});
  } else if (is_as_another(tag)) {
    if (const auto other = type_of(&type)) alignment = std::max(alignment, alignment_of(*other));
  } else if (tag == DW_TAG_base_type &&
             unsigned_of(&type, DW_AT_encoding) == Dwarf_Word{DW_ATE_complex_float}) {
    alignment = std::max(alignment, bytes / 2);
  } else {
    alignment = std::max(alignment, bytes);
  }
  return alignment;
}

class Search {
 public:
  // in_memory: behind a pointer, or in an array; else a parameter or variable of its own, which
  // lies in no memory that counts.
  void look_at(Dwarf_Die type, bool in_memory) {
    if (!seen_.insert({dwarf_dieoffset(&type), in_memory}).second) return;
    const int tag = dwarf_tag(&type);
    if (is_as_another(tag) || is_pointer(tag)) {
      const bool there = in_memory || is_pointer(tag) || tag == DW_TAG_array_type;
      if (const auto other = type_of(&type)) look_at(*other, there);
      return;
    }
    if (unsigned_of(&type, DW_AT_byte_size) == kWideBytes) {
      const Dwarf_Word alignment = alignment_of(type);
      found_.of_words |= in_memory && is_struct(tag) && alignment == kWideBytes / 2;
      found_.vectors |= alignment >= kWideBytes;
    }
    if (!is_struct(tag)) return;
    for_each_child(&type, [&](Dwarf_Die* child) {
      if (!is_part(dwarf_tag(child))) return;
      if (const auto part = type_of(child)) look_at(*part, in_memory);
    });
  }

  // Of a function: what it belongs to, or what a lambda has captured, is its own.
  void look_at_object(Dwarf_Die type) {
    if (const auto pointee = type_of(&type)) look_at(*pointee, false);
  }

  [[nodiscard]] WideStructs found() const { return found_; }

 private:
  std::set<std::pair<Dwarf_Off, bool>> seen_;
  WideStructs found_;
};

bool is_object(Dwarf_Die* parameter) {
  Dwarf_Attribute found;
  bool artificial = false;
  return dwarf_formflag(dwarf_attr_integrate(parameter, DW_AT_artificial, &found), &artificial) ==
             0 &&
         artificial;
}

}  // namespace

WideStructs wide_structs_of(Dwarf_Die* scope) {
  Search search;
  for_each_child(scope, [&](Dwarf_Die* child) {
    const int tag = dwarf_tag(child);
    if (tag != DW_TAG_formal_parameter && tag != DW_TAG_variable) return;
    auto type = type_of(child);
    if (!type) return;
    if (is_object(child)) {
      // `this` is a const pointer.
      const auto pointer = dwarf_tag(&*type) == DW_TAG_const_type ? type_of(&*type) : type;
      if (pointer) search.look_at_object(*pointer);
    } else {
      search.look_at(*type, false);
    }
  });
  return search.found();
}

}  // namespace warpgauge::emulator
