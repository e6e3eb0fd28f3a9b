# For a wheel, BLAS::BLAS is a library of what is called alone: a third of OpenBLAS, which as a whole is more than
# a wheel should weigh.
set(functions cblas_dgemm cblas_dsyrk cblas_sdot cblas_sgemm dgeev_ dgesdd_ dposv_ dsyevd_
    openblas_get_corename openblas_get_num_threads openblas_set_num_threads)
find_library(OPENBLAS_ARCHIVE libopenblas.a REQUIRED)
find_library(FORTRAN_ARCHIVE libgfortran.a HINTS ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES} REQUIRED)
find_library(QUADMATH_ARCHIVE libquadmath.a HINTS ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES} REQUIRED)

list(JOIN functions "; " exported)
file(WRITE ${CMAKE_BINARY_DIR}/wheel_blas.map "HEADSCOPE_BLAS { global: ${exported}; local: *; };\n")
file(WRITE ${CMAKE_BINARY_DIR}/wheel_blas.c "/* All of it lies in archives. */\n")
list(TRANSFORM functions PREPEND -Wl,-u,)
add_library(headscope-blas SHARED ${CMAKE_BINARY_DIR}/wheel_blas.c)
target_link_options(headscope-blas PRIVATE
    ${functions} -Wl,--gc-sections -Wl,--version-script=${CMAKE_BINARY_DIR}/wheel_blas.map)
target_link_libraries(headscope-blas PRIVATE
    ${OPENBLAS_ARCHIVE} ${FORTRAN_ARCHIVE} ${QUADMATH_ARCHIVE} m pthread)
set_target_properties(headscope-blas PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/wheel_libraries)
add_library(BLAS::BLAS INTERFACE IMPORTED)
target_link_libraries(BLAS::BLAS INTERFACE headscope-blas)
