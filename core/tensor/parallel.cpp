#include "core/tensor/parallel.h"

#include <cblas.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>

namespace headscope {

namespace {

thread_local bool inside_parallel_work = false;

/// How many threads there are. BLAS is told here to use none of its own.
class Threads {
public:
    Threads() { resize(static_cast<std::size_t>(openblas_get_num_threads())); }

    void resize(std::size_t count) {
        openblas_set_num_threads(1);
        count_ = std::max<std::size_t>(1, count);
    }
    std::size_t count() const { return count_; }

private:
    std::atomic<std::size_t> count_ = 1;
};

Threads& pool() {
    static Threads threads;
    return threads;
}

/// The threads that work for the calling one. Each caller has an arena of its own, so that none
/// waits until the work of another is done; the threads themselves are shared by all arenas.
tbb::task_arena& arena() {
    thread_local tbb::task_arena own;
    thread_local std::size_t size = 0;
    if (size != threads()) {
        own.terminate();
        size = threads();
        own.initialize(static_cast<int>(size));
    }
    return own;
}

/// Marks the thread as working for as long as this exists.
class InsideWork {
public:
    InsideWork() { inside_parallel_work = true; }
    ~InsideWork() { inside_parallel_work = false; }
    InsideWork(const InsideWork&) = delete;
    InsideWork& operator=(const InsideWork&) = delete;
};

} // namespace

std::size_t threads() {
    return pool().count();
}

void setThreads(std::size_t count) {
    pool().resize(count);
}

void detail::parallelFor(std::size_t count, void* work, IndexedWork call) {
    if (inside_parallel_work || count <= 1 || threads() == 1) {
        // Within other work the thread's number is that of the work it runs in.
        const std::size_t thread =
            inside_parallel_work
                ? static_cast<std::size_t>(tbb::this_task_arena::current_thread_index())
                : 0;
        for (std::size_t index = 0; index < count; ++index)
            call(work, index, thread);
        return;
    }
    arena().execute([&] {
        tbb::parallel_for(
            std::size_t{0}, count,
            [&](std::size_t index) {
                const InsideWork inside;
                call(work, index,
                     static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()));
            },
            tbb::simple_partitioner());
    });
}

} // namespace headscope
