#include "core/heads/needles.h"

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/datasets/bundled.h"
#include "core/engine/engine.h"
#include "core/heads/sequences.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kLength = 96;
constexpr std::size_t kShortestNeedle = 10;
constexpr std::size_t kLongestNeedle = 20;
constexpr std::size_t kLeastBetween = 32;
constexpr std::size_t kGiven = 4; ///< tokens of the needle at the end that nothing is read from

/// The bundled stories as one text.
Result<TokenIds> haystackOf(const Model& model) {
    TokenIds ids;
    for (const std::string_view story : documentsOf(storiesText())) {
        const auto encoding = model.tokenizer->encode(story, false);
        if (!encoding)
            return encoding.error();
        ids.insert(ids.end(), encoding->ids.begin(), encoding->ids.end());
    }
    return ids;
}

/// Sentences of a length that fits.
Result<std::vector<TokenIds>> needlesOf(const Model& model) {
    std::vector<TokenIds> needles;
    for (const Sentence& sentence : bundledSentences()) {
        auto encoding = model.tokenizer->encode(" " + sentence.text, false);
        if (!encoding)
            return encoding.error();
        if (encoding->ids.size() >= kShortestNeedle && encoding->ids.size() <= kLongestNeedle)
            needles.push_back(std::move(encoding->ids));
    }
    return needles;
}

/// Puts a needle into `hay`, `depth` tokens from its beginning, and after it.
TokenIds planted(const TokenIds& hay, const TokenIds& needle, std::size_t depth) {
    TokenIds ids = hay;
    ids.insert(ids.begin() + static_cast<std::ptrdiff_t>(depth), needle.begin(), needle.end());
    ids.insert(ids.end(), needle.begin(), needle.end());
    return ids;
}

TokenIds shuffledAt(TokenIds ids, PositionRange range, Random& random) {
    for (std::size_t i = range.end - 1; i > range.begin; --i) // none keeps its place (Sattolo 1986)
        std::swap(ids[i], ids[range.begin + random.below(i - range.begin)]);
    return ids;
}

/// Those positions whose next token is the one with the largest logit.
Result<std::vector<std::size_t>> continued(const std::shared_ptr<const Model>& model,
                                           const TokenIds& ids, std::size_t first,
                                           const std::stop_token& stop) {
    Request request;
    for (std::size_t q = first; q + 1 < ids.size(); ++q)
        request.logit_positions.push_back(q);
    request.keep_attention = false;
    const auto run = runModel(model, ids, request, {}, stop);
    if (!run)
        return run.error();
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < request.logit_positions.size(); ++i) {
        const std::size_t q = request.logit_positions[i];
        const float* const logits = (*run)->logits.matrix().row(i);
        if (std::max_element(logits, logits + model->spec.d_vocab) - logits == ids[q + 1])
            found.push_back(q);
    }
    return found;
}

class Planting {
public:
    Planting(const std::shared_ptr<const Model>& model, std::uint64_t seed, BosMode bos)
        : model_(model), random_(seed), bos_(bos) {}

    Result<void> read() {
        auto haystack = haystackOf(*model_);
        if (!haystack)
            return haystack.error();
        haystack_ = *std::move(haystack);
        auto needles = needlesOf(*model_);
        if (!needles)
            return needles.error();
        needles_ = *std::move(needles);
        const std::size_t room = std::min(kLength, model_->spec.n_ctx) - 1; // one is for BOS
        if (needles_.empty() || room < 2 * kLongestNeedle + kLeastBetween ||
            haystack_.size() <= room)
            return Error{ErrorCode::Unsupported,
                         "A sentence that is looked for in a text needs a context of " +
                             std::to_string(2 * kLongestNeedle + kLeastBetween + 1) +
                             " tokens, and sentences of " + std::to_string(kShortestNeedle) +
                             " to " + std::to_string(kLongestNeedle) +
                             " tokens; this model has none of that."};
        room_ = room;
        return {};
    }

