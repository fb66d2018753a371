# Must stop with "planner may not use replay", before it makes any target.
cmake_minimum_required(VERSION 3.25)

include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/RepriseLibrary.cmake")
reprise_library(NAME planner SOURCES plan.cc DEPS graph replay)
