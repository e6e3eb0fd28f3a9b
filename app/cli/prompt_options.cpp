#include "app/cli/prompt_options.h"

#include "app/cli/command.h"
#include "core/export/provenance.h"
#include "core/io/atomic_file.h"

namespace headscope::cli {

namespace {

constexpr std::size_t kLargestTextFile = std::size_t{64} << 20;

/// The text of a file without the line end that editors put behind the last line.
Result<std::string> readText(const std::string& path) {
    auto text = readTextFile(path, kLargestTextFile);
    if (text && text->ends_with('\n'))
        text->pop_back();
    if (text && text->ends_with('\r'))
        text->pop_back();
    return text;
}

void addSources(CLI::App& app, PromptOptions& options) {
    app.add_option("--text", options.text, "Prompt as text");
    app.add_option("--ids", options.ids, "Prompt as token ids: 1,2,3");
    app.add_option("--text-file", options.text_file,
                   "File that holds the prompt as UTF-8 text; a line end after the last line is "
                   "dropped");
    addBosOption(app, options.bos);
}

void requireOneSource(CLI::App& app, PromptOptions& options, const std::string& names) {
    app.parse_complete_callback([&app, &options, names] {
        if (!app.get_subcommands().empty())
            return; // which has a prompt of its own, or none
        const int given = int{options.text.has_value()} + int{options.ids.has_value()} +
                          int{options.text_file.has_value()} + int{options.prompts.has_value()};
        if (given != 1)
            refuseUsage("The prompt must be given by exactly one of " + names + "; found " +
                        std::to_string(given) + ".");
    });
}

} // namespace

void addPromptPairOptions(CLI::App& app, PromptPairOptions& options) {
    app.add_option("--clean", options.clean, "The prompt with the behaviour in question")
        ->required();
    app.add_option("--corrupted", options.corrupted,
                   "The same prompt without it, with as many tokens")
        ->required();
    app.add_flag("--as-ids", options.as_ids, "Prompts and tokens are token ids: 1,2,3");
    addBosOption(app, options.bos);
}

Result<PromptPair> readPromptPair(const Model& model, const PromptPairOptions& options) {
    const auto read = [&](const std::string& given) {
        PromptOptions prompt;
        (options.as_ids ? prompt.ids : prompt.text) = given;
        prompt.bos = options.bos;
        return readPrompt(model, prompt);
    };
    auto clean = read(options.clean);
    if (!clean)
        return clean.error();
    auto corrupted = read(options.corrupted);
    if (!corrupted)
        return corrupted.error();
    return PromptPair{*std::move(clean), *std::move(corrupted)};
}

void addBosOption(CLI::App& app, std::string& bos) {
    app.add_option("--bos", bos,
                   "Whether the prompt begins with the beginning-of-sequence token: auto (as the "
                   "model uses it), yes or no")
        ->check(CLI::IsMember({"auto", "yes", "no"}))
        ->capture_default_str();
}

BosMode bosMode(const std::string& bos) {
    if (bos == "yes")
        return BosMode::Yes;
    return bos == "no" ? BosMode::No : BosMode::Auto;
}

void addPromptOptions(CLI::App& app, PromptOptions& options) {
    addSources(app, options);
    requireOneSource(app, options, "--text, --ids and --text-file");
}

void addPromptsOptions(CLI::App& app, PromptOptions& options) {
    addSources(app, options);
    app.add_option("--prompts", options.prompts,
                   "File with one prompt per line, as the command prompts reads it; values are "
                   "means over them")
        ->check(CLI::ExistingFile);
    requireOneSource(app, options, "--text, --ids, --text-file and --prompts");
}

std::string PromptListOptions::described() const {
    return promptsNote(texts, ids);
}

void addPromptListOptions(CLI::App& app, PromptListOptions& options, const std::string& help) {
    CLI::Option* const texts =
        app.add_option("--text", options.texts, help)->allow_extra_args(false);
    app.add_option("--ids", options.ids, "The same for a prompt of token ids: 1,2,3")
        ->allow_extra_args(false)
        ->excludes(texts);
    addBosOption(app, options.bos);
}

Result<std::vector<Prompt>> readPrompts(const Model& model, const PromptListOptions& options) {
    std::vector<Prompt> prompts;
    for (const std::string& text : options.texts) {
        auto prompt = promptFromText(model, text, bosMode(options.bos));
        if (!prompt)
            return prompt.error();
        prompts.push_back(*std::move(prompt));
    }
    for (const std::string& text : options.ids) {
        auto ids = parseTokenIds(text);
        if (!ids)
            return ids.error();
        auto prompt = promptFromIds(model, *std::move(ids), bosMode(options.bos));
        if (!prompt)
            return prompt.error();
        prompts.push_back(*std::move(prompt));
    }
    return prompts;
}

Result<Prompt> readPrompt(const Model& model, const PromptOptions& options, ReadText read_text) {
    const BosMode bos = bosMode(options.bos);
    if (options.text)
        return read_text(model, *options.text, bos);
    if (options.ids) {
        auto ids = parseTokenIds(*options.ids);
        if (!ids)
            return ids.error();
        return promptFromIds(model, std::move(*ids), bos);
    }
    const auto text = readText(*options.text_file);
    if (!text)
        return text.error();
    return read_text(model, *text, bos);
}

} // namespace headscope::cli
