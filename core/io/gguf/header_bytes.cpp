#include "core/io/gguf/header_bytes.h"

#include "core/base/text.h"

#include <algorithm>

namespace headscope {

namespace {

constexpr std::size_t kHeaderBuffer = std::size_t{64} << 10;

} // namespace

HeaderBytes::HeaderBytes(const InputFile& file, std::size_t most)
    : file_(file), end_(std::min(file.size(), most)) {}

std::string HeaderBytes::text() {
    const auto bytes = number<std::uint64_t>();
    if (error_)
        return {};
    if (bytes > left()) {
        fail(malformedGguf("a text in its header claims " + byteText(bytes) +
                           ", more than there is left"));
        return {};
    }
    std::string text(bytes, '\0');
    take(std::as_writable_bytes(std::span(text)));
    return error_ ? std::string() : text;
}

void HeaderBytes::fail(Error error) {
    if (!error_)
        error_ = std::move(error);
}

void HeaderBytes::take(std::span<std::byte> target) {
    if (!error_ && target.size() > left())
        fail(end_ < file_.size()
                 ? Error{ErrorCode::TooLarge, "its header is longer than " + byteText(end_) +
                                                  "; download or save the file again"}
                 : malformedGguf("it ends in the middle of its header"));
    while (!error_ && !target.empty()) {
        if (position_ == buffer_end_)
            refill();
        const std::size_t count = std::min(target.size(), buffer_end_ - position_);
        std::copy_n(buffer_.end() - static_cast<std::ptrdiff_t>(buffer_end_ - position_), count,
                    target.begin());
        position_ += count;
        target = target.subspan(count);
    }
}

void HeaderBytes::refill() {
    buffer_.resize(std::min(kHeaderBuffer, left()));
    const auto count = file_.readAt(position_, buffer_);
    if (!count || *count < buffer_.size()) {
        fail(malformedGguf("its header cannot be read"));
        buffer_.clear();
    }
    buffer_end_ = position_ + buffer_.size();
}

Error malformedGguf(const std::string& reason) {
    return {ErrorCode::Malformed, reason + "; download or save the file again"};
}

} // namespace headscope
