#include "core/base/json/json_text.h"

#include "core/base/json/json_room.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <vector>

namespace headscope {

namespace {

using Json = nlohmann::json;

Error malformed(const std::string& reason) {
    return {ErrorCode::Malformed, reason};
}

/// The index of the quotation mark that closes the text that begins at `begin`; at least
/// json.size() if there is none.
std::size_t endOfText(std::string_view json, std::size_t begin) {
    std::size_t at = begin + 1;
    while (at < json.size() && json[at] != '"')
        at += json[at] == '\\' ? 2 : 1;
    return at;
}

/// As checkJsonText().
Result<void> checkSize(std::string_view text, const JsonLimits& limits, std::size_t text_bytes) {
    // Not less than the text takes, by what opens and separates its values.
    JsonRoom room(limits, text_bytes);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        bool fits = true;
        if (c == '"') {
            fits = room.text();
            i = endOfText(text, i);
        } else if (c == '[' || c == '{')
            fits = room.open();
        else if (c == ',')
            fits = room.add();
        else if (c == ':')
            fits = room.name();
        else if (c == ']' || c == '}')
            room.close();
        if (!fits)
            return room.problem();
    }
    return {};
}

/// Finds a key that an object has twice, and stops at what is no JSON. The parser's own callbacks
/// would look through all elements of an array after each one that is an object.
class KeyCheck : public nlohmann::json_sax<Json> {
public:
    /// Nothing: every key is there once.
    const std::optional<std::string>& repeated() const { return repeated_; }

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override {
        keys_.emplace_back();
        return true;
    }
    bool key(string_t& name) override {
        if (keys_.back().insert(name).second)
            return true;
        repeated_ = name;
        return false;
    }
    bool end_object() override {
        keys_.pop_back();
        return true;
    }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
        return false;
    }

private:
    std::vector<std::set<std::string>> keys_; ///< of the objects that are open, outermost first
    std::optional<std::string> repeated_;
};

} // namespace

Result<void> checkJsonText(std::string_view text, const JsonLimits& limits,
                           std::size_t text_bytes) {
    if (auto fits = checkSize(text, limits, text_bytes); !fits)
        return fits;
    if (KeyCheck check; limits.unique_keys && !Json::sax_parse(text, &check) && check.repeated())
        return malformed("has the key '" + *check.repeated() + "' twice");
    return {};
}

std::optional<std::string> withQuotedConstants(std::string_view text) {
    constexpr std::array<std::string_view, 3> kConstants{"-Infinity", "Infinity", "NaN"};
    std::string quoted;
    std::size_t copied = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') {
            i = endOfText(text, i);
            continue;
        }
        const auto constant =
            std::ranges::find_if(kConstants, [rest = text.substr(i)](std::string_view each) {
                return rest.starts_with(each);
            });
        if (constant == kConstants.end())
            continue;
        quoted.append(text.substr(copied, i - copied));
        quoted.append("\"").append(*constant).append("\"");
        copied = i + constant->size();
        i = copied - 1;
    }
    if (quoted.empty())
        return std::nullopt;
    return quoted.append(text.substr(copied));
}

Error whyNoJson(const nlohmann::json::exception& failure) {
    const auto* const found = dynamic_cast<const Json::parse_error*>(&failure);
    return malformed(found != nullptr ? "is not valid JSON at byte " + std::to_string(found->byte)
                                      : "holds a number that is out of range");
}

} // namespace headscope
