#include "core/tokenizer/normalizers/chars_map.h"

#include "core/base/text.h"
#include "core/base/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace headscope {

namespace {

constexpr std::size_t kMostMapBytes = 4'000'000;
constexpr std::size_t kLongestKey = 256;
/// libsentencepiece keeps the values found on one path in an array of 32.
constexpr std::size_t kMostPrefixes = 32;

Error broken(std::string_view how) {
    return {ErrorCode::Malformed, std::string(how)};
}

} // namespace

/// Walks every path of the trie once.
class CharsMap::Check {
public:
    explicit Check(const CharsMap& map) : map_(map), values_below_(map.units_.size(), kUnknown) {}

    Result<void> run() {
        const auto values = valuesBelow(map_.units_.front().offset(), 0);
        if (!values)
            return values.error();
        return *values <= kMostPrefixes ? Result<void>()
                                        : broken("has more than 32 texts that begin one another");
    }

private:
    static constexpr std::uint8_t kUnknown = 255;
    static constexpr std::uint8_t kOnThisPath = 254;

    /// The most values on any path that goes on from `node`.
    Result<std::size_t> valuesBelow(std::size_t node, std::size_t depth) {
        if ((node | 0xFF) >= map_.units_.size())
            return broken("points outside its trie");
        if (depth > kLongestKey || values_below_[node] == kOnThisPath)
            return broken("has a trie that runs in a circle");
        if (values_below_[node] != kUnknown)
            return std::size_t{values_below_[node]};
        values_below_[node] = kOnThisPath;
        std::size_t most = 0;
        for (std::size_t label = 1; label < 256; ++label) {
            const Unit unit = map_.units_[node ^ label];
            if (unit.label() != label)
                continue;
            const std::size_t child = node ^ label ^ unit.offset();
            const auto below = valuesBelow(child, depth + 1);
            if (!below)
                return below;
            if (unit.hasLeaf() && !isPlace(map_.units_[child].value()))
                return broken("points outside its replacements");
            most = std::max(most, *below + (unit.hasLeaf() ? 1 : 0));
        }
        values_below_[node] = static_cast<std::uint8_t>(std::min(most, kMostPrefixes + 1));
        return most;
    }

    /// Whether a replacement can begin there.
    bool isPlace(std::size_t place) const {
        const std::string& replacements = map_.replacements_;
        return place < replacements.size() && !isUtf8Continuation(replacements[place]);
    }

    const CharsMap& map_;
    std::vector<std::uint8_t> values_below_; ///< by node
};

Result<CharsMap> CharsMap::parse(std::string_view bytes) {
    static_assert(std::endian::native == std::endian::little);
    std::uint32_t trie_bytes = 0;
    if (bytes.size() > kMostMapBytes)
        return broken("is " + byteText(bytes.size()) + " long, and at most " +
                      byteText(kMostMapBytes) + " are read");
    if (bytes.size() < sizeof trie_bytes)
        return broken("is cut off before its trie");
    std::memcpy(&trie_bytes, bytes.data(), sizeof trie_bytes);
    bytes.remove_prefix(sizeof trie_bytes);
    if (trie_bytes == 0 || trie_bytes % sizeof(Unit) != 0)
        return broken("says that its trie has " + std::to_string(trie_bytes) +
                      " bytes, expected a multiple of 4");
    if (trie_bytes >= bytes.size())
        return broken("is cut off inside its trie");
    CharsMap map;
    map.units_.resize(trie_bytes / sizeof(Unit));
    std::memcpy(map.units_.data(), bytes.data(), trie_bytes);
    map.replacements_ = bytes.substr(trie_bytes);
    if (map.replacements_.back() != '\0')
        return broken("is cut off inside its replacements");
    if (firstInvalidUtf8(map.replacements_) != std::string::npos)
        return broken("has replacements that are not UTF-8");
    if (const auto checked = Check(map).run(); !checked)
        return checked.error();
    return map;
}

std::optional<std::string_view> CharsMap::find(std::string_view text) const {
    std::size_t node = units_.front().offset();
    for (const char byte : text) {
        const std::size_t label = static_cast<unsigned char>(byte);
        const Unit unit = units_[node ^ label];
        if (label == 0 || unit.label() != label)
            return std::nullopt;
        node ^= label ^ unit.offset();
        if (unit.hasLeaf())
            return replacement(units_[node].value());
    }
    return std::nullopt;
}

std::string_view CharsMap::replacement(std::size_t place) const {
    return replacements_.c_str() + place;
}

namespace {

/// Longer graphemes are normalized by character, whatever the map has for them.
constexpr std::size_t kLongestGrapheme = 5;

/// Bytes of the grapheme cluster (Unicode Standard Annex #29) that text begins with.
std::size_t graphemeLength(std::string_view text) {
    utf8proc_int32_t state = 0;
    std::size_t length = utf8Length(text.front());
    auto previous = static_cast<utf8proc_int32_t>(codePointAt(text, 0));
    while (length < text.size()) {
        const auto next = static_cast<utf8proc_int32_t>(codePointAt(text, length));
        if (utf8proc_grapheme_break_stateful(previous, next, &state))
            break;
        length += utf8Length(text[length]);
        previous = next;
    }
    return length;
}

/// The steps for a rewrite of `before` as `after`: each character replaces one; those beyond are
/// new, and the last one swallows the characters that have no replacement.
void replace(std::string_view before, std::string_view after, std::vector<Rewrite>& steps) {
    const std::size_t first = steps.size();
    for (std::size_t byte = 0; byte < after.size(); byte += utf8Length(after[byte]))
        steps.push_back({codePointAt(after, byte), 0});
    const std::size_t old_count = characterCount(before);
    const std::size_t new_count = steps.size() - first;
    for (std::size_t i = old_count; i < new_count; ++i)
        steps[first + i].change = 1;
    if (new_count < old_count && !steps.empty())
        steps.back().change -= static_cast<int>(old_count - new_count);
}

} // namespace

Result<AlignedText> PrecompiledNormalizer::normalize(AlignedText text) const {
    std::vector<Rewrite> steps;
    steps.reserve(text.size());
    for (std::string_view rest = text.text(); !rest.empty();) {
        const std::string_view grapheme = rest.substr(0, graphemeLength(rest));
        rest.remove_prefix(grapheme.size());
        const auto whole = grapheme.size() <= kLongestGrapheme ? map_.find(grapheme) : std::nullopt;
        if (whole) {
            replace(grapheme, *whole, steps);
            continue;
        }
        for (std::size_t byte = 0; byte < grapheme.size(); byte += utf8Length(grapheme[byte])) {
            const std::string_view character = firstCharacter(grapheme.substr(byte));
            replace(character, map_.find(character).value_or(character), steps);
        }
    }
    return text.rewritten(steps);
}

} // namespace headscope