    Result<InputSequence> next(const std::stop_token& stop) {
        const TokenIds& needle = needles_[random_.below(needles_.size())];
        const std::size_t length = room_ - 2 * needle.size();
        const std::size_t from = random_.below(haystack_.size() - length);
        const auto begin = haystack_.begin() + static_cast<std::ptrdiff_t>(from);
        const TokenIds hay(begin, begin + static_cast<std::ptrdiff_t>(length));
        const std::size_t depth = random_.below(length - kLeastBetween + 1);
        auto prompt = promptFromTextIds(*model_, planted(hay, needle, depth), bos_);
        if (!prompt)
            return prompt.error();
        const std::size_t first = depth + (prompt->has_bos ? 1 : 0);
        NeedleTask task{.needle = {first, first + needle.size()}};
        read_ += needle.size() - kGiven;
        auto queries =
            continued(model_, prompt->ids, prompt->ids.size() - needle.size() + kGiven - 1, stop);
        if (!queries)
            return queries.error();
        task.queries = *std::move(queries);
        continued_ += task.queries.size();
        task.shuffled_ids = shuffledAt(prompt->ids, task.needle, random_);
        return InputSequence{.ids = std::move(prompt->ids),
                             .has_bos = prompt->has_bos,
                             .needle = std::make_shared<const NeedleTask>(std::move(task))};
    }

    /// Whether the model does what is read of its heads.
    Result<void> check() const {
        if (2 * continued_ >= read_)
            return {};
        return Error{ErrorCode::Unsupported,
                     model_->name + " goes on rightly with only " + std::to_string(continued_) +
                         " of " + counted(read_, "token") +
                         " of sentences that come earlier in a text, so that its heads cannot be "
                         "told to retrieve them."};
    }

private:
    const std::shared_ptr<const Model>& model_;
    Random random_;
    BosMode bos_;
    TokenIds haystack_;
    std::vector<TokenIds> needles_;
    std::size_t room_ = 0; ///< tokens of a sequence without BOS
    std::size_t read_ = 0;
    std::size_t continued_ = 0;
};

} // namespace

Result<std::vector<InputSequence>> needleSequences(const std::shared_ptr<const Model>& model,
                                                   std::size_t count, std::uint64_t seed,
                                                   BosMode bos, const Progress& progress,
                                                   const std::stop_token& stop) {
    if (!model->spec.predictsNextToken())
        return Error{ErrorCode::Unsupported,
                     model->name + " does not predict the next token, which going on with a "
                                   "sentence asks for."};
    if (!model->tokenizer)
        return noTokenizer(ErrorCode::Unsupported, *model, ", so it cannot read sentences.");
    Planting planting(model, seed, bos);
    if (auto read = planting.read(); !read)
        return read.error();
    std::vector<InputSequence> sequences;
    for (std::size_t i = 0; i < count; ++i) {
        report(progress, static_cast<double>(i) / static_cast<double>(count),
               "sentences that come earlier in a text");
        auto sequence = planting.next(stop);
        if (!sequence)
            return sequence.error();
        if (!sequence->needle->queries.empty())
            sequences.push_back(*std::move(sequence));
    }
    if (auto checked = planting.check(); !checked)
        return checked.error();
    return sequences;
}

std::string needlesText(std::size_t count, std::uint64_t seed) {
    return counted(count, "sentence") + " that come again, seed " + std::to_string(seed);
}

std::vector<std::size_t> nextInNeedle(const InputSequence& sequence, std::size_t q) {
    const NeedleTask& task = *sequence.needle;
    std::vector<std::size_t> keys;
    if (!std::ranges::binary_search(task.queries, q))
        return keys;
    for (std::size_t k = task.needle.begin; k < task.needle.end; ++k)
        if (sequence.ids[k] == sequence.ids[q + 1])
            keys.push_back(k);
    return keys;
}

} // namespace headscope
