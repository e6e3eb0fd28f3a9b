#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/terminal.h"
#include "core/attribution/tables.h"
#include "core/export/provenance.h"
#include "core/interventions/metric_words.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace headscope::cli {

namespace {

constexpr int kMostPredictions = 1000;

struct LensOptions {
    ModelChoice model;
    PromptOptions prompt;
    std::optional<std::string> token;
    std::size_t top = 5;
    AblationOptions ablation;
    TableOptions table;
};

Result<void> runLens(const LensOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const auto prompt = readPrompt(**model, options.prompt);
    if (!prompt)
        return prompt.error();
    auto mask = readMask(options.ablation, (*model)->spec);
    if (!mask)
        return mask.error();
    LensQuestion question{prompt->ids, options.top, std::nullopt, *std::move(mask)};
    if (options.token) {
        const auto token = readToken(**model, *options.token, options.prompt.ids.has_value());
        if (!token)
            return token.error();
        question.token = *token;
    }
    const auto lens = [&] {
        const ProgressLine line;
        return readLogitLens(*model, question, {}, line.progress());
    }();
    if (!lens)
        return lens.error();
    const Provenance provenance = provenanceOf(**model, *prompt, question.ablated);
    const Table grid = lensGrid(*lens, **model, provenance);
    return deliverTable(options.table, lensTable(*lens, **model, provenance), {&grid, 1});
}

} // namespace

Command lensCommand(CLI::App& parent) {
    const auto options = std::make_shared<LensOptions>();
    CLI::App* app = parent.add_subcommand(
        "lens", "Logit lens: what the residual stream predicts after each layer");
    addModelOption(*app, options->model);
    addPromptOptions(*app, options->prompt);
    app->add_option("--token", options->token, "Show probability and rank of this token");
    app->add_option("--top", options->top, "How many of the most probable tokens CSV and JSON hold")
        ->check(CLI::Range(1, kMostPredictions))
        ->capture_default_str();
    addAblationOptions(*app, options->ablation);
    addTableOptions(*app, options->table);
    app->final_callback([options] { checkTableUsage(options->table); });
    return {app, [options] { return runLens(*options); }};
}

} // namespace headscope::cli
