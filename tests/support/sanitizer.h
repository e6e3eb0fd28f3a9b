#pragma once

namespace headscope::test {

/// Whether an address sanitizer runs along, which asks for more of the system than a program.
constexpr bool isSanitized() {
#if defined(__has_feature)
    return __has_feature(address_sanitizer);
#elif defined(__SANITIZE_ADDRESS__)
    return true;
#else
    return false;
#endif
}

} // namespace headscope::test
