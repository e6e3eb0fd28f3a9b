#include "core/trust/input/other_input.h"

#include "core/base/text.h"
#include "core/datasets/bundled.h"
#include "core/heads/needles.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kSets = 5;
constexpr std::size_t kSeeds = 3;
constexpr std::size_t kUsualTokens = 50;
constexpr std::array<std::size_t, 3> kTokens{20, kUsualTokens, 125};

/// How random sequences of one kind are made.
struct RandomKind {
    Result<std::vector<InputSequence>> (*make)(const Model& model, const RepeatOptions& options);
    std::size_t RepeatOptions::*tokens;
    std::string_view noun;
};
constexpr RandomKind kRepeats{repeatedRandomSequences, &RepeatOptions::period, "repeats"};
constexpr RandomKind kDistinct{distinctRandomSequences, &RepeatOptions::length, "sequences"};

/// Adds these sequences and says where they are.
OtherInput::Part addPart(OtherInput& input, std::string name,
                         std::vector<InputSequence> sequences) {
    OtherInput::Part part{std::move(name), {}};
    for (InputSequence& sequence : sequences) {
        part.sequences.push_back(input.sequences.size());
        input.sequences.push_back(std::move(sequence));
    }
    return part;
}

std::size_t tokensDrawn(const InputSequence& sequence) {
    return sequence.period.value_or(sequence.ids.size() - sequence.firstContent());
}

/// Those ids that are tokens of the text, ascending.
TokenIds amongTokensOf(const Model& model, std::string_view text, const TokenIds& ids) {
    std::set<TokenId> found;
    for (const std::string_view document : documentsOf(text))
        if (const auto encoding = model.tokenizer->encode(document, false))
            found.insert(encoding->ids.begin(), encoding->ids.end());
    TokenIds both;
    std::ranges::set_intersection(ids, found, std::back_inserter(both));
    return both;
}

struct Vocabulary {
    std::string name;
    TokenIds ids;
};

std::vector<Vocabulary> vocabularies(const Model& model, const std::string& text) {
    const TokenIds all = contentIds(model);
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::vector<Vocabulary> found{
        {"tokens of the lower half of the vocabulary", {all.begin(), middle}},
        {"tokens of the upper half of the vocabulary", {middle, all.end()}}};
    if (model.tokenizer)
        found.push_back(
            {"tokens of a bundled text", amongTokensOf(model, bundledStylesText(), all)});
    if (model.tokenizer && !text.empty())
        found.push_back({"tokens of your text", amongTokensOf(model, text, all)});
    return found;
}

void addVocabularies(const Model& model, const RandomKind& kind, RepeatOptions options,
                     const std::string& text, OtherInput& input) {
    options.*kind.tokens = kUsualTokens;
    if (!text.empty() && !model.tokenizer)
        input.notes.emplace_back("Not read on your text: this model has no tokenizer.");
    for (Vocabulary& vocabulary : vocabularies(model, text)) {
        if (vocabulary.ids.empty())
            continue;
        options.drawn_from = std::move(vocabulary.ids);
        auto sequences = kind.make(model, options);
        if (sequences)
            input.sets.push_back(addPart(input, vocabulary.name, *std::move(sequences)));
        else
            input.notes.push_back("Not read on " + vocabulary.name + ": " +
                                  sequences.error().message);
    }
}

/// Three seeds of each length that the context holds; the shortest and the longest are sets, too.
Result<void> addLengths(const Model& model, const RandomKind& kind, const RepeatOptions& given,
                        OtherInput& input) {
    std::set<std::size_t> lengths;
    for (const std::size_t asked : kTokens) {
        RepeatOptions options = given;
        options.*kind.tokens = asked;
        for (std::size_t seed = 0; seed < kSeeds; ++seed, ++options.seed) {
            auto sequences = kind.make(model, options);
            if (!sequences)
                return sequences.error();
            const std::size_t tokens = tokensDrawn(sequences->front());
            if (seed == 0 && !lengths.insert(tokens).second)
                break; // the context has cut a longer one to the same
            OtherInput::Part part =
                addPart(input, std::string(kind.noun) + " of " + counted(tokens, "token"),
                        *std::move(sequences));
            if (seed == 0 && tokens != kUsualTokens)
                input.sets.push_back(part);
            input.drawn.push_back(std::move(part));
        }
    }
    return {};
}

