#include "app/cli/command.h"
#include "app/cli/metric_options.h"
#include "app/cli/model_option.h"
#include "app/cli/prompt_options.h"
#include "app/cli/table_options.h"
#include "app/cli/terminal.h"
#include "core/base/text.h"
#include "core/engine/head_mask.h"
#include "core/export/provenance.h"
#include "core/interventions/token_table.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::cli {

namespace {

struct TokensOptions {
    ModelChoice model;
    PromptOptions prompt;
    MetricWords metric;
    std::optional<std::string> weight; ///< "L.H:Q:K"
    std::optional<std::string> score;  ///< likewise
    std::optional<std::string> replace;
    bool replace_mean = false;
    std::vector<std::string> methods;
    std::size_t steps = TokenQuestion{}.steps;
    TableOptions table;
};

const std::map<std::string, TokenMethod>& methodsByName() {
    static const std::map<std::string, TokenMethod> methods = [] {
        std::map<std::string, TokenMethod> by_name;
        for (const TokenMethod method : tokenMethods())
            by_name.emplace(tokenMethodName(method), method);
        return by_name;
    }();
    return methods;
}

bool asksForGradients(const TokensOptions& options) {
    return std::ranges::any_of(options.methods, [](const std::string& method) {
        return method == "gradient" || method == "integrated";
    });
}

bool hasMetric(const MetricWords& metric) {
    return metric.kind != MetricWords{}.kind || !metric.tokens.empty() || metric.target ||
           metric.position;
}

void checkTokensUsage(const TokensOptions& options) {
    checkMetricUsage(options.metric);
    checkTableUsage(options.table);
    if (options.weight && options.score)
        refuseUsage("Only one of --weight and --score can be given.");
    if ((options.weight || options.score) && hasMetric(options.metric))
        refuseUsage("--weight and --score read attention, not --metric; give one of them.");
    if (options.replace && options.replace_mean)
        refuseUsage("Only one of --replace and --replace-mean can be given.");
    if (options.metric.kind == "kl" && asksForGradients(options))
        refuseUsage("--methods gradient,integrated cannot estimate --metric kl, whose slope is 0.");
}

/// "4.1:14:2": head, query, key
Result<AttentionEntry> readEntry(const std::string& text, bool score, const ModelSpec& spec) {
    const std::vector<std::string> parts = split(text, ':');
    const auto query =
        parts.size() == 3 ? parseNumber<std::size_t>(parts[1]) : std::optional<std::size_t>();
    const auto key =
        parts.size() == 3 ? parseNumber<std::size_t>(parts[2]) : std::optional<std::size_t>();
    if (!query || !key)
        return Error{ErrorCode::InvalidArgument,
                     "\"" + text +
                         "\" names no weight; write head, query and key, such as 4.1:14:2."};
    const auto head = parseHead(parts.front(), spec);
    if (!head)
        return head.error();
    return AttentionEntry{*head, *query, *key, score};
}

Result<TokenReading> readReading(const Model& model, const TokensOptions& options,
                                 const Prompt& prompt) {
    if (options.weight || options.score) {
        const auto entry = readEntry(options.weight ? *options.weight : *options.score,
                                     options.score.has_value(), model.spec);
        return entry ? Result<TokenReading>(TokenReading(*entry)) : entry.error();
    }
    auto metric = readMetric(model, options.metric, prompt.ids, options.prompt.ids.has_value());
    return metric ? Result<TokenReading>(TokenReading(*std::move(metric))) : metric.error();
}

/// One of the tokens that prompts are made of, also where the logits are of classes.
Result<TokenId> readReplacement(const Model& model, const std::string& text, bool as_id) {
    if (!as_id)
        return tokenFromText(model, text);
    if (const auto id = parseNumber<TokenId>(text))
        return *id;
    return Error{ErrorCode::InvalidArgument,
                 "\"" + text + "\" is no token id, and the prompt is given by ids."};
}

Result<TokenQuestion> readTokenQuestion(const Model& model, const TokensOptions& options,
                                        const Prompt& prompt) {
    TokenQuestion question;
    question.ids = prompt.ids;
    question.steps = options.steps;
    std::ranges::transform(options.methods, std::back_inserter(question.methods),
                           [](const std::string& name) { return methodsByName().at(name); });
    auto reading = readReading(model, options, prompt);
    if (!reading)
        return reading.error();
    question.reading = *std::move(reading);
    if (options.replace_mean)
        question.baseline = TokenBaseline{};
    if (!options.replace)
        return question;
    const auto token = readReplacement(model, *options.replace, options.prompt.ids.has_value());
    if (!token)
        return token.error();
    question.baseline = TokenBaseline{*token};
    return question;
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
    const auto question = readTokenQuestion(**model, options, *prompt);
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
    addMetricOptions(*app, options->metric);
    app->add_option("--weight", options->weight,
                    "4.1:14:2: read the attention weight of head 4.1 from position 14 to 2 in "
                    "place of a metric");
    app->add_option("--score", options->score, "The same of the score before the softmax");
    app->add_option("--replace", options->replace,
                    "The token that stands in for each; by default the mask token, of models that "
                    "have none the mean embedding");
    app->add_flag("--replace-mean", options->replace_mean,
                  "Replace by the mean embedding of the vocabulary");
    app->add_option("--methods", options->methods,
                    "hide (its key, from all other positions), replace, gradient (gradient × "
                    "input), integrated (integrated gradients); by default all, for kl the first "
                    "two")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(methodsByName()));
    app->add_option("--steps", options->steps, "How many steps gradients are integrated in")
        ->check(CLI::Range(std::size_t{1}, std::size_t{10000}))
        ->capture_default_str();
    addTableOptions(*app, options->table);
    app->final_callback([options] { checkTokensUsage(*options); });
    return {app, [options] { return runTokens(*options); }};
}

} // namespace headscope::cli
