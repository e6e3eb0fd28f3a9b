#include "core/heads/meters/word_meters.h"

#include "core/engine/attention.h"
#include "core/heads/meters/target_meters.h"
#include "core/model/model.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

/// A word that looks, the word it should find, and where it may look.
struct Search {
    TokenSpan from;
    std::size_t target = 0;
    std::size_t usual = 0; ///< the word at the usual distance; as many as there are words: none
    bool ahead = false;
    TokenSpan control; ///< the nearest word of another kind; empty where it looks ahead
    std::vector<std::size_t> candidates;
};

/// A hit counts only if the control puts less than this share of the searching word's attention on
/// the target.
constexpr double kControl = 0.75;

/// What a head's word-level attention says of every search.
class LinkMeter : public Meter {
public:
    LinkMeter(const ModelSpec& spec, std::shared_ptr<const Annotation> annotation,
              std::vector<Search> searches)
        : annotation_(std::move(annotation)), searches_(std::move(searches)),
          attention_(
              headIndex(spec),
              Attention{std::vector<double>(searches_.size() * annotation_->words.size(), 0.0),
                        std::vector<double>(searches_.size(), 0.0)}) {}

    void observe(const PatternBlock& block) override {
        Attention& attention = attention_[block.head];
        const std::size_t words = annotation_->words.size();
        for (std::size_t i = 0; i < searches_.size(); ++i) {
            const Search& search = searches_[i];
            forEachQuery(block, search.from, [&](std::size_t q, double share) {
                for (const std::size_t word : search.candidates)
                    attention.on_words[i * words + word] +=
                        share * attentionOn(block, q, annotation_->words[word]);
            });
            forEachQuery(block, search.control, [&](std::size_t q, double share) {
                attention.of_control[i] +=
                    share * attentionOn(block, q, annotation_->words[search.target]);
            });
        }
    }

    Measurement measurement() const override {
        const Hits usual = hits([this](std::size_t i) { return searches_[i].usual; });
        const auto rows = static_cast<double>(usual.searches[0]);
        Measurement found{rows, PerHead<Reading>(attention_.heads())};
        for (const LayerHead head : attention_.heads()) {
            const Hits hit = hits([&](std::size_t i) { return specific(attention_[head], i); });
            found.heads[head] = {std::min(shown(attention_[head]), rows), hit.share(0),
                                 usual.share(0), hit.share(1)};
        }
        return found;
    }

private:
    struct Attention {
        std::vector<double> on_words;   ///< [search, word], a mean over the tokens that look
        std::vector<double> of_control; ///< [search], of the control on the target
    };

    /// The results of searches back [0] and ahead [1].
    struct Hits {
        std::size_t searches[2] = {0, 0};
        double found[2] = {0.0, 0.0};

        double share(std::size_t ahead) const {
            return searches[ahead] == 0 ? kUndefinedReading
                                        : found[ahead] / static_cast<double>(searches[ahead]);
        }
    };

    /// Calls `work(query, 1 / tokens of the word)` for the tokens of a word that are in the block.
    template <class Work>
    static void forEachQuery(const PatternBlock& block, TokenSpan word, const Work& work) {
        const PositionRange queries = intersection({word.first, word.end}, block.queries);
        for (std::size_t q = queries.begin; q < queries.end; ++q)
            work(q, 1.0 / static_cast<double>(word.end - word.first));
    }

    /// A head's attention on the candidates of all searches back.
    double shown(const Attention& attention) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < searches_.size(); ++i)
            if (!searches_[i].ahead)
                for (const std::size_t word : searches_[i].candidates)
                    sum += attention.on_words[i * annotation_->words.size() + word];
        return std::isnan(sum) ? static_cast<double>(searches_.size()) : sum;
    }

    /// The word that is looked at most; none where the control looks there, too.
    std::size_t specific(const Attention& attention, std::size_t i) const {
        const std::size_t words = annotation_->words.size();
        const std::size_t word = largest(attention.on_words, i);
        if (word == kBroken || word == words || searches_[i].ahead)
            return word;
        return attention.of_control[i] < kControl * attention.on_words[i * words + word] ? word
                                                                                         : words;
    }

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
    PerHead<Attention> attention_;
};

class WordClassMeter : public Meter {
public:
    WordClassMeter(const ModelSpec& spec, const InputSequence& sequence)
        : annotation_(sequence.annotation), ids_(sequence.ids),
          word_of_(annotation_->wordOfToken(ids_.size())), sums_(headIndex(spec)) {
        for (std::size_t q = 0; q < ids_.size(); ++q)
            is_read_.push_back(seesItsClass(q, spec.causal ? q : ids_.size()));
    }

    bool readsAny() const { return std::ranges::find(is_read_, true) != is_read_.end(); }

