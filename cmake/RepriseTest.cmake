# reprise_test(path [DEPS layers] [LINK targets] [SOURCES ..] [LABELS ..]
#              [TIMEOUT seconds] [COMMAND])
#
# One program per test file. The test's name is the file's path below tests/
# without the suffix, so `ctest -R planner/` runs a folder and a failure names
# its file. Labels: cpu (the default), gpu, threads (also run under the thread
# sanitizer, for which the target thread_tests builds no more than these).
#   SOURCES  further files of the same program
#   COMMAND  the test starts the command: REPRISE_COMMAND is its path
# REPRISE_TEST_DATA is the path of tests/data in every test.
add_custom_target(thread_tests)

function(reprise_test path)
  cmake_parse_arguments(ARG
    "COMMAND" "TIMEOUT" "SOURCES;DEPS;LINK;LABELS" ${ARGN})
  cmake_path(ABSOLUTE_PATH path OUTPUT_VARIABLE name)
  cmake_path(RELATIVE_PATH name BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/tests")
  cmake_path(REMOVE_EXTENSION name LAST_ONLY)
  string(REPLACE "/" "_" target "${name}")
  list(TRANSFORM ARG_DEPS PREPEND "reprise::")
  if(NOT ARG_LABELS)
    set(ARG_LABELS cpu)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()

  add_executable(${target} ${path} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE
    ${ARG_DEPS} ${ARG_LINK} reprise_test_support reprise_flags)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_precompile_headers(${target} REUSE_FROM reprise_test_support)
  if(threads IN_LIST ARG_LABELS)
    add_dependencies(thread_tests ${target})
  endif()
  if(ARG_COMMAND)
    add_dependencies(${target} reprise)
    target_compile_definitions(${target} PRIVATE
      "REPRISE_COMMAND=\"$<TARGET_FILE:reprise>\"")
  endif()
  add_test(NAME ${name} COMMAND ${target})
  set_tests_properties(${name} PROPERTIES
    LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77)
endfunction()
