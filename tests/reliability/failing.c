/* Loaded before all other libraries (LD_PRELOAD), it fails one call that a program makes from main()
 * on: the one that FAILING_CALL says, counted from 1. Without it, or with one that does not come, it
 * appends the number of calls to the file FAILING_COUNT. Once failed it is out of the way. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;
static long failing;
static atomic_int counts;

static int fails(void) {
    return atomic_load(&counts) && atomic_fetch_add(&calls, 1) + 1 == failing;
}

#define REAL(name) ((__typeof__(&name))real(#name))

static void* real(const char* name) {
    return dlsym(RTLD_NEXT, name);
}

/* glibc's own names: dlsym() itself may ask for memory. */
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static void* no_memory(void) {
    errno = ENOMEM;
    return NULL;
}

void* malloc(size_t bytes) {
    return fails() ? no_memory() : __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
    return fails() ? no_memory() : __libc_calloc(count, bytes);
}
void* realloc(void* old, size_t bytes) {
    return fails() ? no_memory() : __libc_realloc(old, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
    return fails() ? no_memory() : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
    return memalign(alignment, bytes);
}
int posix_memalign(void** place, size_t alignment, size_t bytes) {
    void* const made = memalign(alignment, bytes);
    if (made == NULL)
        return ENOMEM;
    *place = made;
    return 0;
}

static int refuse(int reason) {
    errno = reason;
    return -1;
}

#define OPENING(name)                                                                              \
    int name(const char* path, int flags, ...) {                                                   \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(rest, mode_t) : 0;          \
        va_end(rest);                                                                              \
        return fails() ? refuse(EMFILE) : REAL(name)(path, flags, mode);                           \
    }
OPENING(open)
OPENING(open64)

ssize_t read(int file, void* to, size_t bytes) {
    return fails() ? refuse(EIO) : REAL(read)(file, to, bytes);
}
ssize_t pread(int file, void* to, size_t bytes, off_t from) {
    return fails() ? refuse(EIO) : REAL(pread)(file, to, bytes, from);
}
ssize_t pread64(int file, void* to, size_t bytes, off64_t from) {
    return fails() ? refuse(EIO) : REAL(pread64)(file, to, bytes, from);
}
ssize_t write(int file, const void* from, size_t bytes) {
    /* What it says of itself is not what is asked here. */
    return file > STDERR_FILENO && fails() ? refuse(ENOSPC) : REAL(write)(file, from, bytes);
}
int fsync(int file) {
    return fails() ? refuse(EIO) : REAL(fsync)(file);
}
int ftruncate(int file, off_t bytes) {
    return fails() ? refuse(EIO) : REAL(ftruncate)(file, bytes);
}
int rename(const char* from, const char* to) {
    return fails() ? refuse(EIO) : REAL(rename)(from, to);
}
int linkat(int from, const char* old, int to, const char* path, int flags) {
    return fails() ? refuse(EIO) : REAL(linkat)(from, old, to, path, flags);
}
int mkdir(const char* path, mode_t mode) {
    return fails() ? refuse(ENOSPC) : REAL(mkdir)(path, mode);
}
void* mmap(void* place, size_t bytes, int access, int flags, int file, off_t from) {
    if (fails()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return REAL(mmap)(place, bytes, access, flags, file, from);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* with) {
    return fails() ? EAGAIN : REAL(pthread_create)(thread, attributes, run, with);
}

static void tell(void) {
    atomic_store(&counts, 0);
    const char* const path = getenv("FAILING_COUNT");
    if (path == NULL)
        return;
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dprintf(file, "%ld\n", atomic_load(&calls));
    close(file);
}

static int (*real_main)(int, char**, char**);

static int counted_main(int count, char** arguments, char** environment) {
    const char* const asked = getenv("FAILING_CALL");
    failing = asked == NULL ? 0 : atol(asked);
    unsetenv("LD_PRELOAD"); /* not of the programs that it starts */
    atexit(tell);
    atomic_store(&counts, 1);
    return real_main(count, arguments, environment);
}

int __libc_start_main(int (*main)(int, char**, char**), int count, char** arguments,
                      void (*begin)(void), void (*end)(void), void (*end_of_loader)(void),
                      void* stack) {
    __typeof__(&__libc_start_main) const start = real("__libc_start_main");
    real_main = main;
    return start(counted_main, count, arguments, begin, end, end_of_loader, stack);
}
