#include "core/heads/annotation.h"
#include "core/heads/meters/target_meters.h"
#include "core/heads/meters/word_meters.h"
#include "core/heads/needles.h"
#include "core/heads/types/registry.h"

#include <optional>

namespace headscope {

namespace {

std::vector<std::size_t> tokensOfMarks(const Annotation& annotation) {
    std::vector<std::size_t> tokens;
    for (std::size_t word = 0; word < annotation.words.size(); ++word)
        if (annotation.sentence.words[word].word_class == "PUNCT")
            for (std::size_t k = annotation.words[word].first; k < annotation.words[word].end; ++k)
                if (k > 0)
                    tokens.push_back(k);
    return tokens;
}

std::vector<std::size_t> marksInSight(const std::vector<std::size_t>& marks, std::size_t q,
                                      bool causal) {
    std::vector<std::size_t> keys;
    for (const std::size_t mark : marks)
        if (mark != q && (mark < q || !causal))
            keys.push_back(mark);
    return keys;
}

Targets allMarks(const ModelSpec& spec, const InputSequence& sequence) {
    if (!sequence.annotation)
        return nullptr;
    return [marks = tokensOfMarks(*sequence.annotation), causal = spec.causal](
               const InputSequence&, std::size_t q) { return marksInSight(marks, q, causal); };
}

/// A head that looks at the first tokens would find an earlier mark.
constexpr std::size_t kFirstTokens = 8;

/// The first query that separates the opening mark from other marks: the next mark inside the
/// quotation, if a mark also came before it. Nothing otherwise.
std::optional<std::size_t> firstTellingQuery(const Annotation& annotation, Quotation quotation) {
    const auto isMark = [&](std::size_t word) {
        return annotation.sentence.words[word].word_class == "PUNCT" &&
               !annotation.words[word].empty();
    };
    bool is_after_another = false;
    for (std::size_t word = 0; word < quotation.open; ++word)
        is_after_another = is_after_another || isMark(word);
    for (std::size_t word = quotation.open + 1; is_after_another && word < quotation.close; ++word)
        if (isMark(word))
            return annotation.words[word].first;
    return std::nullopt;
}

std::vector<std::size_t> openingMark(const InputSequence& sequence, std::size_t q) {
    const Annotation& annotation = *sequence.annotation;
    for (const Quotation quotation : annotation.sentence.quotations) {
        const TokenSpan open = annotation.words[quotation.open];
        const TokenSpan close = annotation.words[quotation.close];
        const auto first = firstTellingQuery(annotation, quotation);
        if (!open.empty() && open.first > kFirstTokens && first && q >= *first && q < close.end)
            return {open.end - 1};
    }
    return {};
}

/// The number of the word that a token is in; none of no word, and of one at position 0, where
/// heads rest.
std::optional<std::size_t> wordAt(const Annotation& annotation, std::size_t q) {
    for (std::size_t word = 0; word < annotation.words.size(); ++word) {
        const TokenSpan span = annotation.words[word];
        if (span.first > 0 && span.first <= q && q < span.end)
            return word;
    }
    return std::nullopt;
}

std::vector<std::size_t> tokensBetween(std::size_t first, std::size_t end) {
    std::vector<std::size_t> tokens;
    for (std::size_t k = first; k < end; ++k)
        tokens.push_back(k);
    return tokens;
}

std::vector<std::size_t> earlierInItsWord(const InputSequence& sequence, std::size_t q) {
    const auto word = wordAt(*sequence.annotation, q);
    return word ? tokensBetween(sequence.annotation->words[*word].first, q)
                : std::vector<std::size_t>{};
}

/// For a token that begins a word, the word before it; else nothing.
std::vector<std::size_t> theWordBefore(const InputSequence& sequence, std::size_t q) {
    const auto& words = sequence.annotation->words;
    const auto word = wordAt(*sequence.annotation, q);
    const auto before = q > 0 ? wordAt(*sequence.annotation, q - 1) : std::nullopt;
    return word && before && before != word ? tokensBetween(words[*before].first, q)
                                            : std::vector<std::size_t>{};
}

template <auto Keys>
std::unique_ptr<Meter> inWords(const std::shared_ptr<const Model>& model,
                               const InputSequence& sequence) {
    return sequence.annotation ? targetMeter(model->spec, sequence, Keys) : nullptr;
}

// What the types of two linked words have in common.
constexpr const char* kLinkFormula =
    "share of pairs where argmax over earlier words of A[later word, ·] is the other word (Clark "
    "et al. 2019), and the nearest word of another kind looks there less than ¾ as much (ours)";
constexpr const char* kLinkVariant = "where the earlier word looks at the later one (encoders)";

constexpr Control kInRandomOrder{.what = "with the tokens in random order",
                                 .input = ControlInput::Shuffled};

template <WordLink Link>
std::unique_ptr<Meter> meterOf(const std::shared_ptr<const Model>& model,
                               const InputSequence& sequence) {
    return linkMeter(model->spec, sequence, Link);
}

} // namespace

constinit const HeadType kSubjectVerbType{
    .id = HeadTypeId::SubjectVerb,
    .group = TypeGroup::Words,
    .input = InputKind::Sentences,
    .key = "subject-verb",
    .name = "Subject–verb",
    .letter = 'V',
    .summary = "Ties a verb and its subject together.",
    .formula = kLinkFormula,
    .variant = kLinkVariant,
    .threshold = 0.6,
    .meter = meterOf<WordLink::SubjectVerb>,
    .control = kInRandomOrder,
};

constinit const HeadType kVerbObjectType{
    .id = HeadTypeId::VerbObject,
    .group = TypeGroup::Words,
    .input = InputKind::Sentences,
    .key = "verb-object",
    .name = "Verb–object",
    .letter = 'B',
    .summary = "Ties a verb and its object together.",
    .formula = kLinkFormula,
    .variant = kLinkVariant,
    .threshold = 0.6,
    .meter = meterOf<WordLink::VerbObject>,
    .control = kInRandomOrder,
};

constinit const HeadType kAdverbType{
    .id = HeadTypeId::Adverb,
    .group = TypeGroup::Words,
    .input = InputKind::Sentences,
    .key = "adverb",
    .name = "Adverb",
    .letter = 'M',
    .summary = "Ties an adverb and what it modifies together.",
    .formula = kLinkFormula,
    .variant = kLinkVariant,
    .threshold = 0.75,
    .meter = meterOf<WordLink::AdverbPhrase>,
    .control = kInRandomOrder,
};

constinit const HeadType kCoreferenceType{
    .id = HeadTypeId::Coreference,
    .group = TypeGroup::Words,
    .input = InputKind::Sentences,
    .key = "coreference",
    .name = "Coreference",
    .letter = 'E',
    .summary = "Looks from a mention back at the one before of the same person or thing.",
    .formula = kLinkFormula,
    .variant = kLinkVariant,
    .threshold = 0.4,
    .meter = meterOf<WordLink::Coreference>,
    .control = kInRandomOrder,
};

constinit const HeadType kWordClassType{
    .id = HeadTypeId::WordClass,
    .group = TypeGroup::Words,
    .input = InputKind::Sentences,
    .key = "word-class",
    .name = "Word class",
    .letter = 'W',
    .summary = "Looks at words of the class of its own: nouns at nouns, verbs at verbs.",
    .formula = "Σ A on earlier words of the same class, of Σ A on earlier words but the same one, "
               "over q that see one; baseline: by the head’s own distances (ours)",
    .variant = "of all attention",
    .threshold = 0.5,
    .meter = [](const std::shared_ptr<const Model>& model,
                const InputSequence& sequence) { return wordClassMeter(model->spec, sequence); },
    .control = kInRandomOrder,
};

constinit const HeadType kPunctuationType{
    .id = HeadTypeId::Punctuation,
    .group = TypeGroup::Words,
    .input = InputKind::Sentences,
    .key = "punctuation",
    .name = "Punctuation",
    .letter = 'U',
    .summary = "Looks at commas, full stops and other marks.",
    .formula = "Σ A[q, punctuation], k ≥ 1, of Σ A[q, k ≥ 1] (ours)",
    .variant = "with the first position",
    .threshold = 0.5,
    .meter = [](const std::shared_ptr<const Model>& model,
                const InputSequence& sequence) -> std::unique_ptr<Meter> {
        if (!sequence.annotation)
            return nullptr;
        return targetMeter(model->spec, sequence, allMarks(model->spec, sequence),
                           TargetShare::OfContent);
    },
    .targets = allMarks,
    .control = kInRandomOrder,
};

constinit const HeadType kQuotationType{
    .id = HeadTypeId::Quotation,
    .group = TypeGroup::Words,
    .input = InputKind::Sentences,
    .key = "quotation",
    .name = "Quotation",
    .letter = 'Q',
    .summary = "Looks from inside a quotation at its opening mark.",
    .formula = "Σ A[q, opening mark] of Σ A[q, k ≥ 1], q from the next mark after it up to the "
               "closing one; quotations that open after 8 tokens and another mark (ours)",
    .variant = "with the first position",
    .threshold = 0.4,
    .meter = [](const std::shared_ptr<const Model>& model,
                const InputSequence& sequence) -> std::unique_ptr<Meter> {
        if (!sequence.annotation)
            return nullptr;
        return targetMeter(model->spec, sequence, openingMark, TargetShare::OfContent);
    },
    .targets = [](const ModelSpec&, const InputSequence& sequence) -> Targets {
        if (!sequence.annotation)
            return nullptr;
        return openingMark;
    },
    .control = kInRandomOrder,
};

constinit const HeadType kSubwordType{
    .id = HeadTypeId::Subword,
    .group = TypeGroup::Words,
    .input = InputKind::Sentences,
    .key = "subword",
    .name = "Subword",
    .letter = 'T',
    .summary = "Looks from a later piece of a word at its earlier ones, which makes pieces into "
               "words.",
    .formula = "mean over q from the second token of a word on of Σ A[q, earlier tokens of that "
               "word] (ours; what they pass on: Busigin and Pinter 2026)",
    .variant = "from row 2 on (row 1 sees two keys only, where types coincide)",
    .threshold = 0.4,
    .meter = inWords<earlierInItsWord>,
    .control = Control{.what = "from the beginning of a word, on the word before",
                       .input = ControlInput::Same,
                       .meter = inWords<theWordBefore>,
                       .least_above = 0.2}, // which heads for the token before do not reach
};

constinit const HeadType kRetrievalType{
    .id = HeadTypeId::Retrieval,
    .group = TypeGroup::Words,
    .input = InputKind::Needles,
    .key = "retrieval",
    .name = "Retrieval",
    .letter = 'r',
    .summary = "Looks, more than at all else, at the token of an earlier sentence that the model "
               "is about to repeat.",
    .formula = "share of the tokens of a sentence that the model repeats for which argmax A[q, ·] "
               "is the same token in that sentence, over 32 tokens before (Wu et al. 2024, who let "
               "the model write; here it is given what it would repeat)",
    .variant = "without the first position",
    .threshold = 0.4, // ours; Wu et al. count heads from 0.1 on
    .meter = [](const std::shared_ptr<const Model>& model,
                const InputSequence& sequence) -> std::unique_ptr<Meter> {
        if (!sequence.needle)
            return nullptr;
        return argmaxMeter(model->spec, sequence, nextInNeedle, ArgmaxOver::All);
    },
    .control = Control{.what = "with that sentence in random order where it comes first",
                       .input = ControlInput::ShuffledNeedle},
};

} // namespace headscope
