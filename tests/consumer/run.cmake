# cmake -D.. -P run.cmake: install, configure, build, run; stops at the first
# step that fails.
set(prefix "${WORK_DIR}/prefix")
set(build "${WORK_DIR}/build")
list(JOIN FLAGS " " FLAGS)
file(REMOVE_RECURSE "${prefix}" "${build}")

execute_process(COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET
  COMMAND ${CMAKE_COMMAND} --install "${REPRISE_BINARY_DIR}"
    --prefix "${prefix}")
execute_process(COMMAND_ERROR_IS_FATAL ANY
  COMMAND ${CMAKE_COMMAND} -S "${CMAKE_CURRENT_LIST_DIR}/project" -B "${build}"
    -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${prefix}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}")
execute_process(COMMAND_ERROR_IS_FATAL ANY
  COMMAND ${CMAKE_COMMAND} --build "${build}")
execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND "${build}/consumer")
