#include "app/cli/heads_input.h"

#include "app/cli/common_options.h"
#include "core/datasets/bundled.h"
#include "core/heads/head_type.h"
#include "core/heads/sequences.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headscope::cli {

namespace {

constexpr int kLongestPeriod = 1'000'000;

} // namespace

void addHeadsInput(CLI::App& app, HeadsInput& input) {
    addPromptListOptions(
        app, input.prompts,
        "Score on this prompt; may be repeated. By default each type is scored on what it is "
        "defined by, such as repeated random tokens or the bundled sentences");
    app.add_option("--corpus", input.corpus,
                   "Score on this UTF-8 text file, cut into sequences of --length tokens")
        ->check(CLI::ExistingFile)
        ->excludes("--text")
        ->excludes("--ids");
    app.add_option("--length", input.length,
                   "Length of the sequences of the corpus in tokens, BOS included")
        ->check(CLI::Range(2, kLongestPeriod))
        ->capture_default_str();
    app.add_option("--conllu", input.conllu,
                   "Score on the sentences of this treebank in CoNLL-U: the types of grammar by "
                   "its annotations, all others on its text")
        ->check(CLI::ExistingFile)
        ->excludes("--text")
        ->excludes("--ids")
        ->excludes("--corpus");
    app.add_option("--sequences", input.repeats.sequences, "Number of random sequences")
        ->check(CLI::Range(1, kMostSequences))
        ->capture_default_str();
    app.add_option("--period", input.repeats.period, "Tokens of a sequence before it repeats")
        ->check(CLI::Range(1, kLongestPeriod))
        ->capture_default_str();
    app.add_option("--seed", input.repeats.seed, "Seed of the random tokens")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
}

void addTypesOption(CLI::App& app, std::vector<std::string>& types) {
    std::vector<std::string> keys;
    for (const HeadType& type : headTypes())
        keys.emplace_back(type.key);
    app.add_option("--types", types, "The head types to report; by default all")
        ->delimiter(',')
        ->check(CLI::IsMember(keys));
}

Result<NamedSequences> ownSequences(const Model& model, const HeadsInput& input) {
    const BosMode bos = bosNamed(input.prompts.bos);
    if (!input.corpus.empty())
        return textFileSequences(model, input.corpus, input.length, bos);
    if (!input.conllu.empty())
        return treebankSequences(model, input.conllu, bos);
    const auto given = givenPrompts(input.prompts);
    if (!given)
        return given.error();
    const auto prompts = readPrompts(model, *given, bos);
    if (!prompts)
        return prompts.error();
    return NamedSequences{promptSequences(*prompts), promptsNote(*given)};
}

Result<std::vector<InputSequence>> builtInSequences(const Model& model,
                                                    const RepeatOptions& repeats) {
    auto sequences = repeatedRandomSequences(model, repeats);
    if (!sequences)
        return sequences;
    if (auto sentences = sentenceSequences(model, bundledSentences(), repeats.bos))
        std::ranges::move(*sentences, std::back_inserter(*sequences));
    return sequences;
}

} // namespace headscope::cli
