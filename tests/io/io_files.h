#pragma once

#include "core/base/result.h"

#include <QTemporaryDir>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace headscope::test {

/// A folder that lives as long as the test.
class Folder {
public:
    std::filesystem::path path() const { return folder_.path().toStdString(); }
    std::filesystem::path operator/(std::string_view name) const { return path() / name; }

    /// The number of files in it, hidden ones too.
    std::size_t fileCount() const {
        const std::filesystem::directory_iterator all(path());
        return static_cast<std::size_t>(std::distance(begin(all), end(all)));
    }

private:
    QTemporaryDir folder_;
};

inline void writeBytes(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string readBytes(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline bool mentions(const Error& error, std::string_view part) {
    return error.message.find(part) != std::string::npos;
}

/// Gives up root's right to read everything, for as long as it lives.
class AsNobody {
public:
    AsNobody() {
        if (user_ == 0 && ::seteuid(65534) != 0)
            std::abort();
    }
    AsNobody(const AsNobody&) = delete;
    AsNobody& operator=(const AsNobody&) = delete;
    ~AsNobody() {
        if (user_ == 0 && ::seteuid(user_) != 0)
            std::abort();
    }

private:
    uid_t user_ = ::geteuid();
};

} // namespace headscope::test
