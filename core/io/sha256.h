#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <future>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

class InputFile;

/// SHA-256 of the bytes of one open file, or of several in their order (TensorSource::openFiles()),
/// as 64 hexadecimal digits; identifies a model in every export.
Result<std::string> sha256Of(std::span<const InputFile* const> files, const Progress& progress = {},
                             const std::stop_token& stop = {});

/// The same, computed on a thread of its own from when this is made; on the caller's, where no
/// thread can be had. The files must outlive it.
class BackgroundSha256 {
public:
    explicit BackgroundSha256(std::vector<const InputFile*> files,
                              const std::stop_token& stop = {});
    ~BackgroundSha256();
    BackgroundSha256(const BackgroundSha256&) = delete;
    BackgroundSha256& operator=(const BackgroundSha256&) = delete;

    /// Waits until it is there. To be called once.
    Result<std::string> take(const Progress& progress = {});

private:
    std::vector<const InputFile*> files_;
    std::atomic<double> done_ = 0.0; ///< fraction of the bytes
    std::stop_source own_stop_;
    std::stop_callback<std::function<void()>> follow_; ///< the caller's stop
    std::future<Result<std::string>> result_;
};

/// The same of the file at a path.
Result<std::string> sha256OfFile(const std::filesystem::path& path);

/// The same of bytes in memory.
std::string sha256OfText(std::string_view text);

/// How many bytes sha256Of() reads.
std::size_t totalBytes(std::span<const InputFile* const> files);

} // namespace headscope
