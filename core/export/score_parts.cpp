#include "core/export/score_parts.h"

#include "core/base/json.h"
#include "core/export/formats/json_numbers.h"
#include "core/heads/head_type.h"

#include <utility>

namespace headscope {

namespace {

/// An object with a list of objects of objects with a list.
constexpr JsonLimits kScoreLimits{.depth = 5, .unique_keys = true};
constexpr std::size_t kNumbersOfHead = 4;

std::string measurementText(const Measurement& measurement) {
    std::vector<double> numbers;
    for (const Reading& head : measurement.heads)
        numbers.insert(numbers.end(), {head.weight, head.score, head.baseline, head.variant});
    return R"({"readings":)" + exactNumbers(numbers) + R"(,"rows":)" +
           exactNumber(measurement.rows) + "}";
}

std::optional<Measurement> measurementOf(const JsonValue& value, const HeadIndex& heads) {
    const auto numbers = readExactNumbers(value.member("readings"), kNumbersOfHead * heads.size());
    const auto rows = readExactNumber(value.member("rows"));
    if (!numbers || !rows)
        return std::nullopt;
    std::vector<Reading> readings;
    for (std::size_t i = 0; i < numbers->size(); i += kNumbersOfHead)
        readings.push_back(
            {(*numbers)[i], (*numbers)[i + 1], (*numbers)[i + 2], (*numbers)[i + 3]});
    return Measurement{*rows, PerHead<Reading>(heads, std::move(readings))};
}

std::optional<SequenceReading> sequenceOf(const JsonValue& value, const HeadIndex& heads) {
    SequenceReading reading;
    for (const JsonMember& member : value.members()) {
        const auto type = headTypeByKey(member.key);
        auto measurement = measurementOf(member.value, heads);
        if (!type || !measurement)
            return std::nullopt;
        reading.emplace(*type, *std::move(measurement));
    }
    return value.isObject() ? std::optional(std::move(reading)) : std::nullopt;
}

} // namespace

std::string scorePartText(std::span<const SequenceReading> readings) {
    std::string text = R"({"sequences":[)";
    for (const SequenceReading& reading : readings) {
        text += &reading == &readings.front() ? "{" : ",{";
        std::string separator;
        for (const auto& [type, measurement] : reading) {
            text += separator + "\"" + std::string(headType(type).key) +
                    "\":" + measurementText(measurement);
            separator = ",";
        }
        text += "}";
    }
    return text + "]}";
}

std::optional<std::vector<SequenceReading>>
readScorePart(std::string_view text, const HeadIndex& heads, std::size_t sequences) {
    const auto document = JsonDocument::parse(text, kScoreLimits);
    if (!document)
        return std::nullopt;
    const JsonValue list = document->root().member("sequences");
    if (!list.isArray() || list.size() != sequences)
        return std::nullopt;
    std::vector<SequenceReading> readings;
    for (const JsonValue& element : list.elements()) {
        auto reading = sequenceOf(element, heads);
        if (!reading)
            return std::nullopt;
        readings.push_back(*std::move(reading));
    }
    return readings;
}

} // namespace headscope
