#pragma once

#include "app/cli/prompt_options.h"
#include "core/base/result.h"
#include "core/export/corpus_files.h"
#include "core/heads/input_sequence.h"
#include "core/heads/score_heads.h"
#include "core/model/model.h"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace headscope::cli {

/// What heads are scored on: at most one of prompts, corpus and conllu, and without them what the
/// program brings along.
struct HeadsInput {
    PromptListOptions prompts;
    std::string corpus;       ///< a text file; empty: none
    std::size_t length = 256; ///< of its sequences, tokens
    std::string conllu;       ///< a CoNLL-U file; empty: none
    RepeatOptions repeats;    ///< of the random sequences; its bos is that of the prompts

    bool isOwn() const { return !prompts.empty() || !corpus.empty() || !conllu.empty(); }
};

/// --text, --ids, --corpus, --length, --conllu, --bos, --sequences, --period and --seed
void addHeadsInput(CLI::App& app, HeadsInput& input);

/// --types: keys of the head types to report
void addTypesOption(CLI::App& app, std::vector<std::string>& types);

/// The user's own.
Result<NamedSequences> ownSequences(const Model& model, const HeadsInput& input);

/// Those that scoreHeads() measures on, all kinds together.
Result<std::vector<InputSequence>> builtInSequences(const Model& model,
                                                    const RepeatOptions& repeats);

} // namespace headscope::cli
