#include "core/export/work_parts.h"

#include "core/base/json.h"
#include "core/io/atomic_file.h"
#include "core/io/sha256.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

namespace headscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartFormat = "headscope part 1";
constexpr std::string_view kPartExtension = ".part";
constexpr std::size_t kLargestPart = std::size_t{1} << 30;
constexpr JsonLimits kHeaderLimits{.depth = 1, .values = 10, .unique_keys = true};

/// Of everything that a part says.
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

} // namespace headscope
