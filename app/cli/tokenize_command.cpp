#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "core/export/provenance.h"
#include "core/model/tables.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace headscope::cli {

namespace {

struct TokenizeOptions {
    ModelChoice model;
    PromptOptions prompt;
    TableOptions table;
};

Result<void> runTokenize(const TokenizeOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const auto prompt = readPrompt(**model, options.prompt, tokensOfText);
    if (!prompt)
        return prompt.error();
    return deliverTable(options.table, promptTable(*prompt, provenanceOf(**model, *prompt, {})));
}

} // namespace

Command tokenizeCommand(CLI::App& parent) {
    const auto options = std::make_shared<TokenizeOptions>();
    CLI::App* app = parent.add_subcommand("tokenize", "Show the tokens of a prompt");
    addModelOption(*app, options->model);
    addPromptOptions(*app, options->prompt);
    addTableOptions(*app, options->table);
    app->final_callback([options] { checkTableUsage(options->table); });
    return {app, [options] { return runTokenize(*options); }};
}

} // namespace headscope::cli
