# cmake -DINPUT=file -DOUTPUT=path -DNAME=path/in/repository -P this
#
# Writes OUTPUT.h and OUTPUT.cc: the text of INPUT as one string constant.
file(READ "${INPUT}" text)
string(FIND "${text}" ")text\"" found)
if(NOT found EQUAL -1)
  message(FATAL_ERROR "${NAME} holds the end of a C++ raw string")
endif()

# packs/ggml_cuda.json -> GgmlCudaJson
cmake_path(GET NAME FILENAME words)
string(REGEX REPLACE "[^a-zA-Z0-9]+" ";" words "${words}")
set(constant k)
foreach(word IN LISTS words)
  string(SUBSTRING "${word}" 0 1 first)
  string(SUBSTRING "${word}" 1 -1 others)
  string(TOUPPER "${first}" first)
  string(APPEND constant "${first}${others}")
endforeach()

set(declaration "extern const absl::string_view ${constant};")
file(WRITE "${OUTPUT}.h" "// The text of ${NAME}.
#pragma once

#include \"absl/strings/string_view.h\"

namespace reprise {
${declaration}
}  // namespace reprise
")
file(WRITE "${OUTPUT}.cc" "#include \"${NAME}.h\"

namespace reprise {
constinit const absl::string_view ${constant} = R\"text(${text})text\";
}  // namespace reprise
")
