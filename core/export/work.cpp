#include "core/export/work.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/io/atomic_file.h"
#include "core/io/sealed_json.h"
#include "core/io/sha256.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
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
    const auto isNoPlan = [&name](const Error& why) {
        return aboutText(why, name, "make it with headscope-cli COMMAND plan");
    };
    const auto malformed = [&](std::string what) {
        return isNoPlan({ErrorCode::Malformed, std::move(what)});
    };
    const auto document = readForeignJson(text, kPlanLimits);
    if (!document)
        return isNoPlan(document.error());
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
    // A unit belongs to the task whose share of the cost holds its middle.
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

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartFormat = "headscope part 1";
constexpr std::string_view kPartExtension = ".part";
constexpr std::size_t kLargestPart = std::size_t{1} << 30;
constexpr JsonLimits kHeaderLimits{.depth = 1, .values = 10, .unique_keys = true};

/// The SHA-256 of everything that a part says.
std::string hashOf(const std::string& key, const WorkPart& part) {
    return sha256OfText(key + "\n" + part.machine + "\n" + part.content);
}

Error cannotList(const fs::path& folder, const std::error_code& error) {
    return {ErrorCode::Unreadable, "Cannot list the parts in " + folder.string() + ": " +
                                       error.message() +
                                       "; give the folder that the tasks wrote to."};
}

bool isText(const JsonValue& value, std::string_view expected) {
    const std::string* const text = value.text();
    return text != nullptr && *text == expected;
}

} // namespace

WorkParts::WorkParts(fs::path folder, const WorkPlan& plan)
    : folder_(std::move(folder)), units_(plan.units) {
    for (const WorkUnit& unit : units_)
        keys_.push_back(plan.key(unit));
}

Result<void> WorkParts::makeFolder() const {
    std::error_code error;
    fs::create_directory(folder_, error);
    if (fs::is_directory(folder_))
        return {};
    return Error{ErrorCode::WriteFailed,
                 "Cannot make the folder " + folder_.string() + " for parts" +
                     (error ? ": " + error.message() : ", since a file has that name") +
                     "; make it, or choose another."};
}

fs::path WorkParts::pathOf(std::size_t unit) const {
    return folder_ / (keys_[unit] + std::string(kPartExtension));
}

Result<WorkPart> WorkParts::read(std::size_t unit) const {
    const fs::path path = pathOf(unit);
    const auto refuse = [&](ErrorCode code, const std::string& what) {
        return Error{code, "The part of " + units_[unit].name + ", " + path.string() + ", " + what};
    };
    std::error_code ignored;
    if (!fs::exists(path, ignored))
        return refuse(ErrorCode::NotFound, "is missing; run the task that it belongs to again.");
    auto text = readTextFile(path, kLargestPart);
    if (!text)
        return text.error();
    const std::size_t line_end = text->find('\n');
    const auto header = JsonDocument::parse(text->substr(0, line_end), kHeaderLimits);
    const auto damaged =
        refuse(ErrorCode::Malformed, "is damaged; remove it and run its task again.");
    if (!header || line_end == std::string::npos || !text->ends_with('\n'))
        return damaged;
    const JsonValue root = header->root();
    const std::string* const machine = root.member("machine").text();
    if (machine == nullptr || text->size() < line_end + 2 ||
        !isText(root.member("format"), kPartFormat))
        return damaged;
    if (!isText(root.member("key"), keys_[unit]))
        return refuse(ErrorCode::Mismatch,
                      "holds the part of another unit; remove it and run its task again.");
    WorkPart part{*machine, text->substr(line_end + 1, text->size() - line_end - 2)};
    if (!isText(root.member("sha256"), hashOf(keys_[unit], part)))
        return damaged;
    return part;
}

Result<void> WorkParts::write(std::size_t unit, const WorkPart& part) const {
    const nlohmann::json header{{"format", kPartFormat},
                                {"key", keys_[unit]},
                                {"machine", part.machine},
                                {"sha256", hashOf(keys_[unit], part)},
                                {"unit", units_[unit].name}};
    return writeFileAtomically(pathOf(unit), header.dump() + "\n" + part.content + "\n");
}

Result<WorkParts::State> WorkParts::state() const {
    auto others = foreign();
    if (!others)
        return others.error();
    State state;
    state.foreign = *std::move(others);
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
        const auto part = read(unit);
        if (part)
            state.done.push_back(unit);
        else
            (part.error().code == ErrorCode::NotFound ? state.missing : state.damaged)
                .push_back(unit);
    }
    return state;
}

Result<std::vector<std::string>> WorkParts::foreign() const {
    std::vector<std::string> known;
    for (const std::string& key : keys_)
        known.push_back(key + std::string(kPartExtension));
    std::ranges::sort(known);
    std::vector<std::string> others;
    std::error_code error;
    fs::directory_iterator entry(folder_, error);
    if (error)
        return cannotList(folder_, error);
    for (; entry != fs::directory_iterator(); entry.increment(error)) {
        if (error)
            return cannotList(folder_, error);
        std::string name = entry->path().filename().string();
        // Hidden ones are being written.
        if (!name.starts_with('.') && name.ends_with(kPartExtension) &&
            !std::ranges::binary_search(known, name))
            others.push_back(std::move(name));
    }
    std::ranges::sort(others);
    return others;
}

void addMachines(Table& table, std::span<const std::string> machines) {
    if (machines.size() < 2)
        return;
    const std::string names = join(machines, " and ");
    table.fields.push_back({"machines", names});
    std::string& note = table.provenance.note;
    note += (note.empty() ? "" : "; ") +
            ("parts of several machines, whose rounding differs: " + names);
}

namespace {

double thousandths(double value) {
    return std::round(value * 1000.0) / 1000.0;
}

} // namespace

std::string workEventLine(const WorkEvent& event) {
    nlohmann::json json{{"event", event.event}, {"done", event.done}, {"of", event.of}};
    if (!event.unit.empty())
        json["unit"] = event.unit;
    if (!event.machine.empty())
        json["machine"] = event.machine;
    if (event.fraction)
        json["fraction"] = thousandths(*event.fraction);
    if (event.seconds)
        json["seconds"] = thousandths(*event.seconds);
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace headscope
