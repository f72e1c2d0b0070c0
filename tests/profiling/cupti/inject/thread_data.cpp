// SPDX-License-Identifier: Apache-2.0
// A library with data of each thread, as many of Python's extensions are.
extern "C" int of_thread() {
  static thread_local int count = 0;
  return ++count;
}
