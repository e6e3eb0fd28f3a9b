#include "core/io/files/output_file.h"

#include "core/io/file_error.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace headscope {

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

Result<void> OutputFile::close() {
    if (::close(fd_.release()) != 0)
        return cannotWrite(shown_, errno);
    return {};
}

} // namespace headscope
