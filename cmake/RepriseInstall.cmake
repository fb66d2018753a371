# What `cmake --install` leaves, so that find_package(reprise CONFIG) works.
# Headers keep their folders below include/reprise: a consumer writes
# #include "graph/ids.h", the spelling used in this tree.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(reprise_all INTERFACE)
add_library(reprise::reprise ALIAS reprise_all)
set_target_properties(reprise_all PROPERTIES EXPORT_NAME reprise)

set(reprise_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/reprise")
foreach(layer IN LISTS REPRISE_LAYERS)
  target_link_libraries(reprise_all INTERFACE reprise::${layer})
  install(TARGETS reprise_${layer} EXPORT reprise
    ARCHIVE FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/reprise")
endforeach()
install(TARGETS reprise_all EXPORT reprise)
if(TARGET reprise)
  install(TARGETS reprise RUNTIME)
endif()

install(EXPORT reprise NAMESPACE reprise::
  FILE reprise-targets.cmake DESTINATION "${reprise_package_dir}")
configure_package_config_file(cmake/reprise-config.cmake.in
  "${PROJECT_BINARY_DIR}/reprise-config.cmake"
  INSTALL_DESTINATION "${reprise_package_dir}")
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/reprise-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/reprise-config.cmake"
  "${PROJECT_BINARY_DIR}/reprise-config-version.cmake"
  cmake/Findre2.cmake
  DESTINATION "${reprise_package_dir}")
