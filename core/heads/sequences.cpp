#include "core/heads/sequences.h"

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/circuits/copying.h"
#include "core/circuits/folded_weights.h"
#include "core/datasets/bundled.h"
#include "core/datasets/indirect_object.h"
#include "core/datasets/ordinals.h"
#include "core/datasets/token_alignment.h"
#include "core/engine/engine.h"
#include "core/heads/annotation.h"

#include <algorithm>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// Fewer tokens than this make a repeat that chance could fake.
constexpr std::size_t kShortestPeriod = 4;
/// One id in 25 is left out at either end of the frequency range (Olsson et al. 2022 leave out the
/// most and the least common; about 4 %).
constexpr std::size_t kFrequencyCut = 25;

bool isContent(const Model& model, TokenId id) {
    if (id == model.spec.bos_token || id == model.spec.mask_token)
        return false;
    if (!model.tokenizer)
        return true;
    return model.tokenizer->token(id).has_value() && !model.tokenizer->isSpecial(id);
}

/// What the tokens of these sequences are drawn from.
TokenIds drawnFrom(const Model& model, const RepeatOptions& options) {
    return options.drawn_from.empty() ? contentIds(model) : options.drawn_from;
}

bool addsBos(const Model& model, BosMode mode) {
    return mode == BosMode::Yes || (mode == BosMode::Auto && bosRule(model).add);
}

Error cannotProbe(const Model& model, const std::string& reason) {
    return {ErrorCode::Unsupported, "The heads of " + model.name +
                                        " cannot be scored on repeated random tokens: " + reason +
                                        "; score them on a prompt of your own."};
}

/// The longest period up to the one asked for that the context and the vocabulary allow.
Result<std::size_t> fittingPeriod(const Model& model, const RepeatOptions& options,
                                  std::size_t vocabulary) {
    const std::size_t bos = addsBos(model, options.bos) ? 1 : 0;
    const std::size_t shortest = std::min(kShortestPeriod, options.period);
    if (model.spec.n_ctx < bos + 2 * shortest)
        return cannotProbe(model, "its context holds " + std::to_string(model.spec.n_ctx) +
                                      " positions and two copies of " + std::to_string(shortest) +
                                      " tokens need " + std::to_string(bos + 2 * shortest));
    if (vocabulary < shortest)
        return cannotProbe(model, "its vocabulary has " + std::to_string(vocabulary) +
                                      " ordinary tokens and a sequence needs " +
                                      std::to_string(shortest) + " different ones");
    return std::min({options.period, (model.spec.n_ctx - bos) / 2, vocabulary});
}

/// Puts `count` ids drawn without replacement in front (Fisher–Yates, stopped early).
void drawToFront(TokenIds& ids, std::size_t count, Random& random) {
    for (std::size_t i = 0; i < count; ++i)
        std::swap(ids[i], ids[i + random.below(ids.size() - i)]);
}

/// Sequences of `length` of these ids, drawn without replacement, `copies` times over.
Result<std::vector<InputSequence>> drawnSequences(const Model& model, TokenIds vocabulary,
                                                  std::size_t length, std::size_t copies,
                                                  const RepeatOptions& options) {
    Random random(options.seed);
    std::vector<InputSequence> sequences;
    for (std::size_t i = 0; i < options.sequences; ++i) {
        drawToFront(vocabulary, length, random);
        const auto end = vocabulary.begin() + static_cast<std::ptrdiff_t>(length);
        TokenIds drawn;
        for (std::size_t copy = 0; copy < copies; ++copy)
            drawn.insert(drawn.end(), vocabulary.begin(), end);
        auto prompt = promptFromTextIds(model, std::move(drawn), options.bos);
        if (!prompt)
            return prompt.error();
        sequences.push_back({std::move(prompt->ids), prompt->has_bos, std::nullopt});
    }
    return sequences;
}

/// Shorter ones say nothing of where a head looks.
constexpr std::size_t kShortest = 2;

Result<void> checkLength(const Model& model, std::size_t length) {
    if (length < kShortest || length > model.spec.n_ctx)
        return Error{ErrorCode::InvalidArgument,
                     "Sequences of " + std::to_string(length) + " tokens cannot be read; " +
                         model.name + " takes " + std::to_string(kShortest) + " to " +
                         std::to_string(model.spec.n_ctx) + "."};
    return {};
}

