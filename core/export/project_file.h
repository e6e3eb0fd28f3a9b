#pragma once

#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/engine/head_mask.h"
#include "core/export/head_notes.h"
#include "core/heads/head_score.h"
#include "core/model/prompt.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// A set of ablated heads, and the words for what led to it.
struct AblationStep {
    std::string text;
    HeadMask mask;
    AblationKind kind = AblationKind::Zero;

    bool operator==(const AblationStep&) const = default;
};

/// What a user did with a model, so that the work can be continued. Holds no results: they are
/// computed again.
struct Project {
    std::filesystem::path model_path; ///< absolute
    std::string model_name;
    std::string model_sha256;
    bool flip_square_matrices = false; ///< LoadOptions

    std::string prompt;
    BosMode bos = BosMode::Auto;
    /// The prompt that it is compared with; empty: the same prompt; none: it is not compared.
    std::optional<std::string> second_prompt;
    std::vector<std::string> earlier_prompts; ///< the latest first

    HeadMask mask;
    AblationKind ablation_kind = AblationKind::Zero;
    /// What can be undone, the latest last: what there was before each step. Only what is kept
    /// against a sudden end holds them.
    std::vector<AblationStep> undo_steps;
    Thresholds thresholds;
    LayerHead selected;
    std::vector<LayerHead> chosen;
    std::optional<std::size_t> locked_row;
    HeadNotes notes;
    /// How a window draws, by keys and values of its own; unknown ones are left alone.
    std::map<std::string, std::string> view;

    bool operator==(const Project&) const = default;
};

/// In bytes. A window shows a longer prompt only after a pause that is felt.
inline constexpr std::size_t kLongestPrompt = std::size_t{256} << 10;
inline constexpr std::size_t kLongestNote = std::size_t{64} << 10;

/// ".headscope"
inline constexpr std::string_view kProjectExtension = ".headscope";

/// Writes a project as indented JSON, whole or not at all; the model's path as it is seen from the
/// project's folder, so that both can move together:
///
///     {"headscope_project": 1,
///      "model": {"path", "name", "sha256", "square_matrices": "flipped" or null},
///      "prompt", "bos": "auto" | "yes" | "no", "second_prompt": text or null, "earlier_prompts",
///      "ablation": {"kind": "zero" | …, "heads": [[layer, head]],
///                   "undo": [{"text", "kind", "heads"}], where there are steps},
///      "thresholds": {type: number}, those that were moved,
///      "selected": [layer, head], "chosen": [[layer, head]], "locked_row": number or null,
///      "notes": [{"head": [layer, head], "text", "bookmarked"}], "view": {key: text}}
Result<void> writeProject(const std::filesystem::path& path, const Project& project);

/// Heads are as the file names them: whether the model has them is for the caller to see. Fails
/// with one sentence for a file of another form or of a later version.
Result<Project> readProject(const std::filesystem::path& path);

/// What tells one state of a file from another; empty: there is no file, or none to be read.
std::string fileStamp(const std::filesystem::path& path);

/// Whether a file of notes, or a project, can hold them so that they can be read again.
Result<void> checkNotes(const HeadNotes& notes);

/// Notes alone, in the form that projects have: {"headscope_notes": 1, "notes": […]}.
Result<void> writeNotes(const std::filesystem::path& path, const HeadNotes& notes);
/// None where there is no file. Unsupported for notes of a later version.
Result<HeadNotes> readNotes(const std::filesystem::path& path);

} // namespace headscope
