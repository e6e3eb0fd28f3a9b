#include "core/export/project_file.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/export/formats/kept_json.h"
#include "core/io/atomic_file.h"
#include "core/io/sha256.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <system_error>
#include <utility>

namespace headscope {

namespace {

namespace fs = std::filesystem;

constexpr KeptKind kProjectKind{.key = "headscope_project", .name = "project"};
/// So small that a window reads it within a tenth of a second; it has some 60,000 values at most.
constexpr KeptKind kNotesKind{.key = "headscope_notes",
                              .name = "file of notes",
                              .largest = std::size_t{1} << 20,
                              .values = 100'000};
constexpr std::size_t kMostPrompts = 50;       ///< earlier ones
constexpr std::size_t kMostSteps = 200;        ///< that can be undone
constexpr std::size_t kMostStepHeads = 20'000; ///< of all steps together
constexpr std::array<std::string_view, 3> kBosNames{"auto", "yes", "no"};

// Writing

/// Fails for a note that is longer than it may be when it is read.
Result<KeptJson> notesJson(const HeadNotes& notes) {
    KeptJson list = KeptJson::array();
    for (const auto& [head, note] : notes) {
        if (note.text.size() > kLongestNote)
            return Error{ErrorCode::TooLarge, "The note on head " + headText(head) + " has " +
                                                  byteText(note.text.size()) + ", more than the " +
                                                  byteText(kLongestNote) + " that it may have."};
        if (!note.empty())
            list.push_back({{"head", headJson(head)},
                            {"text", note.text},
                            {"bookmarked", note.is_bookmarked}});
    }
    return list;
}

Result<std::string> notesText(const HeadNotes& notes) {
    auto list = notesJson(notes);
    return list ? keptText(kNotesKind, {{"notes", *std::move(list)}})
                : Result<std::string>(list.error());
}

KeptJson maskJson(const HeadMask& mask, AblationKind kind) {
    std::vector<LayerHead> heads;
    for (const auto& [head, ignored] : mask.heads())
        heads.push_back(head);
    return {{"kind", ablationKindName(kind)}, {"heads", headListJson(heads)}};
}

/// The latest that there is room for.
KeptJson stepsJson(const std::vector<AblationStep>& steps) {
    std::size_t heads = 0;
    auto first = steps.end();
    while (first != steps.begin() && static_cast<std::size_t>(steps.end() - first) < kMostSteps &&
           (heads += std::prev(first)->mask.size()) <= kMostStepHeads)
        --first;
    KeptJson list = KeptJson::array();
    for (auto step = first; step != steps.end(); ++step) {
        list.push_back(maskJson(step->mask, step->kind));
        list.back()["text"] = step->text;
    }
    return list;
}

KeptJson ablationJson(const Project& project) {
    KeptJson ablation = maskJson(project.mask, project.ablation_kind);
    if (!project.undo_steps.empty())
        ablation["undo"] = stepsJson(project.undo_steps);
    return ablation;
}

template <class Value>
KeptJson orNull(const std::optional<Value>& value) {
    return value ? KeptJson(*value) : KeptJson(nullptr);
}

/// As it is seen from `folder` where there is a way, else as it is.
std::string pathFrom(const fs::path& folder, const fs::path& model) {
    std::error_code ignored;
    const fs::path relative = fs::proximate(model, folder, ignored);
    return (relative.empty() ? model : relative).generic_string();
}

// Reading. A value in another form than it was written in counts as missing.

/// Null for what is no text, or longer than `longest` bytes.
const std::string* textFrom(const JsonValue& value, std::size_t longest) {
    const std::string* const text = value.text();
    return text != nullptr && text->size() <= longest ? text : nullptr;
}

std::optional<HeadNotes> notesFrom(const JsonValue& list) {
    HeadNotes notes;
    for (const JsonValue& each : list.elements()) {
        const auto head = headFrom(each.member("head"));
        const std::string* const text = textFrom(each.member("text"), kLongestNote);
        const auto is_bookmarked = each.member("bookmarked").boolean();
        if (!head || text == nullptr || !is_bookmarked)
            return std::nullopt;
        notes[*head] = {*text, *is_bookmarked};
    }
    return list.isArray() ? std::optional(notes) : std::nullopt;
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
    project.flip_square_matrices = squaresFrom(model.member("square_matrices"));
    return true;
}

bool takePrompts(const JsonValue& root, Project& project) {
    const std::string* const prompt = textFrom(root.member("prompt"), kLongestPrompt);
    const auto bos = bosFrom(root.member("bos"));
    if (prompt == nullptr || !bos)
        return false;
    project.prompt = *prompt;
    project.bos = *bos;
    if (const std::string* const second = textFrom(root.member("second_prompt"), kLongestPrompt))
        project.second_prompt = *second;
    for (const JsonValue& earlier : root.member("earlier_prompts").elements())
        if (const std::string* const text = textFrom(earlier, kLongestPrompt);
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
    if (const std::string* const text = textFrom(step.member("text"), kLongestNote))
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
    if (!takeAblation(root.member("ablation"), project) || !selected || !chosen || !notes ||
        !checkNotes(*notes))
        return false;
    project.thresholds = thresholdsFrom(root.member("thresholds"));
    project.selected = *selected;
    project.chosen = *chosen;
    project.notes = *std::move(notes);
    if (const auto row = root.member("locked_row").whole())
        project.locked_row = static_cast<std::size_t>(*row);
    return true;
}

} // namespace

Result<void> writeProject(const fs::path& path, const Project& project) {
    if (std::max(project.prompt.size(), project.second_prompt.value_or("").size()) > kLongestPrompt)
        return cannotKeep(path, {ErrorCode::InvalidArgument,
                                 "a prompt is longer than " + byteText(kLongestPrompt) +
                                     ", which projects do not hold; shorten it."});
    if (const auto fits = checkNotes(project.notes); !fits)
        return cannotKeep(path, fits.error());
    KeptJson model{{"path", pathFrom(path.parent_path(), project.model_path)},
                   {"name", project.model_name},
                   {"sha256", project.model_sha256},
                   {"square_matrices", squaresJson(project.flip_square_matrices)}};
    return writeKept(path, kProjectKind,
                     {{"model", std::move(model)},
                      {"prompt", project.prompt},
                      {"bos", kBosNames[static_cast<std::size_t>(project.bos)]},
                      {"second_prompt", orNull(project.second_prompt)},
                      {"earlier_prompts", project.earlier_prompts},
                      {"ablation", ablationJson(project)},
                      {"thresholds", thresholdsJson(project.thresholds)},
                      {"selected", headJson(project.selected)},
                      {"chosen", headListJson(project.chosen)},
                      {"locked_row", orNull(project.locked_row)},
                      {"notes", *notesJson(project.notes)},
                      {"view", project.view}});
}

Result<Project> readProject(const fs::path& path) {
    const auto document = readKept(path, kProjectKind);
    if (!document)
        return document.error();
    const JsonValue root = document->root();
    Project project;
    std::error_code ignored;
    const fs::path folder = fs::absolute(path, ignored).parent_path();
    if (!takeModel(root.member("model"), folder, project) || !takePrompts(root, project) ||
        !takeHeads(root, project))
        return Error{ErrorCode::Malformed,
                     path.string() + " is damaged: a part of the project is missing, too long or "
                                     "of another form; open the model itself."};
    for (const JsonMember& member : root.member("view").members())
        if (member.value.text() != nullptr)
            project.view[std::string(member.key)] = *member.value.text();
    return project;
}

std::string fileStamp(const fs::path& path) {
    const auto hash = sha256OfFile(path);
    return hash ? *hash : std::string();
}

Result<void> checkNotes(const HeadNotes& notes) {
    const auto text = notesText(notes);
    return text ? Result<void>() : text.error();
}

Result<void> writeNotes(const fs::path& path, const HeadNotes& notes) {
    const auto text = notesText(notes);
    return text ? writeFileAtomically(path, *text) : Result<void>(cannotKeep(path, text.error()));
}

Result<HeadNotes> readNotes(const fs::path& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored))
        return HeadNotes();
    const auto document = readKept(path, kNotesKind);
    if (!document)
        return document.error();
    auto notes = notesFrom(document->root().member("notes"));
    if (!notes)
        return Error{ErrorCode::Malformed,
                     path.string() +
                         " is damaged: a note is missing, too long or of another form."};
    return *std::move(notes);
}

} // namespace headscope