/// Cuts the ids of a document.
Result<void> addSequences(const Model& model, std::span<const TokenId> ids, BosMode bos,
                          std::size_t length, std::vector<InputSequence>& sequences) {
    const std::size_t step = length - (addsBos(model, bos) ? 1 : 0);
    for (; !ids.empty(); ids = ids.subspan(std::min(step, ids.size()))) {
        const auto part = ids.first(std::min(step, ids.size()));
        auto prompt = promptFromTextIds(model, TokenIds(part.begin(), part.end()), bos);
        if (!prompt)
            return prompt.error();
        if (prompt->ids.size() >= kShortest || sequences.empty())
            sequences.push_back({std::move(prompt->ids), prompt->has_bos, std::nullopt});
    }
    return {};
}

} // namespace

Result<Prompt> promptFromTextIds(const Model& model, TokenIds ids, BosMode bos) {
    return promptFromIds(model, std::move(ids), addsBos(model, bos) ? BosMode::Yes : BosMode::No);
}

// Vocabularies list their tokens in the order in which they were merged, so the id serves as
// the frequency rank.
TokenIds contentIds(const Model& model) {
    TokenIds ids;
    for (std::size_t i = 0; i < model.spec.d_vocab; ++i)
        if (const auto id = static_cast<TokenId>(i); isContent(model, id))
            ids.push_back(id);
    const auto cut = static_cast<std::ptrdiff_t>(ids.size() / kFrequencyCut);
    return {ids.begin() + cut, ids.end() - cut};
}

Result<std::vector<InputSequence>> repeatedRandomSequences(const Model& model,
                                                           const RepeatOptions& options) {
    if (options.sequences == 0 || options.period == 0)
        return Error{ErrorCode::InvalidArgument,
                     "Random sequences need at least one sequence and one token to repeat."};
    if (auto runnable = checkRunnable(model); !runnable)
        return runnable.error();
    TokenIds vocabulary = drawnFrom(model, options);
    const auto period = fittingPeriod(model, options, vocabulary.size());
    if (!period)
        return period.error();

    auto sequences = drawnSequences(model, std::move(vocabulary), *period, 2, options);
    if (sequences)
        for (InputSequence& sequence : *sequences)
            sequence.period = *period;
    return sequences;
}

Result<std::vector<InputSequence>> distinctRandomSequences(const Model& model,
                                                           const RepeatOptions& options) {
    if (options.sequences == 0)
        return Error{ErrorCode::InvalidArgument, "Random sequences need at least one sequence."};
    if (auto runnable = checkRunnable(model); !runnable)
        return runnable.error();
    TokenIds vocabulary = drawnFrom(model, options);
    const std::size_t bos = addsBos(model, options.bos) ? 1 : 0;
    const std::size_t context = model.spec.n_ctx - std::min(model.spec.n_ctx, bos);
    const std::size_t length = std::min({options.length, context, vocabulary.size()});
    if (length < kShortestPeriod)
        return Error{ErrorCode::Unsupported,
                     "The heads of " + model.name +
                         " cannot be scored on random tokens: a sequence needs " +
                         std::to_string(kShortestPeriod) + " different ones, and " +
                         std::to_string(length) + " fit its context and vocabulary."};
    return drawnSequences(model, std::move(vocabulary), length, 1, options);
}

namespace {

std::string randomText(const RepeatOptions& options, std::size_t tokens, const char* how) {
    return counted(options.sequences, "random sequence") + " of " + counted(tokens, "token") +
           ", " + how + ", seed " + std::to_string(options.seed);
}

} // namespace

std::string repeatsText(const RepeatOptions& options, std::size_t period) {
    return randomText(options, period, "repeated");
}

std::string distinctText(const RepeatOptions& options, std::size_t length) {
    return randomText(options, length, "none twice");
}

Result<std::vector<InputSequence>>
sentenceSequences(const Model& model, std::span<const Sentence> sentences, BosMode bos) {
    if (!model.tokenizer)
        return noTokenizer(ErrorCode::Unsupported, model,
                           ", so that no sentences can be read with it; use repeated random "
                           "tokens.");
    std::vector<InputSequence> sequences;
    std::vector<Annotation> annotations;
    for (const Sentence& sentence : sentences) {
        auto text = probeText(model, sentence, bos);
        if (!text)
            continue;
        sequences.push_back({std::move(text->ids), text->has_bos});
        annotations.push_back({sentence, std::move(text->words), nullptr});
    }
    if (sequences.empty())
        return Error{ErrorCode::Unsupported,
                     "None of the sentences can be read by " + model.name +
                         ": its context or its vocabulary is too small for them."};
    const auto usual = std::make_shared<const UsualPlaces>(usualPlaces(annotations));
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        annotations[i].usual = usual;
        sequences[i].annotation = std::make_shared<const Annotation>(std::move(annotations[i]));
    }
    return sequences;
}

