#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/terminal.h"
#include "core/engine/generate.h"
#include "core/export/provenance.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <utility>

namespace headscope::cli {

namespace {

struct GenerateCommandOptions {
    ModelChoice model;
    PromptOptions prompt;
    GenerateOptions generate;
    AblationOptions ablation;
    TableOptions table;
};

Result<void> runGenerate(GenerateCommandOptions options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    auto mask = readMask(options.ablation, (*model)->spec);
    if (!mask)
        return mask.error();
    options.generate.mask = *std::move(mask);
    const auto prompt = readPrompt(**model, options.prompt);
    if (!prompt)
        return prompt.error();
    const auto tokens = [&] {
        const ProgressLine line;
        return generate(*model, prompt->ids, options.generate, line.progress());
    }();
    if (!tokens)
        return tokens.error();
    const GenerateOptions& generate_options = options.generate;
    return deliverTable(options.table,
                        generatedTable(**model, *prompt, *tokens, generate_options,
                                       provenanceOf(**model, *prompt, generate_options.mask)));
}

} // namespace

Command generateCommand(CLI::App& parent) {
    const auto options = std::make_shared<GenerateCommandOptions>();
    CLI::App* app = parent.add_subcommand("generate", "Continue a prompt, token by token");
    addModelOption(*app, options->model);
    addPromptOptions(*app, options->prompt);
    app->add_option("--tokens", options->generate.tokens, "How many at most")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app->add_option("--temperature", options->generate.temperature,
                    "Divides the logits before a token is drawn; 0: the most probable token")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app->add_option("--seed", options->generate.seed, "Of the draws")->capture_default_str();
    addAblationOptions(*app, options->ablation);
    addTableOptions(*app, options->table);
    app->final_callback([options] { checkTableUsage(options->table); });
    return {app, [options] { return runGenerate(*options); }};
}

} // namespace headscope::cli
