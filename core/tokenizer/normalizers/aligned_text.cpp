#include "core/tokenizer/normalizers/aligned_text.h"

#include "core/base/utf8.h"

namespace headscope {

AlignedText AlignedText::original(std::string_view text) {
    AlignedText result;
    result.text_ = text;
    result.origins_.reserve(text.size());
    std::size_t code_point = 0;
    for (std::size_t byte = 0; byte < text.size(); ++code_point) {
        const std::size_t length = utf8Length(text[byte]);
        result.origins_.insert(result.origins_.end(), length, {code_point, code_point + 1});
        byte += length;
    }
    return result;
}

TextRange AlignedText::originBefore(std::size_t position) const {
    if (position > 0)
        return origins_[position - 1];
    const std::size_t start = origins_.empty() ? 0 : origins_.front().begin;
    return {start, start};
}

void AlignedText::reserve(std::size_t bytes) {
    text_.reserve(bytes);
    origins_.reserve(bytes);
}

void AlignedText::append(std::string_view text, TextRange origin) {
    text_ += text;
    origins_.insert(origins_.end(), text.size(), origin);
}

void AlignedText::append(char32_t code_point, TextRange origin) {
    appendCodePoint(text_, code_point);
    origins_.resize(text_.size(), origin);
}

void AlignedText::append(const AlignedText& other, ByteRange range) {
    text_ += other.text(range);
    origins_.insert(origins_.end(), other.origins_.data() + range.begin,
                    other.origins_.data() + range.end);
}

AlignedText AlignedText::slice(ByteRange range) const {
    AlignedText result;
    result.append(*this, range);
    return result;
}

void AlignedText::appendPrefix(std::string_view prefix, const AlignedText& of, std::size_t before) {
    const std::size_t start = of.origin(before).begin;
    append(prefix, TextRange{start, start});
}

AlignedText AlignedText::prepended(std::string_view prefix) const {
    AlignedText result;
    result.reserve(prefix.size() + size());
    result.appendPrefix(prefix, *this, 0);
    result.append(*this, {0, size()});
    return result;
}

AlignedText AlignedText::rewritten(std::span<const Rewrite> steps) const {
    AlignedText result;
    result.reserve(size());
    std::size_t position = 0; // of the next character not yet read
    for (const Rewrite& step : steps) {
        const TextRange origin = step.change > 0 ? originBefore(position) : origins_[position];
        for (int read = step.change; read <= 0; ++read)
            position += utf8Length(text_[position]);
        result.append(step.code_point, origin);
    }
    return result;
}

} // namespace headscope
