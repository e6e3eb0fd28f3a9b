#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/terminal.h"
#include "core/export/provenance.h"
#include "core/interventions/question_words.h"
#include "core/interventions/token_table.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace headscope::cli {

namespace {

struct TokensOptions {
    ModelChoice model;
    PromptOptions prompt;
    TokenWords words;
    TableOptions table;
};

bool asksForGradients(const TokenWords& words) {
    return std::ranges::any_of(words.methods, [](const std::string& method) {
        return method == "gradient" || method == "integrated";
    });
}

void checkTokensUsage(const TokensOptions& options) {
    const TokenWords& words = options.words;
    checkMetricUsage(words.metric);
    checkTableUsage(options.table);
    if (words.weight && words.score)
        refuseUsage("Only one of --weight and --score can be given.");
    if ((words.weight || words.score) && namesMetric(words.metric))
        refuseUsage("--weight and --score read attention, not --metric; give one of them.");
    if (words.replace && words.replace_mean)
        refuseUsage("Only one of --replace and --replace-mean can be given.");
    if (words.metric.kind == "kl" && asksForGradients(words))
        refuseUsage("--methods gradient,integrated cannot estimate --metric kl, whose slope is 0.");
}

Result<TokenDependence> measureTokens(const std::shared_ptr<const Model>& model,
                                      const TokenQuestion& question) {
    const ProgressLine line;
    return tokenDependence(model, question, line.progress());
}

Result<void> runTokens(const TokensOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const auto prompt = readPrompt(**model, options.prompt);
    if (!prompt)
        return prompt.error();
    const auto question =
        readTokenQuestion(**model, options.words, prompt->ids, options.prompt.ids.has_value());
    if (!question)
        return question.error();
    const auto result = measureTokens(*model, *question);
    if (!result)
        return result.error();
    const Table table = tokenTable(*result, **model, provenanceOf(**model, *prompt, {}));
    std::vector<Table> shown{table};
    if (result->methods.size() > 1)
        shown.push_back(tokenCorrelationGrid(*result));
    return deliverTable(options.table, table, shown);
}

} // namespace

Command tokensCommand(CLI::App& parent) {
    const auto options = std::make_shared<TokensOptions>();
    CLI::App* app = parent.add_subcommand(
        "tokens", "Which tokens a prediction, or an attention weight, depends on: exactly, and as "
                  "gradients estimate it");
    addModelOption(*app, options->model);
    addPromptOptions(*app, options->prompt);
    addMetricOptions(*app, options->words.metric);
    app->add_option("--weight", options->words.weight,
                    "4.1:14:2: read the attention weight of head 4.1 from position 14 to 2 in "
                    "place of a metric");
    app->add_option("--score", options->words.score, "The same of the score before the softmax");
    app->add_option("--replace", options->words.replace,
                    "The token in place of each; by default the mask token, of models that "
                    "have none the mean embedding");
    app->add_flag("--replace-mean", options->words.replace_mean,
                  "Replace by the mean embedding of the vocabulary");
    std::vector<std::string> names;
    for (const TokenMethod method : tokenMethods())
        names.emplace_back(tokenMethodName(method));
    app->add_option("--methods", options->words.methods,
                    "hide (its key, from all other positions), replace, gradient (gradient × "
                    "input), integrated (integrated gradients); by default all, for kl the first "
                    "two")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(names));
    app->add_option("--steps", options->words.steps, "How many steps gradients are integrated in")
        ->check(CLI::Range(std::size_t{1}, std::size_t{10000}))
        ->capture_default_str();
    addTableOptions(*app, options->table);
    app->final_callback([options] { checkTokensUsage(*options); });
    return {app, [options] { return runTokens(*options); }};
}

} // namespace headscope::cli
