#include "core/io/reader/file_part.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace headscope {

std::size_t readPart(const FilePart& part, std::uint64_t offset, std::span<std::byte> target) {
    if (offset >= part.bytes)
        return 0;
    target = target.first(std::min<std::uint64_t>(target.size(), part.bytes - offset));
    std::size_t done = 0;
    while (done < target.size()) {
        const ssize_t count = ::pread(part.descriptor, target.data() + done, target.size() - done,
                                      static_cast<off_t>(part.begin + offset + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        done += static_cast<std::size_t>(count);
    }
    return done;
}

} // namespace headscope
