#include "core/io/files/open_file.h"

#include "core/base/text.h"
#include "core/io/allowed_folders.h"
#include "core/io/file_error.h"
#include "core/io/files_in_use.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace headscope {

Result<InputFile> InputFile::open(const std::filesystem::path& path) {
    // Without O_NONBLOCK a named pipe would wait here for its writer.
    FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd)
        return cannotOpen(path, errno);
    if (!isAllowedToRead(fd.get()))
        return cannotOpen(ErrorCode::Unreadable, path,
                          "it is, or leads to, what is below no folder that may be read here");
    struct stat status;
    if (::fstat(fd.get(), &status) != 0)
        return cannotOpen(path, errno);
    if (S_ISDIR(status.st_mode))
        return cannotOpen(ErrorCode::Unreadable, path, "it is a folder; choose a file inside it");
    if (!S_ISREG(status.st_mode))
        return cannotOpen(ErrorCode::Unreadable, path,
                          "it is a device or a pipe; choose a regular file");
    OpenedFiles::add(FileIdentity(status));
    return InputFile(path, std::move(fd), static_cast<std::size_t>(status.st_size));
}

Result<InputFile> InputFile::inMemory(const std::filesystem::path& path,
                                      const std::function<Result<void>(const Append&)>& fill) {
    FileDescriptor fd(::memfd_create("headscope", MFD_CLOEXEC));
    if (!fd)
        return cannotOpen(path, errno);
    std::size_t size = 0;
    const auto append = [&](std::span<const std::byte> bytes) -> Result<void> {
        while (!bytes.empty()) {
            const ssize_t count = ::write(fd.get(), bytes.data(), bytes.size());
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                return cannotOpen(ErrorCode::TooLarge, path, "memory is used up");
            bytes = bytes.subspan(static_cast<std::size_t>(count));
            size += static_cast<std::size_t>(count);
        }
        return {};
    };
    if (auto filled = fill(append); !filled)
        return filled.error();
    return InputFile(path, std::move(fd), size);
}

Result<InputFile> InputFile::part(std::size_t offset, std::size_t bytes) const {
    FileDescriptor same(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
    if (!same)
        return cannotOpen(path_, errno);
    return InputFile(path_, std::move(same), bytes, begin_ + offset);
}

InputFile::InputFile(std::filesystem::path path, FileDescriptor fd, std::size_t size,
                     std::size_t begin)
    : path_(std::move(path)), fd_(std::move(fd)), size_(size), begin_(begin) {}

void InputFile::measure() {
    struct stat status;
    if (::fstat(fd_.get(), &status) == 0)
        size_ = static_cast<std::size_t>(status.st_size);
}

std::filesystem::path InputFile::pathToOpen() const {
    return std::filesystem::path("/proc/self/fd") / std::to_string(fd_.get());
}

Result<std::size_t> InputFile::readAt(std::size_t offset, std::span<std::byte> target) const {
    target = target.first(std::min(target.size(), size_ - std::min(size_, offset)));
    std::size_t done = 0;
    while (done < target.size()) {
        const ssize_t count = ::pread(fd_.get(), target.data() + done, target.size() - done,
                                      static_cast<off_t>(begin_ + offset + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return cannotOpen(path_, errno);
        if (count == 0)
            break;
        done += static_cast<std::size_t>(count);
    }
    return done;
}

Result<std::string> InputFile::text(std::size_t limit) const {
    if (size_ > limit)
        return cannotOpen(ErrorCode::TooLarge, path_,
                          "it has " + byteText(size_) + ", more than the " + byteText(limit) +
                              " that such a file may have");
    std::string text(size_, '\0');
    const auto count = readAt(0, std::as_writable_bytes(std::span(text)));
    if (!count)
        return count.error();
    text.resize(*count);
    return text;
}

Result<OutputFile> OutputFile::open(const std::filesystem::path& path,
                                    const std::filesystem::path& shown) {
    FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd)
        return cannotWrite(shown, errno);
    return OutputFile(std::move(fd), shown);
}

Result<void> OutputFile::append(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(fd_.get(), bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return cannotWrite(shown_, errno);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return {};
}

Result<void> OutputFile::appendAt(std::size_t offset, std::span<const std::byte> bytes) {
    if (::lseek(fd_.get(), static_cast<off_t>(offset), SEEK_SET) < 0)
        return cannotWrite(shown_, errno);
    return append(bytes);
}

Result<void> OutputFile::close() {
    if (::close(fd_.release()) != 0)
        return cannotWrite(shown_, errno);
    return {};
}

} // namespace headscope
