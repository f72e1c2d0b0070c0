// SPDX-License-Identifier: Apache-2.0
// Puts the verdict on standard input into the page, as `warpgauge report --format html` does.
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include "ci/report/formats/html.hpp"

int main() {
  try {
    const std::string verdict(std::istreambuf_iterator<char>(std::cin), {});
    std::cout << warpgauge::ci::html_report(verdict);
  } catch (const std::exception& error) {
    std::cerr << "fill_page: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
