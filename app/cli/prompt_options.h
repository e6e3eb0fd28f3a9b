#pragma once

#include "core/ask/asked.h"
#include "core/ask/given.h"
#include "core/base/result.h"
#include "core/model/prompt.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::cli {

/// Exactly one of the sources is set after parsing.
struct PromptOptions {
    std::optional<std::string> text;
    std::optional<std::string> text_pair; ///< the second of two texts; the first is text or a file
    std::optional<std::string> ids;
    std::optional<std::string> text_file;
    std::optional<std::string> prompts; ///< a file of prompts, one per line
    std::string bos = "auto";
};

/// --text, --text-pair, --ids, --text-file and --bos; wrong usage unless exactly one of the first
/// three is given.
void addPromptOptions(CLI::App& app, PromptOptions& options);
/// The same and --prompts, for commands that run any number of prompts.
void addPromptsOptions(CLI::App& app, PromptOptions& options);

/// Any number of prompts, all as texts or all as ids.
struct PromptListOptions {
    std::vector<std::string> texts;
    std::vector<std::string> text_pairs; ///< the second texts, one for each of the texts, or none
    std::vector<std::string> ids;        ///< "1,2,3" each
    std::string bos = "auto";

    bool empty() const { return texts.empty() && ids.empty(); }
};

/// --text, --text-pair and --ids, which may be repeated, and --bos. `help` begins with what is done
/// "on this prompt".
void addPromptListOptions(CLI::App& app, PromptListOptions& options, const std::string& help);

/// Two prompts of which one shows a behaviour and the other does not, both as texts or as ids.
struct PromptPairOptions {
    std::string clean;
    std::string corrupted;
    std::optional<std::string> clean_pair; ///< the second text of each, where it has two
    std::optional<std::string> corrupted_pair;
    bool as_ids = false;
    std::string bos = "auto";

    PromptOptions cleanPrompt() const { return promptOf(clean, clean_pair); }
    PromptOptions corruptedPrompt() const { return promptOf(corrupted, corrupted_pair); }

private:
    PromptOptions promptOf(const std::string& given, const std::optional<std::string>& pair) const;
};

/// --clean and --corrupted, both required, --clean-pair, --corrupted-pair, --as-ids and --bos.
void addPromptPairOptions(CLI::App& app, PromptPairOptions& options);

// The same as an analysis is asked for them; files of prompts are read. They fail for what is no
// list of ids, and where a second text is missing.

/// One.
Result<std::vector<GivenPrompt>> givenPrompt(const PromptOptions& options);
/// In the order given, texts before ids.
Result<std::vector<GivenPrompt>> givenPrompts(const PromptListOptions& options);

/// The text of a file without the line end that editors put after the last line.
Result<std::string> textOfFile(const std::string& path);

/// --bos auto|yes|no
void addBosOption(CLI::App& app, std::string& bos);

/// `read_text` is tokensOfText() where the prompt may be empty.
Result<Prompt> readPrompt(const Model& model, const PromptOptions& options,
                          ReadText read_text = promptFromText);

} // namespace headscope::cli