Result<std::vector<InputSequence>> textSequences(const Model& model, std::string_view text,
                                                 BosMode bos, std::size_t length) {
    if (!model.tokenizer)
        return noTokenizer(ErrorCode::Unsupported, model,
                           ", so that no text can be read with it; use repeated random tokens or "
                           "token ids.");
    if (const auto checked = checkLength(model, length); !checked)
        return checked.error();
    std::vector<InputSequence> sequences;
    for (const std::string_view document : documentsOf(text)) {
        const auto encoding = model.tokenizer->encode(document, false);
        if (!encoding)
            return encoding.error();
        if (auto added = addSequences(model, encoding->ids, bos, length, sequences); !added)
            return added.error();
    }
    if (sequences.empty())
        return Error{ErrorCode::InvalidArgument, "The text is empty; give one with words in it."};
    return sequences;
}

std::vector<InputSequence> evenShare(std::vector<InputSequence> sequences,
                                     std::size_t most_tokens) {
    const std::size_t tokens = tokensOf(sequences);
    if (tokens <= most_tokens)
        return sequences;
    // Counted as if all sequences had one length, as all but the last of a document do.
    const std::size_t count = std::max<std::size_t>(1, sequences.size() * most_tokens / tokens);
    std::vector<InputSequence> share;
    share.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        share.push_back(std::move(sequences[i * sequences.size() / count]));
    while (share.size() > 1 && tokensOf(share) > most_tokens)
        share.pop_back();
    return share;
}

std::size_t tokensOf(std::span<const InputSequence> sequences) {
    std::size_t tokens = 0;
    for (const InputSequence& sequence : sequences)
        tokens += sequence.ids.size();
    return tokens;
}

std::string corpusText(const Model& model, const std::string& name,
                       std::span<const InputSequence> sequences) {
    std::string text = name + ", " + counted(tokensOf(sequences), "token") + " in " +
                       counted(sequences.size(), "sequence");
    const auto unknown = model.tokenizer ? model.tokenizer->unknownToken() : std::nullopt;
    std::size_t count = 0;
    if (unknown)
        for (const InputSequence& sequence : sequences)
            count += static_cast<std::size_t>(std::ranges::count(sequence.ids, *unknown));
    return count == 0
               ? text
               : text + ", of which " + std::to_string(count) + " are unknown to the tokenizer";
}

std::vector<InputSequence> promptSequences(std::span<const Prompt> prompts) {
    std::vector<InputSequence> sequences;
    sequences.reserve(prompts.size());
    for (const Prompt& prompt : prompts)
        sequences.push_back({prompt.ids, prompt.has_bos});
    return sequences;
}

namespace {

Result<NameTask> taskOf(const std::shared_ptr<const Model>& model,
                        const IndirectObjectPrompt& prompt, const std::stop_token& stop) {
    const auto ranks = copiedRanks(model, prompt.ids, prompt.io, stop);
    if (!ranks)
        return ranks.error();
    NameTask task{.io = prompt.io,
                  .s1 = prompt.s1,
                  .s2 = prompt.s2,
                  .end = prompt.end,
                  .io_token = prompt.io_token,
                  .s_token = prompt.s_token,
                  .abc_ids = prompt.abc_ids,
                  .copies = PerHead<bool>(ranks->heads()),
                  .negates = PerHead<bool>(ranks->heads())};
    for (const LayerHead head : ranks->heads()) {
        task.copies[head] = (*ranks)[head].written <= kBestLogits;
        task.negates[head] = (*ranks)[head].negated <= kBestLogits;
    }
    return task;
}

/// In how many prompts IO is more probable than S.
Result<std::size_t> solved(const std::shared_ptr<const Model>& model,
                           const std::vector<IndirectObjectPrompt>& prompts,
                           const std::stop_token& stop) {
    std::size_t count = 0;
    for (const IndirectObjectPrompt& prompt : prompts) {
        Request request;
        request.logit_positions = {prompt.end};
        request.keep_attention = false;
        const auto run = runModel(model, prompt.ids, request, {}, stop);
        if (!run)
            return run.error();
        const Tensor& logits = (*run)->logits;
        count += logits(0, static_cast<std::size_t>(prompt.io_token)) >
                         logits(0, static_cast<std::size_t>(prompt.s_token))
                     ? 1
                     : 0;
    }
    return count;
}

} // namespace

