#include "core/tokenizer/json/json_view.h"

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/io/sealed_json.h"

#include <algorithm>

namespace headscope {

namespace {

constexpr std::size_t kMostJsonBytes = 256'000'000;
constexpr std::size_t kMostJsonValues = 16'000'000; ///< five times those of the largest file in use
/// Half a million merges, written as pairs without blanks, take more than eight times their text.
constexpr std::size_t kTokenizerRoom = std::size_t{256} << 20;
constexpr std::size_t kDeepest = 32;
constexpr std::size_t kLongestName = 40;
constexpr std::string_view kNameCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/// Keys are mostly names, but those of a vocabulary can be anything.
std::string shownKey(std::string_view key) {
    const bool is_name = !key.empty() && key.size() <= kLongestName &&
                         key.find_first_not_of(kNameCharacters) == key.npos;
    return is_name ? std::string(key) : inQuotes(key);
}

} // namespace

Result<JsonView> JsonView::parse(std::string_view text, std::string_view source) {
    const std::string subject = std::string(source) + ": the tokenizer ";
    if (text.size() > kMostJsonBytes)
        return Error{ErrorCode::TooLarge, subject + "is " + byteText(text.size()) +
                                              " long, and at most " + byteText(kMostJsonBytes) +
                                              " are read."};
    auto document = readForeignJson(text, {.values = kMostJsonValues, .room = kTokenizerRoom});
    if (!document)
        return Error{document.error().code, subject + document.error().message + "."};
    JsonView view(*std::move(document), source);
    if (!view.value_.isObject())
        return view.expected("an object");
    return view;
}

Result<JsonView> JsonView::member(std::string_view key) const {
    if (!value_.isObject())
        return expected("an object");
    JsonView view = *this;
    view.value_ = value_.member(key);
    ++view.depth_;
    view.path_ += (path_.empty() ? "" : ".") + shownKey(key);
    return view;
}

Result<std::vector<JsonView>> JsonView::elements() const {
    if (!value_.isArray())
        return expected("an array");
    if (depth_ > kDeepest)
        return malformed("is nested too deeply");
    std::vector<JsonView> views;
    views.reserve(value_.size());
    while (views.size() < value_.size())
        views.push_back(element(views.size()));
    return views;
}

JsonView JsonView::element(std::size_t index) const {
    JsonView view = *this;
    view.value_ = value_.element(index);
    ++view.depth_;
    view.path_ += "[" + std::to_string(index) + "]";
    return view;
}

Result<std::string> JsonView::string() const {
    const std::string* const text = value_.text();
    return text != nullptr ? Result(*text) : expected("a string");
}

Result<std::size_t> JsonView::number(std::size_t most) const {
    const auto number = value_.whole();
    return number && *number <= most ? Result(std::size_t{*number})
                                     : expected("a whole number from 0 to " + std::to_string(most));
}

Result<std::string> JsonView::string(std::string_view key) const {
    const auto value = member(key);
    return value ? value->string() : value.error();
}

Result<std::optional<std::string>> JsonView::optionalString(std::string_view key) const {
    const auto value = member(key);
    if (!value)
        return value.error();
    if (value->isNull())
        return std::optional<std::string>();
    const auto text = value->string();
    if (!text)
        return text.error();
    return std::optional<std::string>(*text);
}

Result<bool> JsonView::boolean(std::string_view key, std::optional<bool> fallback) const {
    const auto value = member(key);
    if (!value)
        return value.error();
    if (value->isNull() && fallback)
        return *fallback;
    const auto flag = value->value_.boolean();
    return flag ? Result(*flag) : value->expected("true or false");
}

Result<std::vector<JsonView>> JsonView::elements(std::string_view key) const {
    const auto value = member(key);
    return value ? value->elements() : value.error();
}

Result<void> JsonView::allowOnly(std::initializer_list<std::string_view> keys) const {
    if (!value_.isObject())
        return expected("an object");
    for (const auto& [key, value] : value_.members()) {
        if (!value.isNull() && std::ranges::find(keys, key) == keys.end())
            return unsupported("the key " + inQuotes(key));
    }
    return {};
}

Error JsonView::expected(std::string_view expectation) const {
    return malformed("must be " + std::string(expectation) + ", found " + value_.shown());
}

Error JsonView::malformed(std::string_view what) const {
    const std::string place = path_.empty() ? "the tokenizer" : "the tokenizer's " + path_;
    return {ErrorCode::Malformed, source_ + ": " + place + " " + std::string(what) + "."};
}

Error JsonView::unsupported(std::string_view what) const {
    const std::string place = path_.empty() ? "the tokenizer" : "the tokenizer's " + path_;
    return {ErrorCode::Unsupported, source_ + ": " + place + " asks for " + std::string(what) +
                                        ", which Headscope does not implement; type token ids "
                                        "in place of text."};
}

} // namespace headscope
