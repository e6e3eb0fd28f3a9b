#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// A zip archive of uncompressed members dated 1980-01-01, with zip64's fields where 32 bits do not
/// hold a size or an offset. The same input gives the same bytes.
/// Format: PKWARE's APPNOTE.TXT 6.3, sections 4.3 and 4.5.3.
class StoredZip {
public:
    /// Tests pass a smaller `largest`, so that small members need zip64's fields.
    explicit StoredZip(std::ostream& out, std::uint64_t largest = 0xFFFF'FFFE)
        : out_(out), largest_(largest) {}

    /// `name` is UTF-8; the content is these parts one after the other.
    void add(std::string name, std::initializer_list<std::string_view> parts);
    /// Writes the directory, after the last member.
    void finish();

private:
    struct Member {
        std::string name;
        std::uint64_t offset = 0;
        std::uint64_t bytes = 0;
        std::uint32_t crc32 = 0;
    };

    bool isLarge(const Member& member) const;
    void appendFields(std::string& header, const Member& member, std::size_t extra_bytes) const;
    std::string localHeader(const Member& member) const;
    std::string directoryEntry(const Member& member) const;
    std::string directoryEnd(std::uint64_t offset, std::uint64_t bytes) const;
    void write(std::string_view bytes);

    std::ostream& out_;
    std::uint64_t largest_;
    std::uint64_t written_ = 0;
    std::vector<Member> members_;
};

} // namespace headscope