Result<std::vector<InputSequence>> nameSequences(const std::shared_ptr<const Model>& model,
                                                 std::size_t count, std::uint64_t seed, BosMode bos,
                                                 const Progress& progress,
                                                 const std::stop_token& stop) {
    if (!model->spec.predictsNextToken() || model->spec.output != OutputHead::Unembed)
        return Error{ErrorCode::Unsupported,
                     model->name + " does not predict the next token, which the indirect-object "
                                   "task asks for."};
    auto prompts = indirectObjectPrompts(*model, count, seed, bos);
    if (!prompts)
        return prompts.error();
    const auto right = solved(model, *prompts, stop);
    if (!right)
        return right.error();
    if (4 * *right < 3 * prompts->size())
        return Error{ErrorCode::Unsupported,
                     model->name + " prefers the right name in only " + std::to_string(*right) +
                         " of " + counted(prompts->size(), "indirect-object prompt") +
                         ", so that its heads cannot be told to do the task."};
    std::vector<InputSequence> sequences;
    sequences.reserve(prompts->size());
    for (IndirectObjectPrompt& prompt : *prompts) {
        report(progress, static_cast<double>(sequences.size()) / static_cast<double>(count),
               "what heads do with names");
        auto task = taskOf(model, prompt, stop);
        if (!task)
            return task.error();
        sequences.push_back({.ids = std::move(prompt.ids),
                             .has_bos = prompt.has_bos,
                             .names = std::make_shared<const NameTask>(*std::move(task))});
    }
    return sequences;
}

namespace {

OrdinalTask taskOf(const OrdinalSeries& series, std::size_t place,
                   const std::shared_ptr<const Tensor>& directions) {
    return {.place = place,
            .has_predecessor = place > 0 && series.hasSuccessor(place - 1),
            .has_second = series.hasSuccessor(place + 1),
            .directions = directions};
}

} // namespace

Result<std::vector<InputSequence>> ordinalSequences(const Model& model, BosMode bos) {
    if (auto direct = checkDirectLogits(model); !direct)
        return direct.error();
    const auto all = ordinalSeries(model);
    if (!all)
        return all.error();
    std::vector<InputSequence> sequences;
    for (const OrdinalSeries& series : *all) {
        const auto directions =
            std::make_shared<const Tensor>(centredUnembedding(model, series.tokens));
        for (std::size_t place = 0; place < series.tokens.size(); ++place) {
            if (!series.hasSuccessor(place))
                continue;
            auto prompt = promptFromTextIds(model, {series.tokens[place]}, bos);
            if (!prompt)
                return prompt.error();
            sequences.push_back({.ids = std::move(prompt->ids),
                                 .has_bos = prompt->has_bos,
                                 .ordinal = std::make_shared<const OrdinalTask>(
                                     taskOf(series, place, directions))});
        }
    }
    return sequences;
}

std::string ordinalsText(std::size_t count) {
    return counted(count, "ordinal");
}

Result<std::vector<InputSequence>> ordinalsInOrder(const Model& model, BosMode bos) {
    constexpr std::size_t kInOrder = 5;
    const auto all = ordinalSeries(model);
    if (!all)
        return all.error();
    std::vector<InputSequence> sequences;
    for (const OrdinalSeries& series : *all) {
        TokenIds run;
        for (std::size_t place = 0; place < series.tokens.size(); ++place) {
            run.push_back(series.tokens[place]);
            if (run.size() == kInOrder) {
                auto prompt = promptFromTextIds(model, std::exchange(run, {}), bos);
                if (!prompt)
                    return prompt.error();
                sequences.push_back({.ids = std::move(prompt->ids), .has_bos = prompt->has_bos});
            } else if (!series.hasSuccessor(place)) {
                run.clear();
            }
        }
    }
    if (sequences.empty())
        return Error{ErrorCode::Unsupported,
                     "No five words of a series that follow one another are one token each."};
    return sequences;
}

} // namespace headscope
