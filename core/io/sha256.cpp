#include "core/io/sha256.h"

#include "core/io/files/input_file.h"

#include <nettle/sha2.h>

#include <array>
#include <cstdint>
#include <vector>

namespace headscope {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

std::string hexText(std::span<const unsigned char> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

class Hasher {
public:
    Hasher() { sha256_init(&context_); }

    void add(const std::byte* bytes, std::size_t count) {
        sha256_update(&context_, count, reinterpret_cast<const std::uint8_t*>(bytes));
    }

    std::string finish() {
        std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
        sha256_digest(&context_, digest.size(), digest.data());
        return hexText(digest);
    }

private:
    sha256_ctx context_;
};

} // namespace

Result<std::string> sha256Of(std::span<const InputFile* const> files, const Progress& progress,
                             const std::stop_token& stop) {
    const auto total = static_cast<double>(totalBytes(files));
    double done = 0.0;
    std::vector<std::byte> block(kBlockBytes);
    Hasher hasher;
    for (const InputFile* const file : files) {
        std::size_t count = kBlockBytes;
        for (std::size_t offset = 0; count == kBlockBytes; offset += count) {
            if (stop.stop_requested())
                return Error{ErrorCode::Cancelled,
                             "Hashing '" + file->path().string() + "' was stopped."};
            const auto read = file->readAt(offset, block);
            if (!read)
                return read.error();
            count = *read;
            hasher.add(block.data(), count);
            done += static_cast<double>(count);
            report(progress, total == 0.0 ? 1.0 : done / total, "hashing the file");
        }
    }
    return hasher.finish();
}

Result<std::string> sha256OfFile(const std::filesystem::path& path) {
    const auto file = InputFile::open(path);
    if (!file)
        return file.error();
    const InputFile* const one = &*file;
    return sha256Of({&one, 1});
}

std::string sha256OfText(std::string_view text) {
    Hasher hasher;
    hasher.add(reinterpret_cast<const std::byte*>(text.data()), text.size());
    return hasher.finish();
}

std::size_t totalBytes(std::span<const InputFile* const> files) {
    std::size_t total = 0;
    for (const InputFile* const file : files)
        total += file->size();
    return total;
}

} // namespace headscope
