#include "core/io/sha256.h"

#include "core/io/files/open_file.h"

#include <nettle/base16.h>
#include <nettle/sha2.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

namespace headscope {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr std::string_view kStage = "hashing the file";

class Hasher {
public:
    Hasher() { sha256_init(&context_); }

    void add(std::span<const std::byte> bytes) {
        sha256_update(&context_, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
    }

    std::string finish() {
        std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
        sha256_digest(&context_, digest.size(), digest.data());
        std::string text(BASE16_ENCODE_LENGTH(digest.size()), '\0');
        base16_encode_update(text.data(), digest.size(), digest.data());
        return text;
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
            hasher.add(std::span(block).first(count));
            done += static_cast<double>(count);
            report(progress, total == 0.0 ? 1.0 : done / total, kStage);
        }
    }
    return hasher.finish();
}

// By either policy: `async` alone throws where no thread can be had.
BackgroundSha256::BackgroundSha256(std::vector<const InputFile*> files, const std::stop_token& stop)
    : files_(std::move(files)), follow_(stop, [this] { own_stop_.request_stop(); }),
      result_(std::async(std::launch::async | std::launch::deferred, [this] {
          const Progress note = [this](double fraction, std::string_view) { done_ = fraction; };
          return sha256Of(files_, note, own_stop_.get_token());
      })) {}

BackgroundSha256::~BackgroundSha256() {
    own_stop_.request_stop();
}

Result<std::string> BackgroundSha256::take(const Progress& progress) {
    constexpr auto kBetweenReports = std::chrono::milliseconds(50);
    while (result_.wait_for(kBetweenReports) == std::future_status::timeout)
        report(progress, done_, kStage);
    return result_.get();
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
    hasher.add(std::as_bytes(std::span(text)));
    return hasher.finish();
}

std::size_t totalBytes(std::span<const InputFile* const> files) {
    std::size_t total = 0;
    for (const InputFile* const file : files)
        total += file->size();
    return total;
}

} // namespace headscope
