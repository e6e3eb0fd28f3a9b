#pragma once

#include "core/base/result.h"
#include "core/io/file_descriptor.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace headscope {

/// A regular file opened for reading.
class InputFile {
public:
    /// Fails on what is missing, unreadable, a folder, or a device or pipe that could block.
    static Result<InputFile> open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    std::size_t size() const { return size_; }

    /// Fills `target` from byte `offset` on; returns how many bytes there were, fewer only at the
    /// end of the file.
    Result<std::size_t> readAt(std::size_t offset, std::span<std::byte> target) const;

private:
    InputFile(std::filesystem::path path, FileDescriptor fd, std::size_t size);

    std::filesystem::path path_;
    FileDescriptor fd_;
    std::size_t size_;
};

} // namespace headscope
