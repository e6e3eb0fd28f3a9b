#include "core/export/pruning_parts.h"

#include "core/base/text.h"
#include "core/io/atomic_file.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <system_error>
#include <utility>

namespace headscope {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kLargestParts = std::size_t{256} << 20;

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
    return {{"point", order},
            {"units", point.units},
            {"heads", point.heads},
            {"loss", point.sums.loss},
            {"divergence", point.sums.divergence},
            {"agreement", point.sums.agreement}};
}

HeadSet headsOf(const Json& json) {
    HeadSet heads;
    for (const Json& head : json)
        heads.push_back({head.at(0).get<std::size_t>(), head.at(1).get<std::size_t>()});
    return heads;
}

bool hasHeads(const ModelSpec& spec, const PruningOrder& order) {
    for (const HeadSet& unit : order.units)
        for (const LayerHead head : unit)
            if (!checkHead(head, spec))
                return false;
    return true;
}

/// Throws Json::exception for a line of another form.
void takeLine(const Json& line, const ModelSpec& spec, PruningParts& parts) {
    if (line.contains("order")) {
        PruningOrder order;
        const auto kind = orderKindNamed(line.at("order").get<std::string>());
        order.spec = {kind.value_or(OrderKind::Random), line.at("seed").get<std::uint64_t>(),
                      headsOf(line.at("list")), line.at("list_name").get<std::string>()};
        for (const Json& unit : line.at("units"))
            order.units.push_back(headsOf(unit));
        order.scores = line.at("scores").get<std::vector<double>>();
        if (kind && hasHeads(spec, order))
            parts.orders.push_back(std::move(order));
        return;
    }
    PruningParts::Point part;
    part.order = line.at("point").get<std::string>();
    part.point.units = line.at("units").get<std::size_t>();
    part.point.heads = line.at("heads").get<std::size_t>();
    part.point.sums.loss = line.at("loss").get<std::vector<double>>();
    part.point.sums.divergence = line.at("divergence").get<std::vector<double>>();
    part.point.sums.agreement = line.at("agreement").get<std::vector<double>>();
    parts.points.push_back(std::move(part));
}

} // namespace

std::filesystem::path PruningPartsFile::pathFor(const std::filesystem::path& result) {
    return result.string() + ".parts";
}

PruningPartsFile::PruningPartsFile(std::filesystem::path path, std::string question)
    : path_(std::move(path)), question_(std::move(question)) {}

Result<PruningParts> PruningPartsFile::read(const ModelSpec& spec) const {
    PruningParts parts;
    std::error_code ignored;
    if (!std::filesystem::exists(path_, ignored))
        return parts;
    const auto text = readTextFile(path_, kLargestParts);
    if (!text)
        return text.error();
    const std::vector<std::string> lines = split(*text, '\n');
    const Json first = Json::parse(lines.front(), nullptr, false);
    if (!first.is_object() || first.value("question", "") != question_)
        return Error{ErrorCode::Mismatch,
                     path_.string() + " holds parts of another question; remove it, or leave "
                                      "--resume out to begin anew."};
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const Json line = Json::parse(lines[i], nullptr, false);
        if (!line.is_object())
            continue; // cut short when the run was killed
        try {
            takeLine(line, spec, parts);
        } catch (const Json::exception&) {
            return Error{ErrorCode::Malformed, path_.string() + " is damaged in line " +
                                                   std::to_string(i + 1) + "; remove it."};
        }
    }
    return parts;
}

Result<void> PruningPartsFile::begin(const PruningParts& parts) {
    std::string text = Json{{"question", question_}}.dump() + "\n";
    for (const PruningOrder& order : parts.orders)
        text += orderJson(order).dump() + "\n";
    for (const PruningParts::Point& part : parts.points)
        text += pointJson(part.order, part.point).dump() + "\n";
    return writeFileAtomically(path_, text);
}

Result<void> PruningPartsFile::add(const PruningOrder& order) {
    return append(orderJson(order).dump());
}

Result<void> PruningPartsFile::add(const OrderSpec& order, const CurvePoint& point) {
    return append(pointJson(order.name(), point).dump());
}

void PruningPartsFile::remove() const {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
}

Result<void> PruningPartsFile::append(const std::string& line) const {
    std::ofstream file(path_, std::ios::app | std::ios::binary);
    file << line << '\n';
    file.flush();
    if (file)
        return {};
    return Error{ErrorCode::WriteFailed, "Cannot write " + path_.string() + "; is the disk full?"};
}

} // namespace headscope
