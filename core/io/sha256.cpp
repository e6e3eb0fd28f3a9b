#include "core/io/sha256.h"

#include "core/io/input_file.h"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <vector>

namespace headscope {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

using DigestContext = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

std::string hexText(std::span<const unsigned char> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

} // namespace

Result<std::string> sha256OfFile(const std::filesystem::path& path, const Progress& progress,
                                 const std::stop_token& stop) {
    const auto file = InputFile::open(path);
    if (!file)
        return file.error();
    const DigestContext context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    bool sound = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
    std::vector<std::byte> block(kBlockBytes);
    std::size_t offset = 0;
    for (std::size_t count = kBlockBytes; sound && count == kBlockBytes; offset += count) {
        if (stop.stop_requested())
            return Error{ErrorCode::Cancelled, "Hashing '" + path.string() + "' was stopped."};
        const auto read = file->readAt(offset, block);
        if (!read)
            return read.error();
        count = *read;
        sound = EVP_DigestUpdate(context.get(), block.data(), count) == 1;
        const auto done = static_cast<double>(offset + count);
        report(progress, file->size() == 0 ? 1.0 : done / static_cast<double>(file->size()),
               "hashing the file");
    }
    std::array<unsigned char, 32> digest;
    if (!sound || EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1)
        return Error{ErrorCode::Unsupported,
                     "Cannot hash '" + path.string() + "': OpenSSL offers no SHA-256 here."};
    return hexText(digest);
}

} // namespace headscope
