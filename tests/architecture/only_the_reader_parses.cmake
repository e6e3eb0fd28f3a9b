# PROGRAMS may not call HDF5, nor the functions by which other libraries read files of others; READERS
# do. They may not call OpenBLAS, which starts a thread for each processor: sixteen take all the
# memory it may have.
cmake_policy(SET CMP0007 NEW)
set(parsing "U (H5[A-Za-z].*|unzOpen[0-9_]*)(@.*)?$")
set(multiplying "U (cblas_.*|openblas_.*|blas_memory_.*|d[a-z]+_)(@.*)?$")

function(called_functions program pattern result)
    execute_process(COMMAND ${NM} --dynamic --undefined-only ${program}
                    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\n" ";" symbols "${symbols}")
    list(FILTER symbols INCLUDE REGEX "${pattern}")
    set(${result} "${symbols}" PARENT_SCOPE)
endfunction()

foreach(program IN LISTS PROGRAMS)
    called_functions(${program} "${parsing}" found)
    if(found)
        message(FATAL_ERROR "${program} parses files itself:\n${found}\n"
                            "Only headscope-reader and headscope-hdf5 may; see SECURITY.md.")
    endif()
    called_functions(${program} "${multiplying}" found)
    if(NOT found)
        message(FATAL_ERROR "${program} is not seen to multiply: this guard looks for the wrong names.")
    endif()
endforeach()
foreach(reader IN LISTS READERS)
    called_functions(${reader} "${parsing}" found)
    if(NOT found)
        message(FATAL_ERROR "${reader} is not seen to parse files: this guard looks for the wrong names.")
    endif()
    called_functions(${reader} "${multiplying}" found)
    if(found)
        message(FATAL_ERROR "${reader} calls OpenBLAS:\n${found}")
    endif()
endforeach()
