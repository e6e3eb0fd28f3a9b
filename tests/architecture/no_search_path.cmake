# no_search_path(FILE…): none of the binaries names a folder in which the loader looks for libraries.
function(no_search_path)
    foreach(binary IN LISTS ARGN)
        execute_process(COMMAND readelf --dynamic --wide ${binary}
                        OUTPUT_VARIABLE entries COMMAND_ERROR_IS_FATAL ANY)
        if(NOT entries MATCHES "\\(NEEDED\\)")
            message(FATAL_ERROR "${binary} is not seen to need libraries: this guard reads it wrongly.")
        endif()
        if(entries MATCHES "[^\n]*\\((RPATH|RUNPATH)\\)[^\n]*")
            message(FATAL_ERROR "${binary} looks for libraries in folders of its own:${CMAKE_MATCH_0}")
        endif()
    endforeach()
endfunction()
