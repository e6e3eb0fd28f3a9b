#include "core/base/json.h"

#include "core/base/json/json_room.h"
#include "core/base/utf8.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace headscope {

namespace {

using Json = nlohmann::json;

Error malformed(const std::string& reason) {
    return {ErrorCode::Malformed, reason};
}

/// Where the text ends that begins at `begin` with a quotation mark: at its other one, or behind
/// all.
std::size_t endOfText(std::string_view json, std::size_t begin) {
    std::size_t at = begin + 1;
    while (at < json.size() && json[at] != '"')
        at += json[at] == '\\' ? 2 : 1;
    return at;
}

/// Holds the limits before anything is built: `text` need not be JSON.
Result<void> checkSize(std::string_view text, const JsonLimits& limits) {
    // Not less than the text takes, by what opens and separates its values.
    JsonRoom room(limits, text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        bool fits = true;
        if (c == '"')
            i = endOfText(text, i);
        else if (c == '[' || c == '{')
            fits = room.open();
        else if (c == ',')
            fits = room.add(1);
        else if (c == ':')
            fits = room.name(1);
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

/// With quotes around Infinity, -Infinity and NaN; nothing where there are none.
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

std::string shownText(const std::string& text) {
    constexpr std::size_t most = 40;
    const std::string_view start = firstCharacters(text, most);
    std::string shown = Json(start).dump(-1, ' ', false, Json::error_handler_t::replace);
    if (start.size() < text.size())
        shown.insert(shown.size() - 1, "…");
    return shown;
}

} // namespace

bool JsonValue::isNull() const {
    return value_->is_null();
}

bool JsonValue::isObject() const {
    return value_->is_object();
}

bool JsonValue::isArray() const {
    return value_->is_array();
}

bool JsonValue::isInteger() const {
    return value_->is_number_integer();
}

std::optional<bool> JsonValue::boolean() const {
    return value_->is_boolean() ? std::optional(value_->get<bool>()) : std::nullopt;
}

std::optional<double> JsonValue::number() const {
    return value_->is_number() ? std::optional(value_->get<double>()) : std::nullopt;
}

std::optional<std::uint64_t> JsonValue::whole() const {
    return value_->is_number_unsigned() ? std::optional(value_->get<std::uint64_t>())
                                        : std::nullopt;
}

const std::string* JsonValue::text() const {
    return value_->get_ptr<const std::string*>();
}

std::size_t JsonValue::size() const {
    return value_->is_structured() ? value_->size() : 0;
}

std::vector<JsonValue> JsonValue::elements() const {
    std::vector<JsonValue> values;
    if (!isArray())
        return values;
    values.reserve(value_->size());
    for (const Json& value : *value_)
        values.emplace_back(value);
    return values;
}

JsonValue JsonValue::element(std::size_t index) const {
    return JsonValue((*value_)[index]);
}

std::vector<JsonMember> JsonValue::members() const {
    std::vector<JsonMember> members;
    if (!isObject())
        return members;
    members.reserve(value_->size());
    for (const auto& [key, value] : value_->get_ref<const Json::object_t&>())
        members.push_back({key, JsonValue(value)});
    return members;
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
    const auto found = isObject() ? value_->find(key) : value_->end();
    return found == value_->end() ? std::nullopt : std::optional(JsonValue(*found));
}

JsonValue JsonValue::member(std::string_view key) const {
    static const Json null;
    return find(key).value_or(JsonValue(null));
}

std::string JsonValue::shown() const {
    if (isObject())
        return "an object";
    if (isArray())
        return "an array";
    return text() != nullptr ? shownText(*text()) : value_->dump();
}

std::string JsonValue::dump() const {
    return value_->dump(-1, ' ', false, Json::error_handler_t::replace);
}

JsonDocument::JsonDocument(Json root) : root_(std::make_shared<const Json>(std::move(root))) {}

Result<JsonDocument> JsonDocument::parse(std::string_view text, const JsonLimits& limits) {
    if (const auto fits = checkSize(text, limits); !fits)
        return fits.error();
    if (KeyCheck check; limits.unique_keys && !Json::sax_parse(text, &check) && check.repeated())
        return malformed("has the key '" + *check.repeated() + "' twice");
    try {
        return JsonDocument(Json::parse(text));
    } catch (const Json::parse_error& found) {
        if (const auto quoted = withQuotedConstants(text))
            return parse(*quoted, limits);
        return malformed("is not valid JSON at byte " + std::to_string(found.byte));
    } catch (const Json::exception&) {
        return malformed("holds a number that is out of range");
    }
}

} // namespace headscope
