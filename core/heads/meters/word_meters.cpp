#include "core/heads/meters/word_meters.h"

#include "core/engine/attention.h"
#include "core/heads/meters/target_meters.h"
#include "core/model/model.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope {

namespace {

/// A word that looks, the word it should find, and where it may look.
struct Search {
    TokenSpan from;
    std::size_t target = 0;
    std::size_t usual = 0; ///< the word at the usual distance; as many as there are words: none
    bool ahead = false;
    std::vector<std::size_t> candidates;
};

/// What a head's word-level attention says of every search.
class LinkMeter : public Meter {
public:
    LinkMeter(const ModelSpec& spec, std::shared_ptr<const Annotation> annotation,
              std::vector<Search> searches)
        : annotation_(std::move(annotation)), searches_(std::move(searches)),
          attention_(headIndex(spec),
                     std::vector<double>(searches_.size() * annotation_->words.size(), 0.0)) {}

    void observe(const PatternBlock& block) override {
        std::vector<double>& attention = attention_[block.head];
        const std::size_t words = annotation_->words.size();
        for (std::size_t i = 0; i < searches_.size(); ++i) {
            const PositionRange queries =
                intersection({searches_[i].from.first, searches_[i].from.end}, block.queries);
            for (std::size_t q = queries.begin; q < queries.end; ++q)
                for (const std::size_t word : searches_[i].candidates)
                    attention[i * words + word] += attentionOn(block, q, annotation_->words[word]);
        }
    }

    Measurement measurement() const override {
        const Hits usual = hits([this](std::size_t i) { return searches_[i].usual; });
        const auto rows = static_cast<double>(usual.searches[0]);
        Measurement found{rows, PerHead<Reading>(attention_.heads())};
        for (const LayerHead head : attention_.heads()) {
            const Hits hit = hits([&](std::size_t i) { return largest(attention_[head], i); });
            found.heads[head] = {rows, hit.share(0), usual.share(0), hit.share(1)};
        }
        return found;
    }

private:
    /// Of searches back [0] and ahead [1].
    struct Hits {
        std::size_t searches[2] = {0, 0};
        double found[2] = {0.0, 0.0};

        double share(std::size_t ahead) const {
            return searches[ahead] == 0 ? kUndefinedReading
                                        : found[ahead] / static_cast<double>(searches[ahead]);
        }
    };

    static double attentionOn(const PatternBlock& block, std::size_t query, TokenSpan word) {
        const PositionRange keys = intersection({word.first, word.end}, block.keys);
        const float* const row = block.weights.row(query - block.queries.begin);
        double sum = 0.0;
        for (std::size_t key = keys.begin; key < keys.end; ++key)
            sum += static_cast<double>(row[key - block.keys.begin]);
        return sum;
    }

    /// The candidate with the largest attention; nothing to be found where it is NaN.
    std::size_t largest(const std::vector<double>& attention, std::size_t i) const {
        const std::size_t words = annotation_->words.size();
        std::size_t best = words;
        for (const std::size_t word : searches_[i].candidates) {
            if (std::isnan(attention[i * words + word]))
                return kBroken;
            if (best == words || attention[i * words + word] > attention[i * words + best])
                best = word;
        }
        return best;
    }

    template <class Found>
    Hits hits(const Found& found) const {
        Hits hits;
        for (std::size_t i = 0; i < searches_.size(); ++i) {
            const std::size_t word = found(i);
            const std::size_t ahead = searches_[i].ahead ? 1 : 0;
            hits.searches[ahead] += 1;
            if (word == kBroken)
                hits.found[ahead] = kUndefinedReading;
            else
                hits.found[ahead] += word == searches_[i].target ? 1.0 : 0.0;
        }
        return hits;
    }

    static constexpr std::size_t kBroken = static_cast<std::size_t>(-1);

    std::shared_ptr<const Annotation> annotation_;
    std::vector<Search> searches_;
    PerHead<std::vector<double>> attention_; ///< [search, word]
};

class WordClassMeter : public Meter {
public:
    WordClassMeter(const ModelSpec& spec, std::size_t positions,
                   std::shared_ptr<const Annotation> annotation)
        : annotation_(std::move(annotation)), word_of_(annotation_->wordOfToken(positions)),
          sums_(headIndex(spec)) {}

    void observe(const PatternBlock& block) override {
        Sums& sums = sums_[block.head];
        for (std::size_t q = block.queries.begin; q < block.queries.end; ++q) {
            if (word_of_[q] == annotation_->words.size())
                continue;
            const float* const row = block.weights.row(q - block.queries.begin);
            for (std::size_t k = std::max<std::size_t>(block.keys.begin, 1); k < block.keys.end;
                 ++k)
                add(sums, q, k, static_cast<double>(row[k - block.keys.begin]));
        }
    }

    Measurement measurement() const override {
        const auto rows = static_cast<double>(std::ranges::count_if(
            word_of_, [this](std::size_t word) { return word < annotation_->words.size(); }));
        Measurement found{rows, PerHead<Reading>(sums_.heads())};
        for (const LayerHead head : sums_.heads()) {
            const Sums& sums = sums_[head];
            const bool none = isRoundingOfRows(sums.all, rows, word_of_.size());
            found.heads[head] = {sums.all, none ? 0.0 : sums.same / sums.all,
                                 none ? 0.0 : sums.expected / sums.all, sums.same / rows};
        }
        return found;
    }

private:
    /// Attention on the tokens of other words.
    struct Sums {
        double all = 0.0;
        double same = 0.0;     ///< on words of the query's class
        double expected = 0.0; ///< of `all`, by distance
    };

