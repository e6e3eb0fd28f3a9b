#include "core/base/stack.h"

#include "core/base/text.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

namespace headscope {

namespace {

/// What every system gives by itself, and what is enough.
constexpr rlim_t kUsualStack = rlim_t{8} << 20;
constexpr rlim_t kLeastStack = rlim_t{1} << 20;

Error stackIsTooSmall(rlim_t allowed) {
    return {ErrorCode::TooLarge, "This session allows a stack of " + byteText(allowed) +
                                     " (ulimit -s), and Headscope needs " + byteText(kLeastStack) +
                                     "; allow more."};
}

/// The C library has taken their size from the limit before main().
void giveNewThreads(std::size_t bytes) {
    pthread_attr_t attributes;
    if (::pthread_getattr_default_np(&attributes) != 0)
        return;
    ::pthread_attr_setstacksize(&attributes, bytes);
    ::pthread_setattr_default_np(&attributes);
    ::pthread_attr_destroy(&attributes);
}

} // namespace

Result<void> reserveStack() {
    rlimit stack{};
    if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= kLeastStack)
        return {};
    const rlim_t allowed = std::min(stack.rlim_max, kUsualStack);
    if (allowed < kLeastStack)
        return stackIsTooSmall(stack.rlim_max);
    stack.rlim_cur = allowed;
    if (::setrlimit(RLIMIT_STACK, &stack) != 0)
        return stackIsTooSmall(stack.rlim_cur);
    giveNewThreads(allowed);
    return {};
}

} // namespace headscope
