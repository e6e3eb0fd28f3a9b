#include "core/base/json.h"

#include "core/base/json/json_text.h"
#include "core/base/utf8.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace headscope {

namespace {

using Json = nlohmann::json;

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
    return parseJson(text, limits, text.size(),
                     [](std::string_view json) { return JsonDocument(Json::parse(json)); });
}

} // namespace headscope