Result<OtherInput> randomInput(const Model& model, const RandomKind& kind, RepeatOptions options,
                               const std::string& text) {
    ++options.seed; // other tokens than the labels were read from
    OtherInput input;
    addVocabularies(model, kind, options, text, input);
    if (auto added = addLengths(model, kind, options, input); !added)
        return added.error();
    return input;
}

/// All sequences as one part to be resampled, and five that `set_of` deals them to by their place.
template <class SetOf, class NameOf>
OtherInput dealt(std::vector<InputSequence> sequences, SetOf set_of, NameOf name_of) {
    OtherInput input;
    input.drawn.push_back(addPart(input, "all", std::move(sequences)));
    for (std::size_t set = 0; set < kSets; ++set)
        input.sets.push_back({name_of(set), {}});
    for (const std::size_t place : input.drawn.front().sequences)
        input.sets[set_of(place)].sequences.push_back(place);
    return input;
}

OtherInput dealtInOrder(std::vector<InputSequence> sequences, const std::string& noun) {
    const std::size_t count = sequences.size();
    return dealt(
        std::move(sequences), [count](std::size_t place) { return place * kSets / count; },
        [count, &noun](std::size_t set) {
            const auto first = [count](std::size_t of) { return (of * count + kSets - 1) / kSets; };
            return noun + " " + std::to_string(first(set) + 1) + " to " +
                   std::to_string(first(set + 1));
        });
}

Result<OtherInput> sentenceInput(const Model& model, const RepeatOptions& options,
                                 const std::string& text) {
    auto sentences = sentenceSequences(model, bundledSentences(), options.bos);
    if (!sentences)
        return randomInput(model, kRepeats, options, text);
    return dealtInOrder(*std::move(sentences), "bundled sentences");
}

Result<OtherInput> needleInput(const std::shared_ptr<const Model>& model,
                               const RepeatOptions& options, const Progress& progress,
                               const std::stop_token& stop) {
    auto needles = needleSequences(model, 4 * kSets, options.seed + 1, options.bos, progress, stop);
    if (!needles)
        return needles.error();
    return dealtInOrder(*std::move(needles), "sentences that come again,");
}

Result<OtherInput> ordinalInput(const Model& model, BosMode bos) {
    auto ordinals = ordinalSequences(model, bos);
    if (!ordinals)
        return ordinals.error();
    return dealtInOrder(*std::move(ordinals), "ordinals");
}

/// indirectObjectPrompts() takes eight templates in turn, each twice.
Result<OtherInput> nameInput(const std::shared_ptr<const Model>& model,
                             const RepeatOptions& options, const Progress& progress,
                             const std::stop_token& stop) {
    constexpr std::size_t kTemplates = 8;
    constexpr std::size_t kPrompts = 8 * kTemplates;
    auto names = nameSequences(model, kPrompts, options.seed + 1, options.bos, progress, stop);
    if (!names)
        return names.error();
    return dealt(
        *std::move(names), [](std::size_t place) { return place / 2 % kTemplates % kSets; },
        [](std::size_t set) {
            const std::string first = std::to_string(set + 1);
            return set + kSets < kTemplates
                       ? "prompts of templates " + first + " and " + std::to_string(set + kSets + 1)
                       : "prompts of template " + first;
        });
}

} // namespace

Result<OtherInput> otherInput(const std::shared_ptr<const Model>& model, InputKind kind,
                              const RepeatOptions& options, const std::string& text,
                              const Progress& progress, const std::stop_token& stop) {
    if (kind == InputKind::Sentences)
        return sentenceInput(*model, options, text);
    if (kind == InputKind::Names)
        return nameInput(model, options, progress, stop);
    if (kind == InputKind::Needles)
        return needleInput(model, options, progress, stop);
    if (kind == InputKind::Ordinals)
        return ordinalInput(*model, options.bos);
    return randomInput(*model, kind == InputKind::Distinct ? kDistinct : kRepeats, options, text);
}

} // namespace headscope
