#pragma once

#include "core/attribution/head_steps.h"
#include "core/attribution/logit_attribution.h"
#include "core/attribution/logit_lens.h"
#include "core/base/result.h"
#include "core/circuits/composition.h"
#include "core/export/call.h"
#include "core/export/corpus_files.h"
#include "core/heads/examples.h"
#include "core/interventions/activation_patching.h"
#include "core/interventions/path_patching.h"
#include "core/interventions/prompt_set.h"
#include "core/model/prompt.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>

namespace headscope {

// Calls that give the same numbers again. They fail for heads that are ablated in ways no command
// has a word for, and where a question has more to it than a command can ask.

/// What adds to a logit; `question` names its token.
Result<Call> attributionCall(const LoadedModel& loaded, const Prompt& prompt,
                             const PredictionQuestion& question);
Result<Call> lensCall(const LoadedModel& loaded, const Prompt& prompt,
                      const LensQuestion& question);
/// What one head computes for one query.
Result<Call> insideCall(const LoadedModel& loaded, const Prompt& prompt, const HeadMask& mask,
                        const StepsQuestion& question);

/// How similar heads are on repeated random tokens, or on prompts.
Call similarityCall(const LoadedModel& loaded, std::span<const Prompt> prompts, double below);

/// The strongest edges of one kind. `offset` of rotary models.
Call compositionCall(const LoadedModel& loaded, CompositionKind kind, std::size_t edges,
                     std::optional<Offset> offset);
/// The copying scores of all heads.
Call copyingCall(const LoadedModel& loaded);

/// The prompts whose ids the question holds.
struct PatchedPrompts {
    const Prompt& clean;     ///< PatchQuestion::clean, PathQuestion::original
    const Prompt& corrupted; ///< PatchQuestion::corrupted, PathQuestion::other
};
Result<Call> patchCall(const LoadedModel& loaded, const PatchedPrompts& prompts,
                       const PatchQuestion& question);
Result<Call> pathCall(const LoadedModel& loaded, const PatchedPrompts& prompts,
                      const PathQuestion& question);

/// A set of prompts: of a file, or with an empty path the prompts themselves.
Result<Call> promptsCall(const LoadedModel& loaded, const PromptSetResult& set,
                         const std::filesystem::path& file, BosMode bos,
                         const std::optional<HeadReadingChoice>& choice);

/// `effect`: the ablation whose effect on the next token was measured.
Call examplesCall(const LoadedModel& loaded, const ExampleCorpus& corpus, LayerHead head,
                  const ExampleQuestion& question, std::optional<AblationKind> effect);

} // namespace headscope
