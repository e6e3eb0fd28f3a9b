#include "core/export/formats/stored_zip.h"

#include "core/export/formats/little_endian.h"

#include <zlib.h>

#include <ostream>
#include <utility>

namespace headscope {

namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kDirectoryEntry = 0x02014b50;
constexpr std::uint32_t kDirectoryEnd = 0x06054b50;
constexpr std::uint32_t kZip64End = 0x06064b50;
constexpr std::uint32_t kZip64Locator = 0x07064b50;

constexpr std::uint16_t kVersion = 20;
constexpr std::uint16_t kZip64Version = 45;
constexpr std::uint16_t kUtf8Names = 1U << 11;
constexpr std::uint16_t kFirstDay = 1U << 5 | 1U; ///< 1980-01-01 in MS-DOS's way
constexpr std::uint16_t kZip64Extra = 1;

// These values say that the true number is in the fields of zip64.
constexpr std::uint32_t kElsewhere = 0xFFFF'FFFF;
constexpr std::uint16_t kCountElsewhere = 0xFFFF;

template <class Number>
void append(std::string& bytes, Number value) {
    appendLittleEndian(bytes, value, sizeof(Number));
}

/// The header of an extra field for this many numbers of 64 bits.
void appendZip64Extra(std::string& bytes, std::initializer_list<std::uint64_t> numbers) {
    append(bytes, kZip64Extra);
    append(bytes, static_cast<std::uint16_t>(numbers.size() * sizeof(std::uint64_t)));
    for (const std::uint64_t number : numbers)
        append(bytes, number);
}
constexpr std::size_t kLocalExtraBytes = 20;     ///< two sizes
constexpr std::size_t kDirectoryExtraBytes = 28; ///< two sizes and the offset

} // namespace

bool StoredZip::isLarge(const Member& member) const {
    return member.bytes > largest_ || member.offset > largest_;
}

/// What both headers of a member have in common.
void StoredZip::appendFields(std::string& header, const Member& member,
                             std::size_t extra_bytes) const {
    const bool large = isLarge(member);
    const std::uint32_t bytes = large ? kElsewhere : static_cast<std::uint32_t>(member.bytes);
    append(header, large ? kZip64Version : kVersion);
    append(header, kUtf8Names);
    append(header, std::uint16_t{0}); // stored
    append(header, std::uint16_t{0}); // midnight
    append(header, kFirstDay);
    append(header, member.crc32);
    append(header, bytes);
    append(header, bytes);
    append(header, static_cast<std::uint16_t>(member.name.size()));
    append(header, static_cast<std::uint16_t>(large ? extra_bytes : 0));
}

std::string StoredZip::localHeader(const Member& member) const {
    std::string header;
    append(header, kLocalHeader);
    appendFields(header, member, kLocalExtraBytes);
    header += member.name;
    if (isLarge(member))
        appendZip64Extra(header, {member.bytes, member.bytes});
    return header;
}

std::string StoredZip::directoryEntry(const Member& member) const {
    const bool large = isLarge(member);
    std::string entry;
    append(entry, kDirectoryEntry);
    append(entry, large ? kZip64Version : kVersion);
    appendFields(entry, member, kDirectoryExtraBytes);
    append(entry, std::uint16_t{0}); // no comment
    append(entry, std::uint16_t{0}); // on the first disk
    append(entry, std::uint16_t{0}); // no text
    append(entry, std::uint32_t{0}); // no attributes
    append(entry, large ? kElsewhere : static_cast<std::uint32_t>(member.offset));
    entry += member.name;
    if (large)
        appendZip64Extra(entry, {member.bytes, member.bytes, member.offset});
    return entry;
}

std::string StoredZip::directoryEnd(std::uint64_t offset, std::uint64_t bytes) const {
    const std::uint64_t count = members_.size();
    const bool large = offset > largest_ || bytes > largest_ || count >= kCountElsewhere;
    std::string end;
    if (large) {
        append(end, kZip64End);
        append(end, std::uint64_t{44}); // bytes of this record after this number
        append(end, kZip64Version);
        append(end, kZip64Version);
        append(end, std::uint64_t{0}); // on the first disk, as its directory
        append(end, count);
        append(end, count);
        append(end, bytes);
        append(end, offset);
        append(end, kZip64Locator);
        append(end, std::uint32_t{0});
        append(end, offset + bytes); // where this record begins
        append(end, std::uint32_t{1});
    }
    const std::uint16_t members = large ? kCountElsewhere : static_cast<std::uint16_t>(count);
    append(end, kDirectoryEnd);
    append(end, std::uint32_t{0});
    append(end, members);
    append(end, members);
    append(end, large ? kElsewhere : static_cast<std::uint32_t>(bytes));
    append(end, large ? kElsewhere : static_cast<std::uint32_t>(offset));
    append(end, std::uint16_t{0}); // no comment
    return end;
}

void StoredZip::write(std::string_view bytes) {
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    written_ += bytes.size();
}

void StoredZip::add(std::string name, std::initializer_list<std::string_view> parts) {
    Member member{std::move(name), written_};
    uLong sum = ::crc32_z(0, nullptr, 0);
    for (const std::string_view part : parts) {
        sum = ::crc32_z(sum, reinterpret_cast<const Bytef*>(part.data()), part.size());
        member.bytes += part.size();
    }
    member.crc32 = static_cast<std::uint32_t>(sum);
    write(localHeader(member));
    for (const std::string_view part : parts)
        write(part);
    members_.push_back(std::move(member));
}

void StoredZip::finish() {
    const std::uint64_t begin = written_;
    for (const Member& member : members_)
        write(directoryEntry(member));
    write(directoryEnd(begin, written_ - begin));
}

} // namespace headscope
