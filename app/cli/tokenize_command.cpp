#include "app/cli/command.h"
#include "app/cli/model_option.h"
#include "app/cli/prompt_options.h"
#include "app/cli/terminal.h"
#include "app/cli/text_table.h"
#include "core/export/table_files.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace headscope::cli {

namespace {

struct TokenizeOptions {
    ModelChoice model;
    PromptOptions prompt;
    bool json = false;
};

Record promptRecord(const Prompt& prompt) {
    List tokens;
    for (std::size_t i = 0; i < prompt.ids.size(); ++i) {
        Record token{{"id", prompt.ids[i]}, {"piece", prompt.pieces[i]}};
        if (i < prompt.offsets.size())
            token.push_back({"offsets", List{prompt.offsets[i].begin, prompt.offsets[i].end}});
        tokens.push_back(std::move(token));
    }
    return {{"bos_reason", prompt.bos_reason},
            {"has_bos", prompt.has_bos},
            {"tokens", std::move(tokens)}};
}

void printText(const Prompt& prompt) {
    std::vector<Row> rows{{"position", "id", "token"}};
    for (std::size_t i = 0; i < prompt.ids.size(); ++i)
        rows.push_back(
            {std::to_string(i), std::to_string(prompt.ids[i]), displayPiece(prompt.pieces[i])});
    printRows(std::cout, rows);
    std::cout << prompt.ids.size() << " tokens. " << prompt.bos_reason << '\n';
}

Result<void> runTokenize(const TokenizeOptions& options) {
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const auto prompt = readPrompt(**model, options.prompt, tokensOfText);
    if (!prompt)
        return prompt.error();
    if (options.json)
        printData(recordJson(promptRecord(*prompt)));
    else
        printText(*prompt);
    return {};
}

} // namespace

Command tokenizeCommand(CLI::App& parent) {
    const auto options = std::make_shared<TokenizeOptions>();
    CLI::App* app = parent.add_subcommand("tokenize", "Show the tokens of a prompt");
    addModelOption(*app, options->model);
    addPromptOptions(*app, options->prompt);
    app->add_flag("--json", options->json, "Print JSON");
    return {app, [options] { return runTokenize(*options); }};
}

} // namespace headscope::cli
