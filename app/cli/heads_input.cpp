#include "app/cli/heads_input.h"

#include "core/datasets/bundled.h"
#include "core/datasets/conllu.h"
#include "core/datasets/documents.h"
#include "core/heads/head_type.h"
#include "core/heads/sequences.h"
#include "core/io/atomic_file.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headscope::cli {

namespace {

constexpr int kMostSequences = 10'000;
constexpr int kLongestPeriod = 1'000'000;

Result<HeadsSequences> promptInput(const Model& model, const HeadsInput& input) {
    const auto prompts = readPrompts(model, input.prompts);
    if (!prompts)
        return prompts.error();
    return HeadsSequences{promptSequences(*prompts), input.prompts.described()};
}

Result<HeadsSequences> corpusInput(const Model& model, const HeadsInput& input) {
    const auto text = readTextFile(input.corpus, kLargestText);
    if (!text)
        return text.error();
    const std::size_t length = std::min(input.length, model.spec.n_ctx);
    auto sequences = textSequences(model, *text, bosMode(input.prompts.bos), length);
    if (!sequences)
        return sequences.error();
    const std::string name = input.corpus + ", " + std::to_string(tokensOf(*sequences)) +
                             " tokens in " + std::to_string(sequences->size()) +
                             " sequences of up to " + std::to_string(length);
    return HeadsSequences{*std::move(sequences), name};
}

Result<HeadsSequences> conlluInput(const Model& model, const HeadsInput& input) {
    const auto content = readTextFile(input.conllu, kLargestConllu);
    if (!content)
        return content.error();
    const auto sentences = readConllu(*content, input.conllu);
    if (!sentences)
        return sentences.error();
    if (sentences->empty())
        return Error{ErrorCode::Malformed,
                     input.conllu + " holds no sentence; give a file in CoNLL-U."};
    auto sequences = sentenceSequences(model, *sentences, bosMode(input.prompts.bos));
    if (!sequences)
        return sequences.error();
    std::string name = input.conllu + ", " + std::to_string(sequences->size());
    if (sequences->size() < sentences->size())
        name += " of its " + std::to_string(sentences->size());
    name += sentences->size() == 1 ? " sentence" : " sentences";
    return HeadsSequences{*std::move(sequences), std::move(name)};
}

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
    app.add_option("--detectors", types) // the former name of --types
        ->delimiter(',')
        ->check(CLI::IsMember(keys))
        ->excludes("--types")
        ->group("");
}

Result<HeadsSequences> ownSequences(const Model& model, const HeadsInput& input) {
    if (!input.prompts.empty())
        return promptInput(model, input);
    return input.corpus.empty() ? conlluInput(model, input) : corpusInput(model, input);
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
