#pragma once

#include "core/base/layer_head.h"
#include "core/engine/head_mask.h"
#include "core/loading/load_model.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <string>

namespace headscope {

/// A model and the options that it was loaded with.
struct LoadedModel {
    const Model& model;
    LoadOptions options;
};

// Lines for a POSIX shell with which headscope-cli gives the same numbers. They name the model
// without its folder, so that they hold wherever the file lies. Masks are of zero or mean.

/// Loss and predictions.
std::string runCommandLine(const LoadedModel& loaded, const Prompt& prompt, const HeadMask& mask);

/// The scores of all heads on what each type is defined by.
std::string scoresCommandLine(const LoadedModel& loaded);
/// The same on a prompt.
std::string promptScoresCommandLine(const LoadedModel& loaded, const Prompt& prompt);

/// The attention of one head, written to a file.
std::string patternCommandLine(const LoadedModel& loaded, const Prompt& prompt,
                               const HeadMask& mask, LayerHead head);

} // namespace headscope
