# reprise_embed_text(target path [path ...])
#
# Compiles text files into the target, so that a program needs no files when it
# runs. packs/reprise.json becomes the constant kRepriseJson, declared in the
# header packs/reprise.json.h below the target's folder.
function(reprise_embed_text target)
  set(script "${PROJECT_SOURCE_DIR}/cmake/EmbedTextFile.cmake")
  foreach(path IN LISTS ARGN)
    set(input "${CMAKE_CURRENT_SOURCE_DIR}/${path}")
    cmake_path(RELATIVE_PATH input
      BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE name)
    set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}")
    add_custom_command(
      OUTPUT "${output}.cc" "${output}.h"
      COMMAND "${CMAKE_COMMAND}" -DINPUT=${input} -DOUTPUT=${output}
        -DNAME=${name} -P "${script}"
      DEPENDS "${input}" "${script}" VERBATIM)
    target_sources(${target} PRIVATE "${output}.cc" "${output}.h")
  endforeach()
  target_include_directories(${target} PRIVATE
    "${CMAKE_CURRENT_BINARY_DIR}/embedded")
endfunction()
