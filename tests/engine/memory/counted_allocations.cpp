#include "tests/engine/memory/counted_allocations.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> calls = 0;
std::atomic<std::ptrdiff_t> alive = 0;
std::atomic<std::ptrdiff_t> peak = 0;

/// Counts a block; null stays null.
void* counted(void* block) {
    if (!block)
        return nullptr;
    ++calls;
    const auto now = alive += static_cast<std::ptrdiff_t>(malloc_usable_size(block));
    for (auto seen = peak.load(); seen < now && !peak.compare_exchange_weak(seen, now);) {
    }
    return block;
}

void* orThrow(void* block) {
    return block ? block : throw std::bad_alloc();
}

void release(void* block) {
    alive -= static_cast<std::ptrdiff_t>(malloc_usable_size(block));
    std::free(block);
}

} // namespace

void* operator new(std::size_t bytes) {
    return orThrow(counted(std::malloc(bytes)));
}
// The library's comes by way of the one above; a sanitizer's does not, and is not given back by the
// delete below.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return counted(std::malloc(bytes));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    const auto unit = static_cast<std::size_t>(alignment);
    return orThrow(counted(std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit)));
}
void operator delete(void* block) noexcept {
    release(block);
}
void operator delete(void* block, std::size_t) noexcept {
    release(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
    release(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
    release(block);
}

namespace headscope::test {

void resetAllocations() {
    calls = 0;
    alive = 0;
    peak = 0;
}

Allocations allocations() {
    return {calls, static_cast<std::size_t>(peak.load())};
}

} // namespace headscope::test
