# PROGRAMS may not call the functions by which libraries read files of others; READER does.
set(parsing "U (H5Fopen|H5Dread|H5Dread_chunk|H5Aread|H5Literate[12]?|H5Oopen|H5Oopen_by_addr|unzOpen.*)$")

function(parsing_functions program result)
    execute_process(COMMAND ${NM} --dynamic --undefined-only ${program}
                    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\n" ";" symbols "${symbols}")
    list(FILTER symbols INCLUDE REGEX "${parsing}")
    set(${result} "${symbols}" PARENT_SCOPE)
endfunction()

foreach(program IN LISTS PROGRAMS)
    parsing_functions(${program} found)
    if(found)
        message(FATAL_ERROR "${program} parses files itself:\n${found}\n"
                            "Only headscope-reader may; see SECURITY.md.")
    endif()
endforeach()
parsing_functions(${READER} found)
if(NOT found)
    message(FATAL_ERROR "${READER} is not seen to parse files: this guard looks for the wrong names.")
endif()
