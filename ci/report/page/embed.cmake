# SPDX-License-Identifier: Apache-2.0
# Puts a built page into C++ source:
#   cmake -DPAGE=dist/index.html -DTEMPLATE=page_template.cpp.in -DOUTPUT=page_template.cpp -P embed.cmake
file(READ ${PAGE} page)
string(FIND "${page}" ")_page_\"" end)
if(NOT end EQUAL -1)
  message(FATAL_ERROR "${PAGE} holds the text that ends its literal in ${TEMPLATE}; choose another there")
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
file(TOUCH ${OUTPUT})  # also when it stayed as it was, or it would be made again by each build
