# reprise_header_test(layer)
#
# Compiles every public header of the layer on its own, twice over, so that
# none leans on what another file happened to include first and each has a
# working guard. Only the target header_test builds them: a clean build would
# spend a seventh of its time here, and each .cc reads its own header first.
add_custom_target(header_test)

function(reprise_header_test layer)
  get_target_property(headers reprise_${layer} HEADER_SET)
  if(NOT headers)
    return()
  endif()
  set(units "")
  foreach(path IN LISTS headers)
    cmake_path(RELATIVE_PATH path
      BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE header)
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/headers/${header}.cc")
    file(CONFIGURE OUTPUT "${unit}" @ONLY
      CONTENT "#include \"@header@\"\n#include \"@header@\"\n")
    list(APPEND units "${unit}")
  endforeach()
  add_library(reprise_${layer}_headers OBJECT EXCLUDE_FROM_ALL ${units})
  add_dependencies(header_test reprise_${layer}_headers)
  target_compile_options(reprise_${layer}_headers PRIVATE -O0 -g0)
  target_link_libraries(reprise_${layer}_headers PRIVATE
    reprise::${layer} reprise_flags)
endfunction()
