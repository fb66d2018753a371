# reprise_fuzz(path [DEPS layers] [LINK targets])
#
# One libFuzzer program per file, named after it: capture_file_fuzz.cc makes
# capture_file_fuzz. It is no ctest test; it runs for as long as it is given.
function(reprise_fuzz path)
  cmake_parse_arguments(ARG "" "" "DEPS;LINK" ${ARGN})
  cmake_path(GET path STEM target)
  list(TRANSFORM ARG_DEPS PREPEND "reprise::")
  add_executable(${target} ${path})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE
    ${ARG_DEPS} ${ARG_LINK} reprise_flags -fsanitize=fuzzer)
endfunction()