    void observe(const PatternBlock& block) override {
        Sums& sums = sums_[block.head];
        for (std::size_t q = block.queries.begin; q < block.queries.end; ++q) {
            if (!is_read_[q])
                continue;
            const float* const row = block.weights.row(q - block.queries.begin);
            for (std::size_t k = std::max<std::size_t>(block.keys.begin, 1); k < block.keys.end;
                 ++k)
                add(sums, q, k, static_cast<double>(row[k - block.keys.begin]));
        }
    }

    Measurement measurement() const override {
        const auto rows = static_cast<double>(std::ranges::count(is_read_, true));
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

    /// Whether the query has another word of its class among positions 1 to `end` − 1. If not, even
    /// a perfect head must look elsewhere, and the query is not counted.
    bool seesItsClass(std::size_t q, std::size_t end) const {
        const auto& words = annotation_->sentence.words;
        for (std::size_t k = 1; word_of_[q] < words.size() && k < end; ++k)
            if (isAnother(q, k) && words[word_of_[k]].word_class == words[word_of_[q]].word_class)
                return true;
        return false;
    }

    /// Whether the key is of another word than the query and not the same in another place, which
    /// heads find that look for the same token.
    bool isAnother(std::size_t q, std::size_t k) const {
        const auto& words = annotation_->sentence.words;
        const std::size_t other = word_of_[k];
        return other < words.size() && other != word_of_[q] && ids_[k] != ids_[q] &&
               words[other].form != words[word_of_[q]].form;
    }

    void add(Sums& sums, std::size_t q, std::size_t k, double weight) const {
        if (!isAnother(q, k))
            return;
        const auto& words = annotation_->sentence.words;
        const auto usual = annotation_->usual->same_class.find(q < k ? k - q : q - k);
        sums.all += weight;
        if (words[word_of_[q]].word_class == words[word_of_[k]].word_class)
            sums.same += weight;
        if (usual != annotation_->usual->same_class.end())
            sums.expected += weight * usual->second;
    }

    std::shared_ptr<const Annotation> annotation_;
    TokenIds ids_;
    std::vector<std::size_t> word_of_; ///< by token
    std::vector<bool> is_read_;        ///< by query
    PerHead<Sums> sums_;
};

/// The words that `from` may look at: those in sight that have tokens, but itself and the word at
/// position 0.
std::vector<std::size_t> candidatesOf(const Annotation& annotation, std::size_t from, bool causal) {
    std::vector<std::size_t> candidates;
    for (std::size_t word = 0; word < annotation.words.size(); ++word) {
        const TokenSpan span = annotation.words[word];
        if (word != from && !span.empty() && span.first > 0 && (!causal || word < from))
            candidates.push_back(word);
    }
    return candidates;
}

/// The class for the control: pronouns and names count as nouns, auxiliaries as verbs; every other
/// class is its own.
std::string_view kindOf(const Word& word) {
    const std::string_view word_class = word.word_class;
    if (word_class == "PROPN" || word_class == "PRON")
        return "NOUN";
    return word_class == "AUX" ? "VERB" : word_class;
}

/// The nearest word of another kind that comes after the target and has no such link to it; of two
/// as near the later one. Empty where there is none.
TokenSpan controlOf(const Annotation& annotation, const std::vector<WordPair>& pairs,
                    std::size_t from, std::size_t target) {
    const auto& words = annotation.sentence.words;
    const auto serves = [&](std::size_t word) {
        const bool tied = std::ranges::any_of(
            pairs, [&](WordPair pair) { return pair.later == word && pair.earlier == target; });
        return word > target && word < words.size() && !annotation.words[word].empty() && !tied &&
               kindOf(words[word]) != kindOf(words[from]);
    };
    for (std::size_t apart = 1; apart < words.size(); ++apart)
        for (const std::size_t word : {from + apart, from - std::min(from, apart)})
            if (serves(word))
                return annotation.words[word];
    return {};
}

std::vector<Search> searchesOf(const Annotation& annotation, WordLink link, bool causal) {
    const std::size_t words = annotation.words.size();
    const std::size_t apart = annotation.usual->words_apart[static_cast<std::size_t>(link)];
    std::vector<Search> searches;
    const auto pairs = linkedWords(annotation.sentence, link);
    const auto search = [&](std::size_t from, std::size_t target, bool ahead) {
        auto candidates = candidatesOf(annotation, from, causal);
        const TokenSpan control = ahead ? TokenSpan{} : controlOf(annotation, pairs, from, target);
        if (annotation.words[from].empty() || (!ahead && control.empty()) ||
            std::ranges::find(candidates, target) == candidates.end())
            return;
        const std::size_t usual = ahead          ? std::min(from + apart, words)
                                  : from < apart ? words
                                                 : from - apart;
        searches.push_back(
            {annotation.words[from], target, usual, ahead, control, std::move(candidates)});
    };
    for (const WordPair pair : pairs) {
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
    auto meter = std::make_unique<WordClassMeter>(spec, sequence);
    return meter->readsAny() ? std::move(meter) : nullptr;
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
