#pragma once

#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/engine/generate.h"
#include "core/engine/head_mask.h"
#include "core/export/call.h"
#include "core/export/convert_model.h"
#include "core/interventions/ablation_effect.h"
#include "core/model/prompt.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope {

// Calls that give the same numbers again. They fail for heads that are ablated in ways no command
// has a word for.

/// Model card and load report.
Call infoCall(const LoadedModel& loaded);
/// The checks of the program, and of a model where there is one, with stored outputs where given.
Call verifyCall(const std::optional<LoadedModel>& loaded,
                const std::filesystem::path& reference = {});

/// The model as one HDF5 file.
Call convertCall(const LoadedModel& loaded, const std::filesystem::path& path, FloatFormat format);

/// Loss and predictions.
Result<Call> runCall(const LoadedModel& loaded, const Prompt& prompt, const HeadMask& mask);

/// The attention of one head, which the command writes to a file.
Result<Call> patternCall(const LoadedModel& loaded, const Prompt& prompt, const HeadMask& mask,
                         LayerHead head);
/// The same of all heads of these layers; none: of all.
Result<Call> patternsCall(const LoadedModel& loaded, const Prompt& prompt, const HeadMask& mask,
                          std::vector<std::size_t> layers = {});

/// The scores of all heads on what each type is defined by, or on prompts.
Call scoresCall(const LoadedModel& loaded, std::span<const Prompt> prompts = {});

/// What is measured of all labels beyond their pattern, on what their types are defined by.
Call trustCall(const LoadedModel& loaded);

/// What ablating one head does, beside others; without prompts on what its first type is read from.
/// Fails for what no option asks for.
Result<Call> effectCall(const LoadedModel& loaded, const AblationEffectQuestion& question,
                        std::span<const Prompt> prompts);

/// How the model continues a prompt.
Result<Call> generateCall(const LoadedModel& loaded, const Prompt& prompt,
                          const GenerateOptions& options);

} // namespace headscope
