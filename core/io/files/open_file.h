#pragma once

#include "core/base/result.h"

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>

namespace headscope {

/// Owns one POSIX file descriptor.
class FileDescriptor {
public:
    explicit FileDescriptor(int fd = -1) : fd_(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~FileDescriptor() {
        if (fd_ >= 0)
            ::close(fd_);
    }

    explicit operator bool() const { return fd_ >= 0; }
    int get() const { return fd_; }
    /// Gives the descriptor up, for a close whose result matters.
    int release() { return std::exchange(fd_, -1); }

private:
    int fd_;
};

/// A regular file opened for reading.
class InputFile {
public:
    /// Fails on what is missing, unreadable, a folder, or a device or pipe that could block, and on
    /// what is outside the folders that this process keeps to (allowed_folders.h).
    static Result<InputFile> open(const std::filesystem::path& path);

    /// Appends to a file in memory.
    using Append = std::function<Result<void>(std::span<const std::byte>)>;

    /// A file that `fill` writes and that lives in memory alone, as long as this object. It is
    /// called `path` in messages.
    static Result<InputFile> inMemory(const std::filesystem::path& path,
                                      const std::function<Result<void>(const Append&)>& fill);

    /// `bytes` bytes of this file from byte `offset` on, as a file of its own with the same path.
    /// They must be inside.
    Result<InputFile> part(std::size_t offset, std::size_t bytes) const;

    /// For messages, and to find what is beside the file.
    const std::filesystem::path& path() const { return path_; }
    /// Asks for the size again, after another has written to a file in memory.
    void measure();

    /// For libraries that open files themselves: a name of the open file.
    std::filesystem::path pathToOpen() const;
    std::size_t size() const { return size_; }

    /// For another process: the open file, for reading only, and where this one begins in it.
    int descriptor() const { return fd_.get(); }
    std::size_t begin() const { return begin_; }

    /// Fills `target` from byte `offset` on; returns how many bytes there were, fewer only at the
    /// end of the file.
    Result<std::size_t> readAt(std::size_t offset, std::span<std::byte> target) const;

    /// All of it as text. Files of more than `limit` bytes are refused.
    Result<std::string> text(std::size_t limit) const;

private:
    InputFile(std::filesystem::path path, FileDescriptor fd, std::size_t size,
              std::size_t begin = 0);

    std::filesystem::path path_;
    FileDescriptor fd_;
    std::size_t size_;
    std::size_t begin_;
};

/// An existing file that is written from its start. Messages call it `shown`.
class OutputFile {
public:
    static Result<OutputFile> open(const std::filesystem::path& path,
                                   const std::filesystem::path& shown);

    Result<void> append(std::span<const std::byte> bytes);

    /// Goes to byte `offset` first; what is left out reads as zeros.
    Result<void> appendAt(std::size_t offset, std::span<const std::byte> bytes);

    /// Tells what the system kept back until now.
    Result<void> close();

private:
    OutputFile(FileDescriptor fd, std::filesystem::path shown)
        : fd_(std::move(fd)), shown_(std::move(shown)) {}

    FileDescriptor fd_;
    std::filesystem::path shown_;
};

} // namespace headscope
