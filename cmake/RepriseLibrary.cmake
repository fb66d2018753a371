# reprise_library(NAME layer SOURCES .. [DEPS layers] [LINK targets]
#                 [CUDA_SOURCES ..] [CUDA_DEPS layers] [CUDA_LINK targets])
# reprise_program(NAME name SOURCES .. [DEPS layers] [LINK targets])
#
# One library per layer folder. The allowed arrows are the table below; a
# dependency that is not in it stops the configure step, and the test `layers`
# holds every include to the same table.
set(REPRISE_MAY_USE_graph   "")
set(REPRISE_MAY_USE_driver  "")
set(REPRISE_MAY_USE_capture "graph;driver")
set(REPRISE_MAY_USE_planner "graph")
set(REPRISE_MAY_USE_kernels "")
set(REPRISE_MAY_USE_replay  "graph;driver;capture;planner;kernels")
set(REPRISE_MAY_USE_inject  "graph;driver;capture;planner;replay")

set(REPRISE_LAYERS graph capture planner kernels replay inject)
if(REPRISE_CUDA_ENABLED)
  list(APPEND REPRISE_LAYERS driver)
endif()

# SOURCES names headers as well, in the layer's folder: each .h is public, gets
# installed, and is compiled on its own by the header test. A layer of headers
# alone is an INTERFACE library. What stands under CUDA_ is left out of a build
# without the toolkit.
function(reprise_library)
  cmake_parse_arguments(ARG
    "" "NAME" "SOURCES;DEPS;LINK;CUDA_SOURCES;CUDA_DEPS;CUDA_LINK" ${ARGN})
  if(NOT DEFINED REPRISE_MAY_USE_${ARG_NAME})
    message(FATAL_ERROR "layer '${ARG_NAME}' has no row in RepriseLibrary.cmake")
  endif()
  if(REPRISE_CUDA_ENABLED)
    list(APPEND ARG_SOURCES ${ARG_CUDA_SOURCES})
    list(APPEND ARG_DEPS ${ARG_CUDA_DEPS})
    list(APPEND ARG_LINK ${ARG_CUDA_LINK})
  endif()
  foreach(dep IN LISTS ARG_DEPS)
    if(NOT dep IN_LIST REPRISE_MAY_USE_${ARG_NAME})
      message(FATAL_ERROR "${ARG_NAME} may not use ${dep}; "
        "it may use: ${REPRISE_MAY_USE_${ARG_NAME}}")
    endif()
  endforeach()

  set(headers ${ARG_SOURCES})
  list(FILTER headers INCLUDE REGEX "\\.h$")
  list(FILTER ARG_SOURCES EXCLUDE REGEX "\\.h$")
  list(TRANSFORM headers PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(TRANSFORM ARG_DEPS PREPEND "reprise::")

  set(target reprise_${ARG_NAME})
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    # BUILD_INTERFACE, or the export would ask for reprise_flags too.
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:reprise_flags>)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(reprise::${ARG_NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${ARG_NAME})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_sources(${target} ${scope}
    FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${headers})
  target_link_libraries(${target} ${scope} ${ARG_DEPS} ${ARG_LINK})
endfunction()

# An executable on top of the layers: the command, an example, a benchmark.
function(reprise_program)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPS;LINK" ${ARGN})
  list(TRANSFORM ARG_DEPS PREPEND "reprise::")
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_include_directories(${ARG_NAME} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${ARG_NAME} PRIVATE
    ${ARG_DEPS} ${ARG_LINK} reprise_flags)
endfunction()
