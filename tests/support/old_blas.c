/* Loaded before OpenBLAS: answers as one that does not know the processor, unless it is told. */

#include <stdlib.h>

const char* openblas_get_corename(void) {
    const char* const told = getenv("OPENBLAS_CORETYPE");
    return told ? told : "Prescott";
}
