#include "core/export/pruning_parts.h"

#include "core/base/json.h"
#include "core/pruning/recipe.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

using Json = nlohmann::json;

/// An object with lists of lists of heads.
constexpr JsonLimits kLineLimits{.depth = 5, .unique_keys = true};
/// An object with such.
constexpr JsonLimits kCurveLimits{.depth = 6, .unique_keys = true};
constexpr const char* kWhole = "whole";
constexpr const char* kControl = "control";

Json headsJson(const HeadSet& heads) {
    Json json = Json::array();
    for (const LayerHead head : heads)
        json.push_back({head.layer, head.head});
    return json;
}

Json orderJson(const PruningOrder& order) {
    Json units = Json::array();
    for (const HeadSet& unit : order.units)
        units.push_back(headsJson(unit));
    return {{"order", orderKindName(order.spec.kind)},
            {"seed", order.spec.seed},
            {"list", headsJson(order.spec.own_list)},
            {"list_name", order.spec.own_list_name},
            {"units", std::move(units)},
            {"scores", order.scores}};
}

Json pointJson(const std::string& order, const CurvePoint& point) {
    Json choices = Json::array();
    for (const ChoiceReading& choice : point.choices)
        choices.push_back({choiceTaskKey(choice.kind), choice.right, choice.difference});
    return {{"point", order},
            {"units", point.units},
            {"heads", point.heads},
            {"loss", point.sums.loss},
            {"divergence", point.sums.divergence},
            {"agreement", point.sums.agreement},
            {"choices", std::move(choices)}};
}

// A value in another form than it was written in counts as missing.

std::optional<std::vector<double>> numbersOf(const JsonValue& list) {
    std::vector<double> numbers;
    for (const JsonValue& element : list.elements()) {
        const auto number = element.number();
        if (!number)
            return std::nullopt;
        numbers.push_back(*number);
    }
    return list.isArray() ? std::optional(numbers) : std::nullopt;
}

bool hasHeads(const ModelSpec& spec, const PruningOrder& order) {
    for (const HeadSet& unit : order.units)
        for (const LayerHead head : unit)
            if (!checkHead(head, spec))
                return false;
    return true;
}

std::optional<PruningOrder> orderOf(const JsonValue& line) {
    const std::string* const name = line.member("order").text();
    const auto kind = name != nullptr ? orderKindNamed(*name) : std::nullopt;
    const auto seed = line.member("seed").whole();
    auto list = headsFromJson(line.member("list"));
    const std::string* const list_name = line.member("list_name").text();
    auto scores = numbersOf(line.member("scores"));
    if (!kind || !seed || !list || list_name == nullptr || !scores)
        return std::nullopt;
    PruningOrder order{{*kind, *seed, *std::move(list), *list_name}, {}, *std::move(scores)};
    for (const JsonValue& unit : line.member("units").elements()) {
        auto heads = headsFromJson(unit);
        if (!heads)
            return std::nullopt;
        order.units.push_back(*std::move(heads));
    }
    return order;
}

std::optional<std::vector<ChoiceReading>> choicesOf(const JsonValue& list) {
    std::vector<ChoiceReading> choices;
    for (const JsonValue& element : list.elements()) {
        const auto parts = element.elements();
        const std::string* const key = parts.size() == 3 ? parts[0].text() : nullptr;
        const auto kind = key == nullptr
                              ? choiceTaskKinds().end()
                              : std::ranges::find(choiceTaskKinds(), *key, choiceTaskKey);
        if (kind == choiceTaskKinds().end() || !parts[1].number() || !parts[2].number())
            return std::nullopt;
        choices.push_back({*kind, *parts[1].number(), *parts[2].number()});
    }
    return list.isArray() ? std::optional(choices) : std::nullopt;
}

