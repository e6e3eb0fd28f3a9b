#include "app/cli/prompt_options.h"

#include "app/cli/command.h"
#include "app/cli/output_options.h"
#include "core/ask/parameter.h"
#include "core/io/atomic_file.h"

#include <algorithm>

namespace headscope::cli {

namespace {

constexpr std::size_t kLargestTextFile = std::size_t{64} << 20;

constexpr const char* kTextPair =
    "Second text, separated from the first as the tokenizer separates two texts: [CLS] A [SEP] B "
    "[SEP] in BERT, where B is segment 1";

void addSources(CLI::App& app, PromptOptions& options) {
    app.add_option("--text", options.text, "Prompt as text");
    app.add_option("--ids", options.ids,
                   "Prompt as token ids, run as they are: 1,2,3; --bos yes puts BOS before them");
    app.add_option("--text-file", options.text_file,
                   "File that holds the prompt as UTF-8 text; a byte order mark, and a line end "
                   "after the last line, are dropped")
        ->type_name(kFileType);
    app.add_option("--text-pair", options.text_pair, kTextPair)->excludes("--ids");
    addBosOption(app, options.bos);
}

void requireOneSource(CLI::App& app, PromptOptions& options, const std::string& names) {
    app.parse_complete_callback([&app, &options, names] {
        if (!app.get_subcommands().empty())
            return; // which has a prompt of its own, or none
        const int given = int{options.text.has_value()} + int{options.ids.has_value()} +
                          int{options.text_file.has_value()} + int{options.prompts.has_value()};
        if (options.text_pair && !options.text && !options.text_file)
            refuseUsage("--text-pair is the second text; give the first by --text or --text-file.");
        if (given != 1)
            refuseUsage("The prompt must be given by exactly one of " + names + "; found " +
                        std::to_string(given) + ".");
    });
}

} // namespace

Result<std::string> textOfFile(const std::string& path) {
    auto text = readTextFile(path, kLargestTextFile);
    if (text && text->ends_with('\n'))
        text->pop_back();
    if (text && text->ends_with('\r'))
        text->pop_back();
    return text;
}

void addPromptPairOptions(CLI::App& app, PromptPairOptions& options) {
    app.add_option("--clean", options.clean, "The prompt with the behaviour in question")
        ->required();
    app.add_option("--corrupted", options.corrupted,
                   "The same prompt without it, with as many tokens")
        ->required();
    app.add_option("--clean-pair", options.clean_pair, "Second text of the clean prompt");
    app.add_option("--corrupted-pair", options.corrupted_pair,
                   "Second text of the corrupted prompt");
    app.add_flag("--as-ids", options.as_ids, "Prompts and tokens are token ids: 1,2,3")
        ->excludes("--clean-pair")
        ->excludes("--corrupted-pair");
    addBosOption(app, options.bos);
}

PromptOptions PromptPairOptions::promptOf(const std::string& given,
                                          const std::optional<std::string>& pair) const {
    PromptOptions prompt;
    (as_ids ? prompt.ids : prompt.text) = given;
    prompt.text_pair = pair;
    prompt.bos = bos;
    return prompt;
}

Result<std::vector<GivenPrompt>> givenPrompt(const PromptOptions& options) {
    GivenPrompt given;
    if (options.ids) {
        auto ids = parseTokenIds(*options.ids);
        if (!ids)
            return ids.error();
        given.ids = *std::move(ids);
        return std::vector{std::move(given)};
    }
    auto text = options.text ? Result<std::string>(*options.text) : textOfFile(*options.text_file);
    if (!text)
        return text.error();
    given.text = *std::move(text);
    given.pair = options.text_pair;
    return std::vector{std::move(given)};
}

Result<std::vector<GivenPrompt>> givenPrompts(const PromptListOptions& options) {
    const std::size_t pairs = options.text_pairs.size();
    if (pairs != 0 && pairs != options.texts.size())
        return Error{ErrorCode::InvalidArgument,
                     "There must be one --text-pair for each --text; found " +
                         std::to_string(pairs) + " for " + std::to_string(options.texts.size()) +
                         "."};
    std::vector<GivenPrompt> prompts;
    for (std::size_t i = 0; i < options.texts.size(); ++i) {
        GivenPrompt& given = prompts.emplace_back();
        given.text = options.texts[i];
        if (pairs != 0)
            given.pair = options.text_pairs[i];
    }
    for (const std::string& text : options.ids) {
        auto ids = parseTokenIds(text);
        if (!ids)
            return ids.error();
        prompts.emplace_back().ids = *std::move(ids);
    }
    return prompts;
}

void addBosOption(CLI::App& app, std::string& bos) {
    app.add_option("--bos", bos,
                   "Whether the prompt begins with the beginning-of-sequence token: auto (as the "
                   "model uses it), yes or no")
        ->check(CLI::IsMember(bosChoices()))
        ->capture_default_str();
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

void addPromptListOptions(CLI::App& app, PromptListOptions& options, const std::string& help) {
    CLI::Option* const texts =
        app.add_option("--text", options.texts, help)->allow_extra_args(false);
    app.add_option("--text-pair", options.text_pairs,
                   std::string(kTextPair) + "; one for each --text, in their order")
        ->allow_extra_args(false)
        ->needs(texts);
    app.add_option("--ids", options.ids,
                   "The same for a prompt of token ids, run as they are: 1,2,3; --bos yes puts BOS "
                   "before them")
        ->allow_extra_args(false)
        ->excludes(texts);
    addBosOption(app, options.bos);
}

Result<Prompt> readPrompt(const Model& model, const PromptOptions& options, ReadText read_text) {
    const auto given = givenPrompt(options);
    if (!given)
        return given.error();
    return readPrompt(model, given->front(), bosNamed(options.bos), read_text);
}

} // namespace headscope::cli
