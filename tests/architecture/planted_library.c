/* Takes the name of any library that a program needs: a program that loads it ends with 99, or with 127
   because it is not the library that it needs. */
#include <unistd.h>

__attribute__((constructor)) static void wasLoaded(void) {
    _exit(99);
}
