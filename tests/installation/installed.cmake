# cmake -DBUILD=… -DCOMPONENTS=cli;data;window;python -DFOLDER=… -P installed.cmake
cmake_minimum_required(VERSION 3.25)

# install_into(PREFIX [COMPONENT NAME])
function(install_into prefix)
    list(TRANSFORM ARGN REPLACE "^COMPONENT$" "--component" OUTPUT_VARIABLE component)
    execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} ${component}
                    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(files_in variable folder)
    file(GLOB_RECURSE files RELATIVE ${folder} ${folder}/*)
    list(SORT files)
    set(${variable} "${files}" PARENT_SCOPE)
endfunction()

# runs(PATTERN COMMAND…): it ends well and prints what matches.
function(runs pattern)
    execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE printed ERROR_VARIABLE printed
                    RESULT_VARIABLE outcome)
    if(NOT outcome EQUAL 0 OR NOT printed MATCHES "${pattern}")
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "${command}\nended with ${outcome} and printed\n${printed}")
    endif()
endfunction()

file(REMOVE_RECURSE ${FOLDER})
install_into(${FOLDER}/whole)
files_in(whole ${FOLDER}/whole)

# Each file belongs to one component, or it would be in no package, or in two.
set(parts "")
foreach(component IN LISTS COMPONENTS)
    install_into(${FOLDER}/${component} COMPONENT ${component})
    files_in(files ${FOLDER}/${component})
    list(APPEND parts ${files})
endforeach()
list(SORT parts)
if(NOT parts STREQUAL whole)
    message(FATAL_ERROR "Installed:\n${whole}\nin the components:\n${parts}")
endif()

# What is installed looks for libraries only where the system keeps them.
include(${CMAKE_CURRENT_LIST_DIR}/../architecture/no_search_path.cmake)
file(GLOB_RECURSE binaries ${FOLDER}/whole/bin/* ${FOLDER}/whole/libexec/* ${FOLDER}/whole/*.so)
no_search_path(${binaries})

# A folder that no build knew: the programs find their reader and the models beside themselves.
file(RENAME ${FOLDER}/whole ${FOLDER}/elsewhere)
set(model ${FOLDER}/elsewhere/share/headscope/sample_models/microgpt.h5)
runs("parameters    4192" ${FOLDER}/elsewhere/bin/headscope-cli info ${model})
if("window" IN_LIST COMPONENTS)
    runs("Headscope [0-9.]+\n$" ${FOLDER}/elsewhere/bin/headscope --version)
    runs("" ${FOLDER}/elsewhere/bin/headscope --figure ${FOLDER}/figure.svg)
    file(READ ${FOLDER}/figure.svg figure LIMIT 1000)
    if(NOT figure MATCHES "<svg")
        message(FATAL_ERROR "The installed window draws no figure.")
    endif()
endif()
if("python" IN_LIST COMPONENTS)
    runs("^4\n$" ${CMAKE_COMMAND} -E env PYTHONPATH=${FOLDER}/elsewhere/${PYTHON_DIR} ${PYTHON} -B -c
         "from headscope import *\nprint(open(sample('microgpt')).n_heads)")
endif()
file(REMOVE_RECURSE ${FOLDER})
