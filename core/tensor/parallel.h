#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace headscope {

/// Who computes in parallel is decided here and nowhere else: BLAS runs on the thread that calls
/// it, and matrices, heads and rows are spread over these threads. At first there are as many as
/// OpenBLAS would take (the cores of the machine, or OPENBLAS_NUM_THREADS).
std::size_t threads();
/// For the whole process; at least one. Not while something computes.
void setThreads(std::size_t count);

namespace detail {
using IndexedWork = void (*)(void* work, std::size_t index, std::size_t thread);
void parallelFor(std::size_t count, void* work, IndexedWork call);
} // namespace detail

/// Calls work(index, thread) once for every index below `count`, spread over the threads. `thread`
/// is below threads() and belongs to one call at a time, so that it can choose a buffer. A call
/// from within such work runs in place, one index after the other. Allocates nothing itself.
template <class Work>
void parallelFor(std::size_t count, Work&& work) {
    using Plain = std::remove_reference_t<Work>;
    detail::parallelFor(count, const_cast<std::remove_const_t<Plain>*>(std::addressof(work)),
                        [](void* callee, std::size_t index, std::size_t thread) {
                            (*static_cast<Plain*>(callee))(index, thread);
                        });
}

/// Half-open range of rows.
struct RowRange {
    std::size_t begin = 0;
    std::size_t count = 0;
};

/// Spreads `rows` rows of `cols` numbers in ranges large enough to be worth a thread:
/// work(RowRange).
template <class Work>
void parallelRows(std::size_t rows, std::size_t cols, Work&& work) {
    constexpr std::size_t kNumbersPerRange = 1 << 15;
    const std::size_t wanted = 1 + rows * cols / kNumbersPerRange;
    const std::size_t most = 4 * threads();
    const std::size_t ranges = wanted < most ? wanted : most;
    const std::size_t each = (rows + ranges - 1) / ranges;
    parallelFor(ranges, [&](std::size_t range, std::size_t) {
        const std::size_t begin = range * each;
        if (begin < rows)
            work(RowRange{begin, begin + each < rows ? each : rows - begin});
    });
}

} // namespace headscope
