#include "app/cli/ask_command.h"

#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/terminal.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope::cli {

namespace {

/// What the options of a command are read into.
struct AskOptions {
    ModelChoice model;
    PromptOptions prompt;
    PromptListOptions prompts;
    PromptPairOptions pair;
    MetricWords metric;
    AblationOptions ablation;
    std::map<std::string, Given> single; ///< by the keys of parameters
    TableOptions table;
};

/// What an option of this type is read into.
Given emptyOf(ParameterType type) {
    switch (type) {
    case ParameterType::Choices:
    case ParameterType::Texts:
        return std::vector<std::string>();
    case ParameterType::Counts:
        return std::vector<std::uint64_t>();
    case ParameterType::Count:
        return std::uint64_t{0};
    case ParameterType::Position:
        return std::int64_t{0};
    case ParameterType::Number:
        return 0.0;
    case ParameterType::Flag:
        return false;
    default:
        return std::string(); // a token also, whose text or number this is
    }
}

CLI::Option* addOption(CLI::App& app, const std::string& name, const AnalysisParameter& parameter,
                       Given& value) {
    if (bool* const flag = std::get_if<bool>(&value))
        return app.add_flag(name, *flag, parameter.meaning);
    return std::visit(
        [&](auto& read) -> CLI::Option* {
            using Type = std::decay_t<decltype(read)>;
            if constexpr (std::is_same_v<Type, std::vector<GivenPrompt>> ||
                          std::is_same_v<Type, std::vector<GivenToken>>)
                return nullptr; // emptyOf() gives none of these
            else
                return app.add_option(name, read, parameter.meaning);
        },
        value);
}

void addSingle(CLI::App& app, const AnalysisParameter& parameter, AskOptions& options) {
    Given& value = options.single[parameter.key];
    value = parameter.by_default.value_or(emptyOf(parameter.type));
    CLI::Option* const option = addOption(
        app, parameter.is_positional ? parameter.key : optionName(parameter.key), parameter, value);
    if (parameter.type == ParameterType::File)
        option->type_name(kFileType);
    if (!parameter.choices.empty())
        option->check(CLI::IsMember(parameter.choices));
    if (parameter.expected != 0) // all are taken, whatever they look like
        takeTogether(*option, parameter.value_names, parameter.expected);
    else if (std::holds_alternative<std::vector<std::string>>(value) ||
             std::holds_alternative<std::vector<std::uint64_t>>(value))
        option->delimiter(',')->allow_extra_args(false);
    if (parameter.type == ParameterType::Count || parameter.type == ParameterType::Number)
        checkBounds(*option, parameter.least, parameter.most);
    if (parameter.by_default && parameter.type != ParameterType::Flag)
        option->capture_default_str();
    if (!parameter.needs.empty())
        option->needs(app.get_option(optionName(parameter.needs)));
    option->required(parameter.is_required);
}

void addParameter(CLI::App& app, const AnalysisParameter& parameter, AskOptions& options) {
    switch (parameter.type) {
    case ParameterType::Prompt:
        return addPromptOptions(app, options.prompt);
    case ParameterType::Prompts:
        return addPromptListOptions(app, options.prompts, parameter.meaning);
    case ParameterType::PromptPair:
        return addPromptPairOptions(app, options.pair);
    case ParameterType::Metric:
        return addMetricOptions(app, options.metric);
    case ParameterType::Ablation:
        return addAblationOptions(app, options.ablation);
    default:
        return addSingle(app, parameter, options);
    }
}

bool namesIds(const AskOptions& options) {
    return options.prompt.ids.has_value() || options.pair.as_ids;
}

void takeSingle(Asked& asked, const CLI::App& app, const AnalysisParameter& parameter,
                const AskOptions& options) {
    const CLI::Option* const option =
        app.get_option(parameter.is_positional ? parameter.key : optionName(parameter.key));
    const Given& value = options.single.at(parameter.key);
    const std::string* const text = std::get_if<std::string>(&value);
    const bool is_token = parameter.type == ParameterType::Token; // one may have an empty text
    const bool is_empty = !is_token && text != nullptr && text->empty();
    if (!parameter.by_default && (option->count() == 0 || is_empty))
        return; // an empty text says nothing
    if (is_token)
        asked.set(parameter.key,
                  givenTokens({&std::get<std::string>(value), 1}, namesIds(options)));
    else
        asked.set(parameter.key, value);
}

void takeParameter(Asked& asked, const CLI::App& app, const AnalysisParameter& parameter,
                   const AskOptions& options) {
    switch (parameter.type) {
    case ParameterType::Prompt:
        return asked.set("bos", options.prompt.bos);
    case ParameterType::Prompts:
        return asked.set("bos", options.prompts.bos);
    case ParameterType::PromptPair:
        return asked.set("bos", options.pair.bos);
    case ParameterType::Metric:
        return takeMetric(asked, options.metric, namesIds(options));
    case ParameterType::Ablation:
        asked.set("ablate", options.ablation.heads);
        return asked.set("ablation", options.ablation.kind);
    default:
        return takeSingle(asked, app, parameter, options);
    }
}

/// All but the prompts, which rules do not read and which may be in files.
Asked askedOf(const CLI::App& app, const Analysis& analysis, const AskOptions& options) {
    Asked asked;
    for (const AnalysisParameter& parameter : analysis.parameters)
        takeParameter(asked, app, parameter, options);
    return asked;
}

Result<void> addPrompts(Asked& asked, const AnalysisParameter& parameter,
                        const AskOptions& options) {
    const auto add = [&](const char* key, Result<std::vector<GivenPrompt>> given) -> Result<void> {
        if (!given)
            return given.error();
        asked.set(key, *std::move(given));
        return {};
    };
    if (parameter.type == ParameterType::Prompt)
        return add("prompt", givenPrompt(options.prompt));
    if (parameter.type == ParameterType::Prompts)
        return add("prompts", givenPrompts(options.prompts));
    if (parameter.type != ParameterType::PromptPair)
        return {};
    if (auto clean = add("clean", givenPrompt(options.pair.cleanPrompt())); !clean)
        return clean;
    return add("corrupted", givenPrompt(options.pair.corruptedPrompt()));
}

Result<void> runAsked(const CLI::App& app, const Analysis& analysis, const AskOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    Asked asked = askedOf(app, analysis, options);
    for (const AnalysisParameter& parameter : analysis.parameters)
        if (auto added = addPrompts(asked, parameter, options); !added)
            return added;
    const auto answer = [&] {
        const ProgressLine line;
        return answerOf(analysis, {*model, asked, line.progress(), {}});
    }();
    if (!answer)
        return answer.error();
    if (answer->shown.empty())
        return deliverTable(options.table, answer->table);
    return deliverTable(options.table, answer->table, answer->shown);
}

} // namespace

Command askCommand(CLI::App& parent, const Analysis& analysis) {
    const auto options = std::make_shared<AskOptions>();
    CLI::App* app = parent.add_subcommand(analysis.key, analysis.title);
    addModelOption(*app, options->model);
    for (const AnalysisParameter& parameter : analysis.parameters)
        addParameter(*app, parameter, *options);
    addTableOptions(*app, options->table);
    app->final_callback([app, options, &analysis] {
        const Asked asked = askedOf(*app, analysis, *options);
        refuseBroken(analysis.rules, asked);
        checkTableUsage(options->table);
    });
    return {app, [app, options, &analysis] { return runAsked(*app, analysis, *options); }};
}

} // namespace headscope::cli
