#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

// Files that HDF5 itself writes without complaint and that a reader must not trust.

namespace headscope::test {

void writeExternalStorage(const std::filesystem::path& path);
void writeExternalLink(const std::filesystem::path& path);
void writeSoftLink(const std::filesystem::path& path);
void writeVirtualDataset(const std::filesystem::path& path);
/// Group a holds itself under the name "again".
void writeGroupLoop(const std::filesystem::path& path);
/// One group under two names.
void writeSharedGroup(const std::filesystem::path& path);
void writeDeepGroups(const std::filesystem::path& path, std::size_t depth);
/// One dataset under many names.
void writeManyLinks(const std::filesystem::path& path, std::size_t count);
void writeName(const std::filesystem::path& path, const std::string& name);

void writeUnknownFilter(const std::filesystem::path& path);
void writeDoubleDeflate(const std::filesystem::path& path);
/// [2^20, 2^20] floats, of which none is stored.
void writeUnallocated(const std::filesystem::path& path, bool deflate);
/// [2^33, 2^33] floats: their number has no place in 64 bits.
void writeOverflowingShape(const std::filesystem::path& path);
void writeManyDimensions(const std::filesystem::path& path, int rank);
/// One element in a chunk of 2^28.
void writeHugeChunk(const std::filesystem::path& path);
/// Two chunks of which the first is written.
void writeMissingChunk(const std::filesystem::path& path);
/// [1024] floats in one deflated chunk that unpacks to `bytes` bytes.
void writeLyingChunk(const std::filesystem::path& path, std::size_t bytes);
/// Three datasets of 100 kB that all lie in the same place.
void writeOverlap(const std::filesystem::path& path);
/// [64] floats with Fletcher-32; one stored bit is wrong.
void writeWrongCheckSum(const std::filesystem::path& path);
/// A compound of two floats, a float of three bytes, and an array of texts.
void writeOtherTypes(const std::filesystem::path& path);
void writeManyAttributes(const std::filesystem::path& path, std::size_t count);

/// Replaces the first place where `from` stands in the file.
void patch(const std::filesystem::path& path, std::string_view from, std::string_view to);

} // namespace headscope::test