std::optional<PruningParts::Point> pointOf(const JsonValue& line) {
    const std::string* const order = line.member("point").text();
    const auto units = line.member("units").whole();
    const auto heads = line.member("heads").whole();
    auto loss = numbersOf(line.member("loss"));
    auto divergence = numbersOf(line.member("divergence"));
    auto agreement = numbersOf(line.member("agreement"));
    auto choices = choicesOf(line.member("choices"));
    if (order == nullptr || !units || !heads || !loss || !divergence || !agreement || !choices)
        return std::nullopt;
    return PruningParts::Point{*order,
                               {*units,
                                *heads,
                                {*std::move(loss), *std::move(divergence), *std::move(agreement)},
                                *std::move(choices)}};
}

std::string lineOf(const std::string& text, Json part) {
    part["text"] = text;
    return part.dump();
}

/// False for a line of another form.
bool takeLine(const JsonValue& line, const ModelSpec& spec,
              std::map<std::string, PruningParts>& texts) {
    const std::string* const text = line.member("text").text();
    if (text == nullptr)
        return false;
    PruningParts& parts = texts[*text];
    if (line.find("order")) {
        auto order = orderOf(line);
        if (!order)
            return false;
        if (hasHeads(spec, *order))
            parts.orders.push_back(*std::move(order));
        return true;
    }
    auto point = pointOf(line);
    if (!point)
        return false;
    parts.points.push_back(*std::move(point));
    return true;
}

} // namespace

std::string measuredOrderText(const MeasuredOrder& measured) {
    const PruningOrder& order = measured.curve.order;
    Json points = Json::array();
    for (const CurvePoint& point : measured.curve.points)
        points.push_back(pointJson(order.spec.name(), point));
    Json json{{"order", orderJson(order)},
              {"points", std::move(points)},
              {kWhole, pointJson(kWhole, measured.whole)}};
    if (measured.control)
        json[kControl] = pointJson(kControl, *measured.control);
    return json.dump();
}

std::optional<MeasuredOrder> readMeasuredOrder(std::string_view text, const ModelSpec& spec) {
    const auto document = JsonDocument::parse(text, kCurveLimits);
    if (!document)
        return std::nullopt;
    auto order = orderOf(document->root().member("order"));
    auto whole = pointOf(document->root().member(kWhole));
    if (!order || !whole || !hasHeads(spec, *order))
        return std::nullopt;
    MeasuredOrder measured{std::move(whole->point), {}, {*std::move(order), {}}};
    if (document->root().find(kControl)) {
        auto control = pointOf(document->root().member(kControl));
        if (!control)
            return std::nullopt;
        measured.control = std::move(control->point);
    }
    for (const JsonValue& element : document->root().member("points").elements()) {
        auto point = pointOf(element);
        if (!point || point->order != measured.curve.order.spec.name())
            return std::nullopt;
        measured.curve.points.push_back(std::move(point->point));
    }
    return measured;
}

std::filesystem::path PruningPartsFile::pathFor(const std::filesystem::path& result) {
    return result.string() + ".parts";
}

PruningPartsFile::PruningPartsFile(std::filesystem::path path, std::string question)
    : file_(std::move(path), std::move(question)) {}

Result<std::map<std::string, PruningParts>> PruningPartsFile::read(const ModelSpec& spec) const {
    std::map<std::string, PruningParts> parts;
    auto read =
        file_.read(kLineLimits, [&](const JsonValue& line) { return takeLine(line, spec, parts); });
    if (!read)
        return read.error();
    return parts;
}

Result<void> PruningPartsFile::begin(const std::map<std::string, PruningParts>& parts) {
    std::vector<std::string> lines;
    for (const auto& [text, known] : parts) {
        for (const PruningOrder& order : known.orders)
            lines.push_back(lineOf(text, orderJson(order)));
        for (const PruningParts::Point& part : known.points)
            lines.push_back(lineOf(text, pointJson(part.order, part.point)));
    }
    return file_.begin(lines);
}

Result<void> PruningPartsFile::add(const std::string& text, const PruningOrder& order) {
    return file_.append(lineOf(text, orderJson(order)));
}

Result<void> PruningPartsFile::add(const std::string& text, const OrderSpec& order,
                                   const CurvePoint& point) {
    return file_.append(lineOf(text, pointJson(order.name(), point)));
}

void PruningPartsFile::remove() const {
    file_.remove();
}

} // namespace headscope
