#include "core/io/sha256.h"

#include "core/io/files/input_file.h"

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

/// Feeds files into one digest.
class Hasher {
public:
    Hasher(std::size_t total_bytes, const Progress& progress, const std::stop_token& stop)
        : total_(static_cast<double>(total_bytes)), progress_(progress), stop_(stop),
          context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free), block_(kBlockBytes),
          sound_(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1) {}

    Result<void> add(const InputFile& file) {
        std::size_t count = kBlockBytes;
        for (std::size_t offset = 0; sound_ && count == kBlockBytes; offset += count) {
            if (stop_.stop_requested())
                return Error{ErrorCode::Cancelled,
                             "Hashing '" + file.path().string() + "' was stopped."};
            const auto read = file.readAt(offset, block_);
            if (!read)
                return read.error();
            count = *read;
            sound_ = EVP_DigestUpdate(context_.get(), block_.data(), count) == 1;
            done_ += static_cast<double>(count);
            report(progress_, total_ == 0.0 ? 1.0 : done_ / total_, "hashing the file");
        }
        return {};
    }

    void add(std::string_view text) {
        sound_ = sound_ && EVP_DigestUpdate(context_.get(), text.data(), text.size()) == 1;
    }

    Result<std::string> finish() {
        std::array<unsigned char, 32> digest;
        if (!sound_ || EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) != 1)
            return Error{ErrorCode::Unsupported,
                         "Nothing can be hashed: OpenSSL offers no SHA-256 here."};
        return hexText(digest);
    }

private:
    double total_;
    double done_ = 0.0;
    const Progress& progress_;
    const std::stop_token& stop_;
    DigestContext context_;
    std::vector<std::byte> block_;
    bool sound_;
};

} // namespace

Result<std::string> sha256Of(std::span<const InputFile* const> files, const Progress& progress,
                             const std::stop_token& stop) {
    Hasher hasher(totalBytes(files), progress, stop);
    for (const InputFile* const file : files)
        if (auto added = hasher.add(*file); !added)
            return added.error();
    return hasher.finish();
}

Result<std::string> sha256OfFile(const std::filesystem::path& path) {
    const auto file = InputFile::open(path);
    if (!file)
        return file.error();
    const InputFile* const one = &*file;
    return sha256Of({&one, 1});
}

Result<std::string> sha256OfText(std::string_view text) {
    const Progress silent;
    const std::stop_token endless;
    Hasher hasher(0, silent, endless);
    hasher.add(text);
    return hasher.finish();
}

std::size_t totalBytes(std::span<const InputFile* const> files) {
    std::size_t total = 0;
    for (const InputFile* const file : files)
        total += file->size();
    return total;
}

} // namespace headscope
