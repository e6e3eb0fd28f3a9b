#include "core/verify/function/trials.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace headscope {

namespace {

constexpr double kError = 0.05; ///< of all intervals together

double meanOf(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

template <class T>
std::vector<T> picked(const std::vector<T>& all, const std::vector<std::size_t>& places) {
    std::vector<T> some;
    some.reserve(places.size());
    for (const std::size_t place : places)
        some.push_back(all[place]);
    return some;
}

/// Tries one alteration after another.
class Trier {
public:
    Trier(const std::shared_ptr<const Model>& model, const PassageSet& text,
          const TextReading& as_read, std::size_t alterations, const std::stop_token& stop)
        : model_(model), text_(text), as_read_(as_read.losses), stop_(stop),
          error_(kError / static_cast<double>(std::max<std::size_t>(alterations, 1))),
          loss_(meanOf(passageMeans(as_read_, as_read_))) {
        constexpr std::size_t kOneOf = 4;
        constexpr std::size_t kFewest = 6;
        const std::size_t passages = text.passages.size();
        const std::size_t step =
            std::max<std::size_t>(1, std::min<std::size_t>(kOneOf, passages / kFewest));
        for (std::size_t p = 0; p < passages; ++p)
            (p % step == 0 ? first_ : others_).push_back(p);
    }

    double loss() const { return loss_; }

    Result<Trial> tried(std::size_t kind, const Alteration& alteration) const {
        Trial trial;
        trial.kind = kind;
        trial.name = alteration.name;
        const auto changed = altered(model_, alteration);
        std::vector<double> differences;
        bool same = true;
        for (const auto* places : {&first_, &others_}) {
            const auto read = passagesRead(changed, alteration, *places);
            if (!read && read.error().code == ErrorCode::Cancelled)
                return read.error();
            if (!read) {
                trial.outcome = Trial::Failed;
                trial.said = read.error().message;
                return trial;
            }
            const TextLosses before = picked(as_read_, *places);
            const auto after_means = passageMeans(read->losses, before);
            const auto before_means = passageMeans(before, read->losses);
            for (std::size_t p = 0; p < places->size(); ++p)
                differences.push_back(after_means[p] - before_means[p]);
            same = same && read->losses == before;
            trial.difference = pairedMean(differences, error_);
            if (trial.difference.low > 0.0) {
                trial.outcome = Trial::Worse;
                return trial;
            }
        }
        if (trial.difference.high < 0.0 && trial.difference.mean <= -kLeastGain * loss_)
            trial.outcome = Trial::Better;
        else if (same && !alteration.without_effect.empty()) {
            trial.outcome = Trial::NoEffect;
            trial.said = alteration.without_effect;
        }
        return trial;
    }

private:
    Result<TextReading> passagesRead(const std::shared_ptr<const Model>& changed,
                                     const Alteration& alteration,
                                     const std::vector<std::size_t>& places) const {
        std::vector<Passage> passages = picked(text_.passages, places);
        if (alteration.reread)
            for (Passage& passage : passages)
                alteration.reread(passage);
        return readText(changed, passages, {}, stop_);
    }

    const std::shared_ptr<const Model>& model_;
    const PassageSet& text_;
    const TextLosses& as_read_;
    const std::stop_token& stop_;
    double error_;
    double loss_;
    std::vector<std::size_t> first_;
    std::vector<std::size_t> others_;
};

} // namespace

Result<TrialResults> tryAlterations(const std::shared_ptr<const Model>& model,
                                    const PassageSet& text, const TextReading& as_read,
                                    std::vector<AlterationKind> kinds, const Progress& progress,
                                    const std::stop_token& stop) {
    std::size_t all = 0;
    for (const AlterationKind& kind : kinds)
        all += kind.alterations.size();
    const Trier trier(model, text, as_read, all, stop);
    TrialResults results{trier.loss(), std::move(kinds), {}};
    for (std::size_t kind = 0; kind < results.kinds.size(); ++kind)
        for (const Alteration& alteration : results.kinds[kind].alterations) {
            report(progress,
                   static_cast<double>(results.trials.size()) / static_cast<double>(all),
                   alteration.name);
            auto trial = trier.tried(kind, alteration);
            if (!trial)
                return trial.error();
            results.trials.push_back(*std::move(trial));
        }
    return results;
}

TokenIds frequentTargets(const PassageSet& text, std::size_t count) {
    std::map<TokenId, std::size_t> counts;
    for (const Passage& passage : text.passages)
        for (const Target& target : passage.targets)
            ++counts[target.token];
    std::vector<std::pair<TokenId, std::size_t>> sorted(counts.begin(), counts.end());
    std::ranges::stable_sort(sorted, std::greater<>(), &std::pair<TokenId, std::size_t>::second);
    TokenIds frequent;
    for (std::size_t i = 0; i < std::min(count, sorted.size()); ++i)
        frequent.push_back(sorted[i].first);
    return frequent;
}

std::optional<std::pair<TokenId, TokenId>>
likelyExchange(const PassageSet& text, const TextReading& as_read, const TokenIds& compared) {
    const std::size_t n = compared.size();
    // What token b would gain in the places of token a.
    std::vector<double> gains(n * n, 0.0);
    for (std::size_t p = 0; p < text.passages.size(); ++p)
        for (std::size_t t = 0; t < text.passages[p].targets.size(); ++t) {
            const auto at = std::ranges::find(compared, text.passages[p].targets[t].token);
            if (at == compared.end())
                continue;
            const auto a = static_cast<std::size_t>(at - compared.begin());
            const float* const here = &as_read.log_probabilities[p][t * n];
            for (std::size_t b = 0; b < n; ++b)
                gains[a * n + b] += double{here[b]} - double{here[a]};
        }
    double most = 0.0;
    std::optional<std::pair<TokenId, TokenId>> best;
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = a + 1; b < n; ++b)
            if (gains[a * n + b] + gains[b * n + a] > most) {
                most = gains[a * n + b] + gains[b * n + a];
                best = {compared[a], compared[b]};
            }
    return best;
}

} // namespace headscope
