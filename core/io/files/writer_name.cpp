#include "core/io/files/writer_name.h"

#include "core/base/text.h"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <vector>

namespace headscope {

namespace {

namespace fs = std::filesystem;

std::string wholeFile(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

template <class Keep>
std::string only(Keep keep, std::string text) {
    std::erase_if(text, [&](char byte) { return keep(static_cast<unsigned char>(byte)) == 0; });
    return text;
}

/// Another one after each start of the machine.
std::string machineRun() {
    return only(::isxdigit, wholeFile("/proc/sys/kernel/random/boot_id"));
}

/// A container has process numbers of its own.
std::string numberSpace() {
    std::error_code ignored;
    return only(::isdigit, fs::read_symlink("/proc/self/ns/pid", ignored).string());
}

/// When a process began, in ticks since the machine started. Nothing if /proc lists no such
/// process, or lists those of another container.
std::optional<std::uint64_t> beginning(pid_t process) {
    std::error_code ignored;
    if (fs::read_symlink("/proc/self", ignored) != std::to_string(::getpid()))
        return std::nullopt;
    const std::string line = wholeFile("/proc/" + std::to_string(process) + "/stat");
    // Field 22, and the second, in parentheses, may hold spaces.
    const std::size_t end_of_name = line.rfind(')');
    if (end_of_name == std::string::npos)
        return std::nullopt;
    const std::vector<std::string> fields = split(line.substr(end_of_name), ' ');
    return fields.size() > 20 ? parseNumber<std::uint64_t>(fields[20]) : std::nullopt;
}

} // namespace

std::string thisWriter() {
    const std::string run = machineRun();
    const std::string space = numberSpace();
    const auto began = beginning(::getpid());
    if (run.empty() || space.empty() || !began)
        return "";
    return join(std::vector{std::to_string(::getpid()), std::to_string(*began), space, run}, "-");
}

bool hasEnded(std::string_view writer) {
    const std::vector<std::string> parts = split(writer, '-');
    if (parts.size() != 4 || parts[2] != numberSpace() || parts[3] != machineRun())
        return false;
    const auto process = parseNumber<pid_t>(parts[0]);
    const auto began = parseNumber<std::uint64_t>(parts[1]);
    if (!process || *process <= 0 || !began)
        return false;
    if (::kill(*process, 0) != 0 && errno == ESRCH)
        return true;
    const auto found = beginning(*process);
    return found && *found != *began;
}

} // namespace headscope
