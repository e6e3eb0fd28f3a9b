#pragma once

#include "core/io/sealed/wire.h"
#include "tests/io/io_files.h"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace headscope::test {

/// A variable of the environment, for as long as it lives.
class Environment {
public:
    Environment(const char* name, const std::string& value) : name_(name) {
        ::setenv(name, value.c_str(), 1);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() { ::unsetenv(name_); }

private:
    const char* name_;
};

/// A program that takes the place of the reader, as one that a file has taken over would.
inline std::filesystem::path falseReader(const Folder& folder, const std::string& commands) {
    const std::filesystem::path path = folder / "reader";
    writeBytes(path, "#!/bin/sh\n" + commands + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

inline std::string textOf(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// One that gives this answer to any question.
inline std::filesystem::path answering(const Folder& folder, const ReaderAnswer& answer) {
    writeBytes(folder / "answer", textOf(encodeAnswer(answer)));
    return falseReader(folder, "/bin/cat '" + (folder / "answer").string() + "' >&4");
}

} // namespace headscope::test
