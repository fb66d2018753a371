# How our own code is compiled. reprise_flags is linked PRIVATE, so none of it
# reaches a consumer.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# g++ 12 warns of overflows inside std::string's own code that are none.
set(reprise_gcc_flags -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow)

# No a*b+c may be contracted on its own: the host references promise the same
# bytes from every compiler and processor.
set(reprise_host_flags -Wall -Wextra -Wshadow -ffp-contract=off
  $<$<CXX_COMPILER_ID:GNU>:${reprise_gcc_flags}>
  $<$<BOOL:${REPRISE_WERROR}>:-Werror>)

add_library(reprise_flags INTERFACE)
target_compile_options(reprise_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${reprise_host_flags}>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-ffp-contract=off>"
  "$<$<AND:$<BOOL:${REPRISE_WERROR}>,$<COMPILE_LANGUAGE:CUDA>>:-Werror=all-warnings>")

# Sanitizers must cover every object of a program, hence not in reprise_flags.
if(REPRISE_SANITIZE)
  set(REPRISE_SANITIZE_FLAGS
    -fsanitize=${REPRISE_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${REPRISE_SANITIZE_FLAGS}>")
  add_link_options(${REPRISE_SANITIZE_FLAGS})
endif()
if(REPRISE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
