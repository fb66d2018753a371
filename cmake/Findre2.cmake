# Defines re2::re2. Newer RE2 packages bring a CMake package of their own,
# which is used where there is one; Debian 12 ships only the library.
find_package(re2 CONFIG QUIET)
if(NOT TARGET re2::re2)
  find_path(re2_INCLUDE_DIR re2/re2.h)
  find_library(re2_LIBRARY re2)
  mark_as_advanced(re2_INCLUDE_DIR re2_LIBRARY)
endif()

include(FindPackageHandleStandardArgs)
if(TARGET re2::re2)
  find_package_handle_standard_args(re2 CONFIG_MODE)
else()
  find_package_handle_standard_args(re2
    REQUIRED_VARS re2_LIBRARY re2_INCLUDE_DIR)
endif()

if(re2_FOUND AND NOT TARGET re2::re2)
  add_library(re2::re2 UNKNOWN IMPORTED)
  set_target_properties(re2::re2 PROPERTIES
    IMPORTED_LOCATION "${re2_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${re2_INCLUDE_DIR}")
endif()
