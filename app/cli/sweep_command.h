#pragma once

#include "app/cli/prompt_options.h"
#include "app/cli/work.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/interventions/metric_words.h"
#include "core/interventions/sweep.h"
#include "core/model/model.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace headscope::cli {

struct SweepOptions {
    PromptOptions prompt;
    MetricWords metric;
    std::string method = "exact";
    std::string ablation = "zero";
    std::string heads = "all";
    std::vector<std::string> with;
};

/// --text to --prompts, --method, --ablation, --with, --heads and those of the metric.
void addSweepOptions(CLI::App& app, SweepOptions& options);

/// Refuses options that do not go together. Only for callbacks of CLI11.
void checkSweepUsage(const SweepOptions& options);

/// The question of the options, and where its numbers come from.
struct AskedSweep {
    SweepQuestion question;
    Provenance provenance;
};

/// Fails for prompts that are none of this model, and for a file of prompts with one that is not.
Result<AskedSweep> readSweep(const Model& model, const SweepOptions& options);

/// A sweep, in the steps of core/interventions/sweep.h.
std::unique_ptr<Work> makeSweepWork();

} // namespace headscope::cli
