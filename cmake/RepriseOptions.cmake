# What a build can be asked for. Each default suits someone who works on
# Reprise; as a part of another project only the libraries are built.
set(REPRISE_CUDA AUTO CACHE STRING
  "Build what needs the CUDA Toolkit: ON, OFF, or AUTO (if there is one)")
set_property(CACHE REPRISE_CUDA PROPERTY STRINGS AUTO ON OFF)
set(REPRISE_CUPTI AUTO CACHE STRING
  "Count launches with CUPTI: ON, OFF, or AUTO (if the toolkit has it)")
set_property(CACHE REPRISE_CUPTI PROPERTY STRINGS AUTO ON OFF)

option(REPRISE_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(REPRISE_BENCHMARKS "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(REPRISE_FUZZ "Build the fuzz targets (clang only)" OFF)
option(REPRISE_WERROR "Treat our own warnings as errors" ${PROJECT_IS_TOP_LEVEL})

set(REPRISE_SANITIZE "" CACHE STRING
  "Sanitizers for the whole build: empty, address,undefined or thread")
set_property(CACHE REPRISE_SANITIZE PROPERTY STRINGS "" address,undefined thread)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Kind of build" FORCE)
endif()

if(REPRISE_FUZZ AND NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "REPRISE_FUZZ needs clang (libFuzzer); the compiler is "
    "${CMAKE_CXX_COMPILER_ID}. Configure with --preset fuzz.")
endif()
