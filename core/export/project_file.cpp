#include "core/export/project_file.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/heads/head_type.h"
#include "core/io/atomic_file.h"
#include "core/io/sealed_json.h"
#include "core/io/sha256.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <system_error>
#include <utility>

namespace headscope {

namespace {

namespace fs = std::filesystem;
using ProjectJson = nlohmann::ordered_json;

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kLargestProject = std::size_t{16} << 20;
/// Five times what a project of 10,000 heads holds, each of them chosen, ablated and with a note.
constexpr JsonLimits kProjectLimits{.depth = 8, .values = 1'000'000, .unique_keys = true};
constexpr std::size_t kLongestText = std::size_t{1} << 20; ///< bytes, of a prompt or a note
constexpr std::size_t kMostPrompts = 50;                   ///< earlier ones
constexpr std::size_t kMostSteps = 200;                    ///< that can be undone
constexpr std::size_t kMostStepHeads = 20'000;             ///< of all steps together
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

ProjectJson maskJson(const HeadMask& mask, AblationKind kind) {
    std::vector<LayerHead> heads;
    for (const auto& [head, ignored] : mask.heads())
        heads.push_back(head);
    return {{"kind", ablationKindName(kind)}, {"heads", headListJson(heads)}};
}

/// The latest that there is room for.
ProjectJson stepsJson(const std::vector<AblationStep>& steps) {
    std::size_t heads = 0;
    auto first = steps.end();
    while (first != steps.begin() && static_cast<std::size_t>(steps.end() - first) < kMostSteps &&
           (heads += std::prev(first)->mask.size()) <= kMostStepHeads)
        --first;
    ProjectJson list = ProjectJson::array();
    for (auto step = first; step != steps.end(); ++step) {
        list.push_back(maskJson(step->mask, step->kind));
        list.back()["text"] = step->text;
    }
    return list;
}

ProjectJson ablationJson(const Project& project) {
    ProjectJson ablation = maskJson(project.mask, project.ablation_kind);
    if (!project.undo_steps.empty())
        ablation["undo"] = stepsJson(project.undo_steps);
    return ablation;
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

/// Null for what is no text, or too long for one of a person.
const std::string* textFrom(const JsonValue& value) {
    const std::string* const text = value.text();
    return text != nullptr && text->size() <= kLongestText ? text : nullptr;
}

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
        const std::string* const text = textFrom(each.member("text"));
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
    const std::string* const prompt = textFrom(root.member("prompt"));
    const auto bos = bosFrom(root.member("bos"));
    if (prompt == nullptr || !bos)
        return false;
    project.prompt = *prompt;
    project.bos = *bos;
    if (const std::string* const second = textFrom(root.member("second_prompt")))
        project.second_prompt = *second;
    for (const JsonValue& earlier : root.member("earlier_prompts").elements())
        if (const std::string* const text = textFrom(earlier);
            text != nullptr && project.earlier_prompts.size() < kMostPrompts)
            project.earlier_prompts.push_back(*text);
    return true;
}

/// What is ablated, how and after what; nothing where a part has another form.
std::optional<AblationStep> stepFrom(const JsonValue& step) {
    const auto kind = ablationKindFrom(step.member("kind"));
    const auto heads = headListFrom(step.member("heads"));
    if (!kind || !heads)
        return std::nullopt;
    AblationStep made;
    if (const std::string* const text = textFrom(step.member("text")))
        made.text = *text;
    for (const LayerHead head : *heads)
        made.mask.set(head, *kind);
    made.kind = *kind;
    return made;
}

bool takeAblation(const JsonValue& ablation, Project& project) {
    auto now = stepFrom(ablation);
    if (!now)
        return false;
    project.mask = std::move(now->mask);
    project.ablation_kind = now->kind;
    for (const JsonValue& each : ablation.member("undo").elements()) {
        auto step = stepFrom(each);
        if (!step || project.undo_steps.size() == kMostSteps)
            return false;
        project.undo_steps.push_back(*std::move(step));
    }
    return true;
}

bool takeHeads(const JsonValue& root, Project& project) {
    const auto selected = headFrom(root.member("selected"));
    const auto chosen = headListFrom(root.member("chosen"));
    auto notes = notesFrom(root.member("notes"));
    if (!takeAblation(root.member("ablation"), project) || !selected || !chosen || !notes)
        return false;
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
    auto document = readForeignJson(*text, kProjectLimits);
    if (!document)
        return Error{document.error().code, path.string() + " " + document.error().message + "."};
    const auto version = document->root().member(key).whole();
    if (!version || *version == 0)
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
    if (std::max(project.prompt.size(), project.second_prompt.value_or("").size()) > kLongestText)
        return Error{ErrorCode::InvalidArgument,
                     path.string() + " cannot be written: a prompt is longer than " +
                         byteText(kLongestText) + ", which projects do not hold; shorten it."};
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

std::string fileStamp(const fs::path& path) {
    const auto hash = sha256OfFile(path);
    return hash ? *hash : std::string();
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
        return Error{ErrorCode::Malformed,
                     path.string() + " is damaged: a note is missing or has another form."};
    return *std::move(notes);
}

} // namespace headscope