    void add(Sums& sums, std::size_t q, std::size_t k, double weight) const {
        const std::size_t own = word_of_[q];
        const std::size_t other = word_of_[k];
        if (other == annotation_->words.size() || other == own)
            return;
        const auto& words = annotation_->sentence.words;
        const auto usual = annotation_->usual->same_class.find(q < k ? k - q : q - k);
        sums.all += weight;
        if (words[own].word_class == words[other].word_class)
            sums.same += weight;
        if (usual != annotation_->usual->same_class.end())
            sums.expected += weight * usual->second;
    }

    std::shared_ptr<const Annotation> annotation_;
    std::vector<std::size_t> word_of_; ///< by token
    PerHead<Sums> sums_;
};

/// The words that `from` may look at: those in sight that have tokens, but itself and what stands
/// at position 0.
std::vector<std::size_t> candidatesOf(const Annotation& annotation, std::size_t from, bool causal) {
    std::vector<std::size_t> candidates;
    for (std::size_t word = 0; word < annotation.words.size(); ++word) {
        const TokenSpan span = annotation.words[word];
        if (word != from && !span.empty() && span.first > 0 && (!causal || word < from))
            candidates.push_back(word);
    }
    return candidates;
}

std::vector<Search> searchesOf(const Annotation& annotation, WordLink link, bool causal) {
    const std::size_t words = annotation.words.size();
    const std::size_t apart = annotation.usual->words_apart[static_cast<std::size_t>(link)];
    std::vector<Search> searches;
    const auto search = [&](std::size_t from, std::size_t target, bool ahead) {
        auto candidates = candidatesOf(annotation, from, causal);
        if (annotation.words[from].empty() ||
            std::ranges::find(candidates, target) == candidates.end())
            return;
        const std::size_t usual = ahead          ? std::min(from + apart, words)
                                  : from < apart ? words
                                                 : from - apart;
        searches.push_back({annotation.words[from], target, usual, ahead, std::move(candidates)});
    };
    for (const WordPair pair : linkedWords(annotation.sentence, link)) {
        search(pair.later, pair.earlier, false);
        if (!causal)
            search(pair.earlier, pair.later, true);
    }
    return searches;
}

} // namespace

std::unique_ptr<Meter> linkMeter(const ModelSpec& spec, const InputSequence& sequence,
                                 WordLink link) {
    if (!sequence.annotation)
        return nullptr;
    auto searches = searchesOf(*sequence.annotation, link, spec.causal);
    if (std::ranges::all_of(searches, &Search::ahead))
        return nullptr;
    return std::make_unique<LinkMeter>(spec, sequence.annotation, std::move(searches));
}

std::unique_ptr<Meter> wordClassMeter(const ModelSpec& spec, const InputSequence& sequence) {
    if (!sequence.annotation)
        return nullptr;
    return std::make_unique<WordClassMeter>(spec, sequence.ids.size(), sequence.annotation);
}

namespace {

class NameMeter : public Meter {
public:
    NameMeter(ModelSpec spec, std::size_t positions, std::shared_ptr<const NameTask> task,
              NameLook look)
        : spec_(std::move(spec)), positions_(positions), task_(std::move(task)), look_(look),
          seen_(headIndex(spec_)) {}

    void observe(const PatternBlock& block) override {
        if (!block.queries.contains(look_.query))
            return;
        const float* const row = block.weights.row(look_.query - block.queries.begin);
        const double on_key = block.keys.contains(look_.key)
                                  ? static_cast<double>(row[look_.key - block.keys.begin])
                                  : 0.0;
        seen_[block.head] = {on_key, contentOfRow(row, block.keys)};
    }

    Measurement measurement() const override {
        Measurement found{1.0, PerHead<Reading>(seen_.heads())};
        const double written_by_chance =
            !look_.writes ? 1.0
                          : std::min(1.0, static_cast<double>(kBestLogits) /
                                              static_cast<double>(spec_.d_vocab));
        for (const LayerHead head : seen_.heads()) {
            const auto [on_key, content] = seen_[head];
            const bool counts = !look_.writes || (*look_.writes)[head] || std::isnan(on_key);
            const double share =
                isRoundingOfRows(content, 1.0, positions_) ? 0.0 : on_key / content;
            found.heads[head] = {content, counts ? share : 0.0,
                                 evenShare(head.layer) * written_by_chance, on_key};
        }
        return found;
    }

private:
    /// Attention of the query that is read.
    struct Seen {
        double on_key = 0.0;
        double content = 0.0; ///< on all keys but position 0
    };

    double evenShare(std::size_t layer) const {
        const PositionRange visible = keyMask(spec_, layer).visibleKeys(look_.query, positions_);
        const std::size_t content = visible.size() - (visible.contains(0) ? 1 : 0);
        return visible.contains(look_.key) ? 1.0 / static_cast<double>(content) : 0.0;
    }

    ModelSpec spec_;
    std::size_t positions_;
    std::shared_ptr<const NameTask> task_; ///< which look_ points into
    NameLook look_;
    PerHead<Seen> seen_;
};

} // namespace

std::unique_ptr<Meter> nameMeter(const ModelSpec& spec, const InputSequence& sequence,
                                 NameLook (*look)(const NameTask& task)) {
    if (!sequence.names)
        return nullptr;
    return std::make_unique<NameMeter>(spec, sequence.ids.size(), sequence.names,
                                       look(*sequence.names));
}

} // namespace headscope
