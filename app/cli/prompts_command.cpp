#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/terminal.h"
#include "core/base/byte_order_mark.h"
#include "core/base/text.h"
#include "core/export/provenance.h"
#include "core/interventions/prompt_set.h"
#include "core/io/atomic_file.h"

#include <CLI/CLI.hpp>

#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

namespace headscope::cli {

namespace {

struct PromptsOptions {
    ModelChoice model;
    std::string file;
    std::string bos = "auto";
    AblationOptions ablation;
    std::string score; ///< "4.1:induction"
    TableOptions table;
};

Result<std::optional<HeadReadingChoice>> choiceOf(const PromptsOptions& options,
                                                  const ModelSpec& spec) {
    if (options.score.empty())
        return std::optional<HeadReadingChoice>();
    const auto choice = parseHeadReading(options.score, spec);
    if (!choice)
        return choice.error();
    return std::optional(*choice);
}

/// All of standard input.
Result<std::string> readInput(std::size_t limit) {
    std::string text;
    std::array<char, 1 << 16> part{};
    while (std::cin.read(part.data(), part.size()) || std::cin.gcount() > 0) {
        text.append(part.data(), static_cast<std::size_t>(std::cin.gcount()));
        if (text.size() > limit)
            return Error{ErrorCode::TooLarge, "Standard input holds more than " + byteText(limit) +
                                                  "; give a smaller set of prompts."};
    }
    return withoutByteOrderMark(std::move(text), "Standard input");
}

Result<PromptSet> readSet(const Model& model, const PromptsOptions& options) {
    const bool is_input = options.file == "-";
    const auto text = is_input ? readInput(kLargestPromptSetBytes)
                               : readTextFile(options.file, kLargestPromptSetBytes);
    if (!text)
        return text.error();
    const std::string name =
        is_input ? "standard input" : std::filesystem::path(options.file).filename().string();
    return readPromptSet(model, *text, name, bosNamed(options.bos));
}

Result<void> runPrompts(const PromptsOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const ModelSpec& spec = (*model)->spec;
    const auto choice = choiceOf(options, spec);
    if (!choice)
        return choice.error();
    const auto mask = readMask(options.ablation.heads, options.ablation.kind, spec);
    if (!mask)
        return mask.error();
    auto set = readSet(**model, options);
    if (!set)
        return set.error();
    const auto result = [&] {
        const ProgressLine line;
        return runPromptSet(*model, *std::move(set), *mask, line.progress());
    }();
    if (!result)
        return result.error();
    return deliverTable(options.table,
                        promptSetTable(*result, *choice, provenanceOf(**model, {}, *mask)));
}

} // namespace

Command promptsCommand(CLI::App& parent) {
    const auto options = std::make_shared<PromptsOptions>();
    CLI::App* app = parent.add_subcommand(
        "prompts", "Run a set of prompts, whole and with heads ablated, and take their means");
    addModelOption(*app, options->model);
    app->add_option(
           "file", options->file,
           "A text with one prompt per line, - for standard input; a line of JSON holds it under "
           "\"prompt\" or \"text\", a .csv or .tsv in the column of that name; \"text_pair\" is "
           "a second text")
        ->type_name(kFileType)
        ->required();
    addBosOption(*app, options->bos);
    addAblationOptions(*app, options->ablation);
    app->add_option("--score", options->score,
                    "A column with what this head does in each prompt: 4.1:induction");
    addTableOptions(*app, options->table);
    app->final_callback([options] { checkTableUsage(options->table); });
    return {app, [options] { return runPrompts(*options); }};
}

} // namespace headscope::cli
