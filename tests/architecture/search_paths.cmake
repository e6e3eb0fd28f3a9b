# cmake -DBUILD=… -DPROGRAMS=… -DMODULES=… -DPYTHON=… -DPLANTED=… -DFOLDER=… -P search_paths.cmake
# A model repository from the net can hold libraries; who starts a program in it must not run them.
cmake_minimum_required(VERSION 3.25)

# 1. No binary of the build tree names a folder in which the loader looks: an empty one is the current folder.
include(${CMAKE_CURRENT_LIST_DIR}/no_search_path.cmake)
file(GLOB binaries ${BUILD}/bin/* ${BUILD}/tests/tests_*)
list(FILTER binaries EXCLUDE REGEX "\\.txt$")
no_search_path(${binaries} ${MODULES})

# 2. A library in the current folder, of each name that a program or what it needs asks for, is not loaded.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
foreach(binary IN LISTS PROGRAMS MODULES)
    execute_process(COMMAND ldd ${binary} OUTPUT_VARIABLE libraries COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\t\n]+ => " names "${libraries}")
    list(TRANSFORM names REPLACE " => $" "")
    foreach(name IN LISTS names)
        file(COPY_FILE ${PLANTED} ${FOLDER}/${name} ONLY_IF_DIFFERENT)
    endforeach()
endforeach()
file(GLOB planted ${FOLDER}/*)
list(LENGTH planted count)
if(count LESS 20)
    message(FATAL_ERROR "Only ${count} libraries were planted: this guard looks for the wrong names.")
endif()

# outcome_of(VARIABLE FOLDER COMMAND…): what it ends with, started in the folder.
function(outcome_of variable folder)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${folder} RESULT_VARIABLE outcome
                    OUTPUT_QUIET ERROR_QUIET)
    set(${variable} "${outcome}" PARENT_SCOPE)
endfunction()

set(starts ${PROGRAMS})
list(TRANSFORM starts APPEND "|--version")
if(MODULES)
    list(APPEND starts "${PYTHON}|-c|import sys; sys.path[0] = '${BUILD}/python'; import headscope")
endif()
foreach(start IN LISTS starts)
    string(REPLACE "|" ";" start "${start}")
    outcome_of(usual ${BUILD} ${start})
    outcome_of(outcome ${FOLDER} ${start})
    if(NOT outcome STREQUAL usual)
        message(FATAL_ERROR "${start}\nloads a library from the current folder: it ends with ${outcome} "
                            "there, and with ${usual} elsewhere.")
    endif()
    # The same start where the loader is told to look there: it ends otherwise.
    outcome_of(outcome ${FOLDER} env LD_LIBRARY_PATH=${FOLDER} ${start})
    if(outcome STREQUAL usual)
        message(FATAL_ERROR "${start}\nis not disturbed by planted libraries: this guard sees nothing.")
    endif()
endforeach()
message(STATUS "${count} planted libraries: none was loaded.")
file(REMOVE_RECURSE ${FOLDER})
