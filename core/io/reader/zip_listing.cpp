#include "core/io/reader/zip_listing.h"

#include "core/io/files/tensor_reading.h"

#include <minizip/unzip.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope {

namespace {

constexpr std::size_t kMaxMemberNameBytes = 1024;
constexpr std::uint64_t kInExtraField = std::numeric_limits<std::uint32_t>::max();

Refusal damagedArchive() {
    return {{ErrorCode::Malformed,
             "it is a zip archive that is damaged or cut short; download or copy it again"},
            ""};
}

// How minizip reads: zlib's ioapi.h, over a part of a file that is open already.

struct Stream {
    FilePart part;
    std::uint64_t position = 0;
};

Stream& streamOf(void* stream) {
    return *static_cast<Stream*>(stream);
}

void* openStream(void* stream, const void*, int) {
    return stream;
}

uLong readStream(void*, void* stream, void* target, uLong count) {
    Stream& from = streamOf(stream);
    const std::size_t done =
        readPart(from.part, from.position, std::span(static_cast<std::byte*>(target), count));
    from.position += done;
    return done;
}

uLong refuseWrite(void*, void*, const void*, uLong) {
    return 0;
}

ZPOS64_T tellStream(void*, void* stream) {
    return streamOf(stream).position;
}

long seekStream(void*, void* stream, ZPOS64_T offset, int origin) {
    Stream& in = streamOf(stream);
    const std::uint64_t base = origin == SEEK_SET   ? 0
                               : origin == SEEK_END ? in.part.bytes
                                                    : in.position;
    in.position = base + offset;
    return 0;
}

int closeStream(void*, void*) {
    return 0;
}

/// The sizes of a file, which are in an extra field where 32 bits do not hold them; minizip 1.1
/// does not look there. APPNOTE.TXT 4.5.3: u16 id 1, u16 bytes, then u64 for each, in this order.
bool readLargeSizes(std::span<const std::byte> extra, ZipMember& member) {
    const auto number = [&](std::size_t bytes) {
        const std::uint64_t value = littleEndian(extra.first(bytes));
        extra = extra.subspan(bytes);
        return value;
    };
    while (extra.size() >= 4) {
        const std::uint64_t id = number(2);
        const std::uint64_t bytes = number(2);
        if (bytes > extra.size())
            return false;
        if (id != 1) {
            extra = extra.subspan(bytes);
            continue;
        }
        for (std::uint64_t* const size : {&member.bytes, &member.stored_bytes}) {
            if (*size != kInExtraField)
                continue;
            if (extra.size() < 8)
                return false;
            *size = number(8);
        }
        return true;
    }
    return false;
}

/// The current file of the archive.
std::optional<ZipMember> currentMember(unzFile archive) {
    std::array<char, kMaxMemberNameBytes + 1> name{};
    std::vector<std::byte> extra(std::numeric_limits<std::uint16_t>::max());
    unz_file_info64 info{};
    if (::unzGetCurrentFileInfo64(archive, &info, name.data(), name.size(), extra.data(),
                                  extra.size(), nullptr, 0) != UNZ_OK ||
        info.size_filename > kMaxMemberNameBytes)
        return std::nullopt;
    ZipMember member{.name = name.data(),
                     .stored_bytes = info.compressed_size,
                     .bytes = info.uncompressed_size,
                     .crc32 = static_cast<std::uint32_t>(info.crc),
                     .deflated = info.compression_method == Z_DEFLATED};
    const bool large = member.bytes == kInExtraField || member.stored_bytes == kInExtraField;
    extra.resize(info.size_file_extra);
    if (large && !readLargeSizes(extra, member))
        return std::nullopt;
    constexpr unsigned encrypted = 1;
    const bool readable =
        (info.flag & encrypted) == 0 && (member.deflated || info.compression_method == 0);
    if (!readable)
        return ZipMember{.name = member.name};
    int method = 0;
    int level = 0;
    constexpr int raw = 1;
    if (::unzOpenCurrentFile2(archive, &method, &level, raw) != UNZ_OK)
        return std::nullopt;
    member.offset = ::unzGetCurrentFileZStreamPos64(archive);
    ::unzCloseCurrentFile(archive);
    return member;
}

/// Whether the file ends where its last record says: minizip reads a record that was cut short as
/// if it went on with zeros. APPNOTE.TXT 4.3.16: 22 bytes from u32 0x06054b50, then the comment.
bool endsWithItsLastRecord(const FilePart& file, std::uint64_t comment_bytes) {
    constexpr std::uint64_t record_bytes = 22;
    constexpr std::uint64_t signature = 0x06054b50;
    if (file.bytes < record_bytes + comment_bytes)
        return false;
    std::array<std::byte, 4> start{};
    return readPart(file, file.bytes - record_bytes - comment_bytes, start) == start.size() &&
           littleEndian(start) == signature;
}

ReaderAnswer listMembers(unzFile archive, const FilePart& file) {
    unz_global_info64 info{};
    if (::unzGetGlobalInfo64(archive, &info) != UNZ_OK ||
        !endsWithItsLastRecord(file, info.size_comment))
        return damagedArchive();
    ZipDescription description;
    int status = info.number_entry == 0 ? UNZ_END_OF_LIST_OF_FILE : ::unzGoToFirstFile(archive);
    while (status == UNZ_OK) {
        auto member = currentMember(archive);
        if (!member || description.members.size() == kMostEntries)
            return damagedArchive();
        description.members.push_back(*std::move(member));
        status = ::unzGoToNextFile(archive);
    }
    if (status != UNZ_END_OF_LIST_OF_FILE)
        return damagedArchive();
    return description;
}

} // namespace

ReaderAnswer describeZip(const FilePart& file) {
    Stream stream{file, 0};
    zlib_filefunc64_def functions{};
    functions.zopen64_file = &openStream;
    functions.zread_file = &readStream;
    functions.zwrite_file = &refuseWrite;
    functions.ztell64_file = &tellStream;
    functions.zseek64_file = &seekStream;
    functions.zclose_file = &closeStream;
    functions.zerror_file = &closeStream;
    functions.opaque = &stream;
    const std::unique_ptr<void, int (*)(void*)> archive(::unzOpen2_64("archive", &functions),
                                                        ::unzClose);
    return archive ? listMembers(archive.get(), file) : damagedArchive();
}

} // namespace headscope
