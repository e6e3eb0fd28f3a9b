#pragma once

#include "core/base/result.h"
#include "core/io/files/input_file.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

namespace headscope {

/// An existing file that is written from its start. Messages call it `shown`.
class OutputFile {
public:
    static Result<OutputFile> open(const std::filesystem::path& path,
                                   const std::filesystem::path& shown);

    Result<void> append(std::span<const std::byte> bytes);

    /// Tells what the system kept back until now.
    Result<void> close();

private:
    OutputFile(FileDescriptor fd, std::filesystem::path shown)
        : fd_(std::move(fd)), shown_(std::move(shown)) {}

    FileDescriptor fd_;
    std::filesystem::path shown_;
};

} // namespace headscope
