#include "core/export/part_texts.h"

#include "core/base/json.h"
#include "core/export/formats/parts_file.h"
#include "core/heads/head_type.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
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

namespace {

/// An object with a list.
constexpr JsonLimits kSweepLimits{.depth = 2, .values = 10'000'000, .unique_keys = true};

} // namespace

std::string sweepPartText(const SweepPart& part) {
    return R"({"full":)" + exactNumber(part.full) + R"(,"values":)" + exactNumbers(part.values) +
           "}";
}

std::optional<SweepPart> readSweepPart(std::string_view text, const SweepStep& step) {
    const auto document = JsonDocument::parse(text, kSweepLimits);
    if (!document || !document->root().find("full"))
        return std::nullopt;
    const auto full = readExactNumber(document->root().member("full"));
    auto values = readExactNumbers(document->root().member("values"), step.units.size());
    if (!full || !values)
        return std::nullopt;
    return SweepPart{*full, *std::move(values)};
}

namespace {

/// An object with a list of objects.
constexpr JsonLimits kSectionLimits{.depth = 3, .values = 100'000, .unique_keys = true};

std::optional<Check> checkOfJson(const JsonValue& value) {
    const auto textOf = [&](const char* key) { return value.member(key).text(); };
    const std::string* const outcome = textOf("outcome");
    const std::array texts{textOf("name"), textOf("expected"), textOf("measured"),
                           textOf("explanation")};
    if (outcome == nullptr || std::ranges::count(texts, nullptr) > 0)
        return std::nullopt;
    const auto* const found = std::ranges::find(kOutcomes, *outcome, outcomeName);
    if (found == kOutcomes.end())
        return std::nullopt;
    return Check{*texts[0], *found, *texts[1], *texts[2], *texts[3]};
}

} // namespace

std::string sectionPartText(const VerifyReport& report) {
    const Section& section = report.sections.front();
    nlohmann::json checks = nlohmann::json::array();
    for (const Check& check : section.checks)
        checks.push_back({{"name", check.name},
                          {"outcome", outcomeName(check.outcome)},
                          {"expected", check.expected},
                          {"measured", check.measured},
                          {"explanation", check.explanation}});
    const nlohmann::json json{{"name", section.name},
                              {"checks", std::move(checks)},
                              {"blas", report.blas},
                              {"kernels", report.kernels},
                              {"threads", report.threads}};
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<VerifyReport> readSectionPart(std::string_view text) {
    const auto document = JsonDocument::parse(text, kSectionLimits);
    if (!document)
        return std::nullopt;
    const JsonValue root = document->root();
    const std::string* const name = root.member("name").text();
    const std::string* const blas = root.member("blas").text();
    const std::string* const kernels = root.member("kernels").text();
    const auto threads = root.member("threads").whole();
    if (name == nullptr || blas == nullptr || kernels == nullptr || !threads ||
        !root.member("checks").isArray())
        return std::nullopt;
    Section section{*name, {}};
    for (const JsonValue& element : root.member("checks").elements()) {
        auto check = checkOfJson(element);
        if (!check)
            return std::nullopt;
        section.checks.push_back(*std::move(check));
    }
    VerifyReport report;
    report.blas = *blas;
    report.kernels = *kernels;
    report.threads = *threads;
    report.sections.push_back(std::move(section));
    return report;
}

} // namespace headscope
