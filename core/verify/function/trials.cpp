#include "core/verify/function/trials.h"

#include "core/heads/mean_interval.h"

#include <algorithm>
#include <functional>
#include <map>

namespace headscope {

namespace {

constexpr double kError = 0.05; ///< of all intervals together

/// Tries one alteration after another.
class Trier {
public:
    Trier(const std::shared_ptr<const Model>& model, const std::vector<ReadPassages>& texts,
          std::size_t alterations, double ceiling, const std::stop_token& stop)
        : model_(model), texts_(texts), stop_(stop),
          error_(kError / static_cast<double>(std::max<std::size_t>(alterations, 1))),
          loss_(meanOf(passageMeans(texts.back().losses, texts.back().losses))), ceiling_(ceiling) {
    }

    Result<Trial> tried(std::size_t kind, const Alteration& alteration) const {
        Trial trial;
        trial.kind = kind;
        trial.name = alteration.name;
        const auto changed = altered(model_, alteration);
        bool same = false;
        for (const ReadPassages& text : texts_) {
            const auto after = lossesOf(changed, alteration, text.passages);
            if (!after && after.error().code == ErrorCode::Cancelled)
                return after.error();
            if (!after) {
                trial.outcome = Trial::Failed;
                trial.said = after.error().message;
                return trial;
            }
            same = *after == text.losses;
            trial.difference = differenceOf(text.losses, *after);
            if (isWorse(trial.difference)) {
                trial.outcome = Trial::Worse;
                return trial;
            }
        }
        if (isBetter(trial.difference))
            trial.outcome = Trial::Better;
        else if (same && !alteration.without_effect.empty()) {
            trial.outcome = Trial::NoEffect;
            trial.said = alteration.without_effect;
        }
        return trial;
    }

private:
    bool isWorse(const PairedMean& difference) const {
        return difference.low > 0.0 && difference.mean >= kLeastLoss * loss_;
    }

    bool isBetter(const PairedMean& difference) const {
        return difference.high < 0.0 && difference.mean <= -kLeastGain * loss_ &&
               loss_ + difference.mean < ceiling_;
    }

    PairedMean differenceOf(const TextLosses& before, const TextLosses& after) const {
        std::vector<double> differences = passageMeans(after, before);
        const std::vector<double> means = passageMeans(before, after);
        std::ranges::transform(differences, means, differences.begin(), std::minus<>());
        return pairedMean(differences, error_);
    }

    Result<TextLosses> lossesOf(const std::shared_ptr<const Model>& changed,
                                const Alteration& alteration, std::vector<Passage> passages) const {
        if (alteration.reread)
            std::ranges::for_each(passages, alteration.reread);
        auto reading = readText(changed, passages, {}, stop_);
        if (!reading)
            return reading.error();
        return std::move(reading->losses);
    }

    const std::shared_ptr<const Model>& model_;
    const std::vector<ReadPassages>& texts_;
    const std::stop_token& stop_;
    double error_;
    double loss_;
    double ceiling_;
};

} // namespace

Result<std::vector<Trial>> tryAlterations(const std::shared_ptr<const Model>& model,
                                          const std::vector<ReadPassages>& texts,
                                          const std::vector<AlterationKind>& kinds,
                                          std::size_t together, double ceiling,
                                          const Progress& progress, const std::stop_token& stop) {
    std::size_t all = 0;
    for (const AlterationKind& kind : kinds)
        all += kind.alterations.size();
    const Trier trier(model, texts, together, ceiling, stop);
    std::vector<Trial> trials;
    trials.reserve(all);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        for (const Alteration& alteration : kinds[kind].alterations) {
            report(progress, static_cast<double>(trials.size()) / static_cast<double>(all),
                   "with " + alteration.name);
            auto trial = trier.tried(kind, alteration);
            if (!trial)
                return trial.error();
            trials.push_back(*std::move(trial));
        }
    return trials;
}

TokenIds frequentTargets(const std::vector<Passage>& passages, std::size_t count) {
    std::map<TokenId, std::size_t> counts;
    for (const Passage& passage : passages)
        for (const Target& target : passage.targets)
            ++counts[target.token];
    std::vector<std::pair<TokenId, std::size_t>> sorted(counts.begin(), counts.end());
    std::ranges::stable_sort(sorted, std::greater<>(), &std::pair<TokenId, std::size_t>::second);
    TokenIds frequent;
    for (std::size_t i = 0; i < std::min(count, sorted.size()); ++i)
        frequent.push_back(sorted[i].first);
    return frequent;
}

std::optional<std::pair<TokenId, TokenId>> likelyExchange(const std::vector<Passage>& passages,
                                                          const TextReading& as_read,
                                                          const TokenIds& compared) {
    const std::size_t n = compared.size();
    std::vector<double> gains(n * n, 0.0); // [a, b]: what b would gain in the places of a
    for (std::size_t p = 0; p < passages.size(); ++p)
        for (std::size_t t = 0; t < passages[p].targets.size(); ++t) {
            const auto at = std::ranges::find(compared, passages[p].targets[t].token);
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
