#include "core/export/work_plan.h"

#include "core/base/json.h"
#include "core/io/atomic_file.h"
#include "core/io/sha256.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace headscope {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kPlanFormat = "headscope work plan";
constexpr std::uint64_t kPlanVersion = 1;
constexpr std::size_t kLargestPlan = std::size_t{256} << 20;
constexpr std::uint64_t kLargestCost = 1'000'000'000'000;
/// An object with a list of objects.
constexpr JsonLimits kPlanLimits{.depth = 3, .values = 10'000'000, .unique_keys = true};

Json fileJson(const WorkFile& file) {
    return {{"path", file.path}, {"sha256", file.sha256}};
}

/// The texts of a plan as they are read, until one is missing.
class PlanReader {
public:
    explicit PlanReader(JsonValue root) : root_(root) {}

    std::optional<WorkPlan> plan() const {
        const auto command = textOf(root_.member("command"));
        const auto app_version = textOf(root_.member("app_version"));
        const auto model_name = textOf(root_.member("model_name"));
        const auto model = fileOf(root_.member("model"));
        const auto question = textOf(root_.member("question"));
        auto words = listOf<std::string>("words", textOf);
        auto files = listOf<WorkFile>("files", fileOf);
        auto units = listOf<WorkUnit>("units", unitOf);
        if (!command || !app_version || !model_name || !model || !question || !words || !files ||
            !units || units->empty())
            return std::nullopt;
        return WorkPlan{*command,          *app_version,      *model_name, *model,
                        *std::move(words), *std::move(files), *question,   *std::move(units)};
    }

private:
    static std::optional<std::string> textOf(JsonValue value) {
        const std::string* const text = value.text();
        return text != nullptr ? std::optional(*text) : std::nullopt;
    }

    static std::optional<WorkFile> fileOf(JsonValue value) {
        const auto path = textOf(value.member("path"));
        const auto sha256 = textOf(value.member("sha256"));
        return path && sha256 ? std::optional(WorkFile{*path, *sha256}) : std::nullopt;
    }

    static std::optional<WorkUnit> unitOf(JsonValue value) {
        const auto name = textOf(value.member("name"));
        const auto cost = value.member("cost").whole();
        return name && cost && *cost <= kLargestCost ? std::optional(WorkUnit{*name, *cost})
                                                     : std::nullopt;
    }

    template <class T, class Read>
    std::optional<std::vector<T>> listOf(const char* key, Read read) const {
        std::vector<T> list;
        for (const JsonValue& element : root_.member(key).elements()) {
            auto value = read(element);
            if (!value)
                return std::nullopt;
            list.push_back(*std::move(value));
        }
        return root_.member(key).isArray() ? std::optional(std::move(list)) : std::nullopt;
    }

    JsonValue root_;
};

bool namesAreUnique(const std::vector<WorkUnit>& units) {
    std::set<std::string_view> names;
    return std::ranges::all_of(
        units, [&](const WorkUnit& unit) { return names.insert(unit.name).second; });
}

} // namespace

std::string WorkPlan::json() const {
    Json file_list = Json::array();
    for (const WorkFile& file : files)
        file_list.push_back(fileJson(file));
    Json unit_list = Json::array();
    for (const WorkUnit& unit : units)
        unit_list.push_back({{"cost", unit.cost}, {"name", unit.name}});
    const Json plan{{"format", kPlanFormat},
                    {"format_version", kPlanVersion},
                    {"app_version", app_version},
                    {"command", command},
                    {"model_name", model_name},
                    {"model", fileJson(model)},
                    {"words", words},
                    {"files", std::move(file_list)},
                    {"question", question},
                    {"units", std::move(unit_list)}};
    return plan.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<WorkPlan> WorkPlan::read(std::string_view text, const std::string& name) {
    const auto malformed = [&name](const std::string& what) {
        return Error{ErrorCode::Malformed,
                     name + " " + what + "; make it with headscope-cli COMMAND plan."};
    };
    const auto document = JsonDocument::parse(text, kPlanLimits);
    if (!document)
        return malformed(document.error().message);
    const JsonValue root = document->root();
    const std::string* const format = root.member("format").text();
    if (format == nullptr || *format != kPlanFormat)
        return malformed("is no plan");
    const std::string* const version = root.member("app_version").text();
    if (root.member("format_version").whole() != kPlanVersion || version == nullptr ||
        *version != HEADSCOPE_VERSION)
        return Error{ErrorCode::Mismatch,
                     name + " was made by version " + root.member("app_version").shown() +
                         " of Headscope and this is " + HEADSCOPE_VERSION +
                         "; run it with the version that made it, or make it anew."};
    auto plan = PlanReader(root).plan();
    if (!plan)
        return malformed("is a damaged plan: something is missing or of another type");
    if (!namesAreUnique(plan->units))
        return malformed("is a damaged plan: two of its units have one name");
    return *std::move(plan);
}

Result<WorkPlan> WorkPlan::read(const std::filesystem::path& path) {
    const auto text = readTextFile(path, kLargestPlan);
    if (!text)
        return text.error();
    return read(*text, path.string());
}

std::string WorkPlan::key(const WorkUnit& unit) const {
    Json read = Json::array({model.sha256});
    for (const WorkFile& file : files)
        read.push_back(file.sha256);
    const Json all{kPlanVersion, app_version, command,  model_name,
                   read,         words,       question, unit.name};
    return sha256OfText(all.dump(-1, ' ', false, Json::error_handler_t::replace));
}

UnitRange WorkPlan::shard(std::size_t index, std::size_t count) const {
    double total = 0.0;
    for (const WorkUnit& unit : units)
        total += static_cast<double>(unit.cost);
    // A unit belongs to the task in whose share of the cost its middle lies.
    const auto firstOf = [&](std::size_t task) {
        const double border = total * static_cast<double>(task) / static_cast<double>(count);
        double before = 0.0;
        std::size_t unit = 0;
        for (; unit < units.size(); ++unit) {
            const auto cost = static_cast<double>(units[unit].cost);
            if (before + cost / 2.0 >= border && task < count)
                break;
            before += cost;
        }
        return unit;
    };
    return {firstOf(index), firstOf(index + 1)};
}

} // namespace headscope
