# Answers one question, REPRISE_CUPTI_ENABLED: can a build count launches?
#
# Only the header is asked for, as the library is opened when a program counts
# (replay/cupti_calls.h). CUPTI writes records in its own release's layout, and
# the code reads that of 13.0.
set(REPRISE_CUPTI_ENABLED OFF)

if(NOT REPRISE_CUPTI MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR
    "REPRISE_CUPTI is '${REPRISE_CUPTI}'; it is AUTO, ON or OFF")
endif()

if(NOT REPRISE_CUPTI STREQUAL OFF)
  if(REPRISE_CUDA_ENABLED AND CUDAToolkit_CUPTI_INCLUDE_DIR
      AND CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13.0
      AND CUDAToolkit_VERSION VERSION_LESS 13.1)
    set(REPRISE_CUPTI_ENABLED ON)
  elseif(REPRISE_CUPTI STREQUAL ON)
    message(FATAL_ERROR "REPRISE_CUPTI=ON, but no CUDA Toolkit 13.0 with "
      "cupti.h was found. Install its CUPTI, or configure with "
      "-DREPRISE_CUPTI=OFF to build without launch counts.")
  endif()
endif()
