#include "core/io/sealed/reader_memory.h"

#include "core/base/text.h"

#include <sys/resource.h>

#include <algorithm>

namespace headscope {

namespace {

/// What the program and its libraries take by themselves, seen as 160 MB, and room for texts.
constexpr std::size_t kSpareMemory = std::size_t{512} << 20;
/// HDF5 keeps each part of the metadata that it has read, unpacked, several times over.
constexpr std::size_t kMemoryPerByte = 8;
constexpr std::size_t kMostMetadata = std::size_t{64} << 20;

} // namespace

std::size_t readerMemory(std::size_t file_bytes) {
    return kSpareMemory + kMemoryPerByte * std::min(file_bytes, kMostMetadata);
}

Error readerIsOutOfMemory(std::size_t file_bytes) {
    rlimit session{};
    if (::getrlimit(RLIMIT_AS, &session) == 0 && session.rlim_max < readerMemory(file_bytes))
        return {ErrorCode::TooLarge, "its description takes more memory than the " +
                                         byteText(session.rlim_max) +
                                         " that this session allows (ulimit -v); allow more"};
    return {ErrorCode::TooLarge, "its description takes more memory than a file of " +
                                     byteText(file_bytes) + " can need; save the tensors again"};
}

} // namespace headscope
