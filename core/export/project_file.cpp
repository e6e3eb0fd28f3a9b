#include "core/export/project_file.h"

#include "core/base/json.h"
#include "core/heads/head_type.h"
#include "core/io/atomic_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <system_error>
#include <utility>

namespace headscope {

namespace {

namespace fs = std::filesystem;
using ProjectJson = nlohmann::ordered_json;

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kLargestProject = std::size_t{64} << 20;
constexpr JsonLimits kProjectLimits{.depth = 8, .unique_keys = true};
constexpr std::array<std::string_view, 3> kBosNames{"auto", "yes", "no"};
constexpr std::string_view kFlippedSquares = "flipped";

// Writing

ProjectJson headJson(LayerHead head) {
    return ProjectJson::array({head.layer, head.head});
}

template <class Heads>
ProjectJson headListJson(const Heads& heads) {
    ProjectJson list = ProjectJson::array();
    for (const LayerHead head : heads)
        list.push_back(headJson(head));
    return list;
}

ProjectJson notesJson(const HeadNotes& notes) {
    ProjectJson list = ProjectJson::array();
    for (const auto& [head, note] : notes)
        if (!note.empty())
            list.push_back({{"head", headJson(head)},
                            {"text", note.text},
                            {"bookmarked", note.is_bookmarked}});
    return list;
}

ProjectJson thresholdsJson(const Thresholds& thresholds) {
    ProjectJson moved = ProjectJson::object();
    for (const HeadType& type : headTypes())
        if (thresholds.of(type.id) != Thresholds().of(type.id))
            moved[std::string(type.key)] = thresholds.of(type.id);
    return moved;
}

ProjectJson ablationJson(const Project& project) {
    std::vector<LayerHead> heads;
    for (const auto& [head, kind] : project.mask.heads())
        heads.push_back(head);
    return {{"kind", ablationKindName(project.ablation_kind)}, {"heads", headListJson(heads)}};
}

template <class Value>
ProjectJson orNull(const std::optional<Value>& value) {
    return value ? ProjectJson(*value) : ProjectJson(nullptr);
}

/// As it is seen from `folder` where there is a way, else as it is.
std::string pathFrom(const fs::path& folder, const fs::path& model) {
    std::error_code ignored;
    const fs::path relative = fs::proximate(model, folder, ignored);
    return (relative.empty() ? model : relative).generic_string();
}

Result<void> writeJson(const fs::path& path, const ProjectJson& json) {
    return writeFileAtomically(
        path, json.dump(2, ' ', false, ProjectJson::error_handler_t::replace) + "\n");
}

// Reading. What has another form than it was written in is nothing.

std::optional<LayerHead> headFrom(const JsonValue& pair) {
    const std::vector<JsonValue> both = pair.elements();
    const auto layer = both.size() == 2 ? both[0].whole() : std::nullopt;
    const auto head = both.size() == 2 ? both[1].whole() : std::nullopt;
    if (!layer || !head)
        return std::nullopt;
    return LayerHead{static_cast<std::size_t>(*layer), static_cast<std::size_t>(*head)};
}

std::optional<std::vector<LayerHead>> headListFrom(const JsonValue& list) {
    std::vector<LayerHead> heads;
    for (const JsonValue& pair : list.elements()) {
        const auto head = headFrom(pair);
        if (!head)
            return std::nullopt;
        heads.push_back(*head);
    }
    return list.isArray() ? std::optional(heads) : std::nullopt;
}

std::optional<HeadNotes> notesFrom(const JsonValue& list) {
    HeadNotes notes;
    for (const JsonValue& each : list.elements()) {
        const auto head = headFrom(each.member("head"));
        const std::string* const text = each.member("text").text();
        const auto is_bookmarked = each.member("bookmarked").boolean();
        if (!head || text == nullptr || !is_bookmarked)
            return std::nullopt;
        notes[*head] = {*text, *is_bookmarked};
    }
    return list.isArray() ? std::optional(notes) : std::nullopt;
}

/// Types that this version does not know are left out.
Thresholds thresholdsFrom(const JsonValue& moved) {
    Thresholds thresholds;
    for (const JsonMember& member : moved.members()) {
        const auto type = headTypeByKey(member.key);
        const auto value = member.value.number();
        if (type && value)
            thresholds.set(*type, std::clamp(*value, 0.0, 1.0));
    }
    return thresholds;
}

std::optional<AblationKind> ablationKindFrom(const JsonValue& name) {
    for (const AblationKind kind :
         {AblationKind::Zero, AblationKind::Mean, AblationKind::TextMean, AblationKind::Resample})
        if (name.text() != nullptr && *name.text() == ablationKindName(kind))
            return kind;
    return std::nullopt;
}

std::optional<BosMode> bosFrom(const JsonValue& name) {
    const auto place =
        name.text() == nullptr ? kBosNames.end() : std::ranges::find(kBosNames, *name.text());
    return place == kBosNames.end()
               ? std::nullopt
               : std::optional(static_cast<BosMode>(place - kBosNames.begin()));
}

/// False where a part has another form.
bool takeModel(const JsonValue& model, const fs::path& folder, Project& project) {
    const std::string* const path = model.member("path").text();
    const std::string* const name = model.member("name").text();
    const std::string* const sha256 = model.member("sha256").text();
    if (path == nullptr || name == nullptr || sha256 == nullptr)
        return false;
    project.model_path = (folder / *path).lexically_normal();
    project.model_name = *name;
    project.model_sha256 = *sha256;
    const std::string* const squares = model.member("square_matrices").text();
    project.flip_square_matrices = squares != nullptr && *squares == kFlippedSquares;
    return true;
}

bool takePrompts(const JsonValue& root, Project& project) {
    const std::string* const prompt = root.member("prompt").text();
    const auto bos = bosFrom(root.member("bos"));
    if (prompt == nullptr || !bos)
        return false;
    project.prompt = *prompt;
    project.bos = *bos;
    if (const std::string* const second = root.member("second_prompt").text())
        project.second_prompt = *second;
    for (const JsonValue& earlier : root.member("earlier_prompts").elements())
        if (earlier.text() != nullptr)
            project.earlier_prompts.push_back(*earlier.text());
    return true;
}

bool takeHeads(const JsonValue& root, Project& project) {
    const auto kind = ablationKindFrom(root.member("ablation").member("kind"));
    const auto ablated = headListFrom(root.member("ablation").member("heads"));
    const auto selected = headFrom(root.member("selected"));
    const auto chosen = headListFrom(root.member("chosen"));
    auto notes = notesFrom(root.member("notes"));
    if (!kind || !ablated || !selected || !chosen || !notes)
        return false;
    project.ablation_kind = *kind;
    for (const LayerHead head : *ablated)
        project.mask.set(head, *kind);
    project.thresholds = thresholdsFrom(root.member("thresholds"));
    project.selected = *selected;
    project.chosen = *chosen;
    project.notes = *std::move(notes);
    if (const auto row = root.member("locked_row").whole())
        project.locked_row = static_cast<std::size_t>(*row);
    return true;
}

/// A JSON file of a kind that `key` names, with its version.
Result<JsonDocument> readVersioned(const fs::path& path, std::string_view key,
                                   std::string_view kind) {
    const auto text = readTextFile(path, kLargestProject);
    if (!text)
        return text.error();
    auto document = JsonDocument::parse(*text, kProjectLimits);
    if (!document)
        return Error{ErrorCode::Malformed, path.string() + " " + document.error().message + "."};
    const auto version = document->root().member(key).whole();
    if (!version)
        return Error{ErrorCode::Malformed,
                     path.string() + " is no " + std::string(kind) + " of Headscope."};
    if (*version > kVersion)
        return Error{ErrorCode::Unsupported,
                     path.string() + " was written by a later version of Headscope (" +
                         std::string(kind) + " version " + std::to_string(*version) +
                         "); open it with that one."};
    return document;
}

} // namespace

Result<void> writeProject(const fs::path& path, const Project& project) {
    ProjectJson model{{"path", pathFrom(path.parent_path(), project.model_path)},
                      {"name", project.model_name},
                      {"sha256", project.model_sha256},
                      {"square_matrices", nullptr}};
    if (project.flip_square_matrices)
        model["square_matrices"] = kFlippedSquares;
    return writeJson(path, {{"headscope_project", kVersion},
                            {"model", std::move(model)},
                            {"prompt", project.prompt},
                            {"bos", kBosNames[static_cast<std::size_t>(project.bos)]},
                            {"second_prompt", orNull(project.second_prompt)},
                            {"earlier_prompts", project.earlier_prompts},
                            {"ablation", ablationJson(project)},
                            {"thresholds", thresholdsJson(project.thresholds)},
                            {"selected", headJson(project.selected)},
                            {"chosen", headListJson(project.chosen)},
                            {"locked_row", orNull(project.locked_row)},
                            {"notes", notesJson(project.notes)},
                            {"view", project.view}});
}

Result<Project> readProject(const fs::path& path) {
    const auto document = readVersioned(path, "headscope_project", "project");
    if (!document)
        return document.error();
    const JsonValue root = document->root();
    Project project;
    std::error_code ignored;
    const fs::path folder = fs::absolute(path, ignored).parent_path();
    if (!takeModel(root.member("model"), folder, project) || !takePrompts(root, project) ||
        !takeHeads(root, project))
        return Error{ErrorCode::Malformed,
                     path.string() + " is damaged: a part of the project is missing or has another "
                                     "form; open the model itself."};
    for (const JsonMember& member : root.member("view").members())
        if (member.value.text() != nullptr)
            project.view[std::string(member.key)] = *member.value.text();
    return project;
}

Result<void> writeNotes(const fs::path& path, const HeadNotes& notes) {
    return writeJson(path, {{"headscope_notes", kVersion}, {"notes", notesJson(notes)}});
}

Result<HeadNotes> readNotes(const fs::path& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored))
        return HeadNotes();
    const auto document = readVersioned(path, "headscope_notes", "file of notes");
    if (!document)
        return document.error();
    auto notes = notesFrom(document->root().member("notes"));
    if (!notes)
        return Error{ErrorCode::Malformed, path.string() + " is damaged; remove it."};
    return *std::move(notes);
}

} // namespace headscope
