#include "core/export/verify_parts.h"

#include "core/base/json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace headscope {

namespace {

/// An object with a list of objects.
constexpr JsonLimits kSectionLimits{.depth = 3, .values = 100'000, .unique_keys = true};

std::optional<Check> checkOfJson(const JsonValue& value) {
    constexpr std::array kAll{Check::Passed, Check::Failed, Check::NotApplicable};
    const auto textOf = [&](const char* key) { return value.member(key).text(); };
    const std::string* const outcome = textOf("outcome");
    const std::array texts{textOf("name"), textOf("expected"), textOf("measured"),
                           textOf("explanation")};
    if (outcome == nullptr || std::ranges::count(texts, nullptr) > 0)
        return std::nullopt;
    const auto* const found = std::ranges::find(kAll, *outcome, outcomeName);
    if (found == kAll.end())
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
