# Answers one question, REPRISE_CUDA_ENABLED, and enables the language if so.
#
# The toolkit is looked for first and its nvcc handed to CMake, because CMake's
# own compiler search does not look beyond PATH.
set(REPRISE_CUDA_ENABLED OFF)

if(NOT REPRISE_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "REPRISE_CUDA is '${REPRISE_CUDA}'; it is AUTO, ON or OFF")
endif()

if(NOT REPRISE_CUDA STREQUAL OFF)
  find_package(CUDAToolkit 12.3 QUIET)
  if(CUDAToolkit_FOUND AND CUDAToolkit_NVCC_EXECUTABLE)
    set(REPRISE_CUDA_ENABLED ON)
  elseif(REPRISE_CUDA STREQUAL ON)
    message(FATAL_ERROR "REPRISE_CUDA=ON, but no CUDA Toolkit 12.3 or newer with "
      "nvcc was found. Set CUDAToolkit_ROOT to it, or configure with "
      "-DREPRISE_CUDA=OFF to build what needs none.")
  endif()
endif()

if(REPRISE_CUDA_ENABLED)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
  if(NOT DEFINED CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER "${CUDAToolkit_NVCC_EXECUTABLE}")
  endif()
  enable_language(CUDA)
  # CMake before 3.26 does not know that nvcc 12 speaks C++20.
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  message(STATUS "CUDA ${CUDAToolkit_VERSION}, "
    "architectures ${CMAKE_CUDA_ARCHITECTURES}")
else()
  message(STATUS "CUDA: none, host build")
endif()
