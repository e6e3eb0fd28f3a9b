#include "core/io/reader/landlock.h"

#include "core/io/files/open_file.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace headscope {

namespace {

// As linux/landlock.h has them, whose older versions lack the later ones.
constexpr unsigned kAskVersion = 1;

/// What is forbidden unless a rule allows it; here no rule does. Older kernels take it where what
/// they do not know is 0.
struct Forbidden {
    std::uint64_t paths;
    std::uint64_t ports;
    std::uint64_t scopes;
};

constexpr std::uint64_t bits(unsigned count) {
    return (std::uint64_t{1} << count) - 1;
}

/// All that a version of Landlock knows, bit by bit in the order in which the kernel grew.
Forbidden allThatIsKnown(long version) {
    constexpr std::array<unsigned, 5> path_bits{13, 14, 15, 15, 16}; // of versions 1 to 5
    const auto known = static_cast<std::size_t>(version < 5 ? version : 5);
    return {.paths = bits(path_bits.at(known - 1)),
            .ports = bits(version >= 4 ? 2 : 0),
            .scopes = bits(version >= 6 ? 2 : 0)};
}

} // namespace

bool forbidPathsAndPorts() {
    const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
    if (version < 1)
        return false;
    const Forbidden forbidden = allThatIsKnown(version);
    const FileDescriptor rules(
        static_cast<int>(::syscall(SYS_landlock_create_ruleset, &forbidden, sizeof forbidden, 0)));
    return rules && ::syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0;
}

} // namespace headscope
