#include "core/verify/checks/function_checks.h"

#include "core/base/text.h"
#include "core/datasets/bundled.h"
#include "core/heads/mean_interval.h"
#include "core/model/prompt.h"
#include "core/verify/function/token_counts.h"
#include "core/verify/function/trial_texts.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace headscope {

namespace {

std::string nats(double value) {
    return fixedText(value, 3) + " nats";
}

/// "0.412 [0.300 to 0.523]"; of a gain with its sign turned.
std::string sizeText(const PairedMean& difference, bool gain) {
    const double low = gain ? -difference.high : difference.low;
    const double high = gain ? -difference.low : difference.high;
    return nats(gain ? -difference.mean : difference.mean) + " [" + fixedText(low, 3) + " to " +
           fixedText(high, 3) + "]";
}

using Trials = std::vector<const Trial*>;

Trials trialsOf(const std::vector<Trial>& trials, std::size_t kind, Trial::Outcome outcome) {
    Trials found;
    for (const Trial& trial : trials)
        if (trial.kind == kind && trial.outcome == outcome)
            found.push_back(&trial);
    std::ranges::stable_sort(found, {}, [](const Trial* trial) { return trial->difference.mean; });
    return found;
}

/// The first few, and how many more there are.
std::string someOf(const Trials& trials, const std::function<std::string(const Trial&)>& text_of) {
    constexpr std::size_t kMost = 4;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < std::min(kMost, trials.size()); ++i)
        texts.push_back(text_of(*trials[i]));
    if (trials.size() > kMost)
        texts.push_back("and " + std::to_string(trials.size() - kMost) + " more");
    return join(texts, "; ");
}

/// `lower`: alterations that surely lower the loss, and those that lower it more on average, though
/// not surely.
Check betterCheck(const std::string& title, const Trial& best, const Trials& lower, double as_read,
                  bool is_best) {
    return {
        title, Check::NotVerified, "no loss below the " + nats(as_read) + " of the file as read",
        someOf(lower,
               [](const Trial& trial) {
                   return "lower by " + sizeText(trial.difference, true) + " with " + trial.name;
               }),
        "Not verified: with " + best.name + ", the loss would be lower by " +
            sizeText(best.difference, true) +
            ". The file may have been exported wrongly in this, or its config may say the "
            "wrong thing." +
            (is_best ? " No other alteration lowers the loss as surely and as much." : "")};
}

Check noEffectCheck(const std::string& title, const Trial& trial) {
    return {title, Check::NotVerified, "other losses with " + trial.name, "not one changes",
            "Not verified: " + trial.said + "."};
}

Check worseCheck(const std::string& title, const Trials& worse, double as_read) {
    const Trial& least = *worse.front();
    return {title, Check::Passed, "a higher loss than that of the file as read, " + nats(as_read),
            "more by " + sizeText(least.difference, false) + " with " + least.name +
                (worse.size() > 1
                     ? ", and surely more with " + counted(worse.size() - 1, "other alteration")
                     : ""),
            "Tried: " + someOf(worse, [](const Trial& trial) { return trial.name; }) + "."};
}

Check untoldCheck(const std::string& title, const Trials& untold) {
    return notApplicable(
        title,
        "Cannot be told: " + someOf(untold, [](const Trial& trial) {
            return "with " + trial.name + " the loss changes by " +
                   sizeText(trial.difference, false);
        }) + ". That is neither surely higher by 0.1 % of the loss nor surely lower by 1 %.");
}

Check failedCheck(const std::string& title, const Trials& failed) {
    return notApplicable(title, "Cannot be run: " + someOf(failed, [](const Trial& trial) {
                                    return "with " + trial.name + ", " + trial.said;
                                }));
}

/// What single tokens and pairs predict, counted in the other passages and in the bundled texts for
/// calibration and test.
CountedLosses bundledCounts(const Model& model, const PassageSet& text) {
    std::vector<TokenIds> others;
    for (const std::string_view more : {bundledCalibrationText(), bundledTestText()})
        for (const std::string_view document : documentsOf(more))
            if (auto encoded = model.tokenizer->encode(document, false))
                others.push_back(std::move(encoded->ids));
    return countedLosses(text, others, model.spec.d_vocab, model.spec.causal, bosRule(model).add);
}

/// The part of longer passages that shorter ones have: their first targets.
TextLosses cutLike(const TextLosses& losses, std::span<const Passage> all,
                   std::span<const Passage> some) {
    TextLosses cut;
    for (const Passage& passage : some) {
        const auto whole =
            std::ranges::find(all, passage.document, [](const Passage& p) { return p.document; });
        cut.push_back(losses[static_cast<std::size_t>(whole - all.begin())]);
        cut.back().resize(passage.targets.size());
    }
    return cut;
}

std::vector<AlterationKind> chosenKinds(std::vector<AlterationKind> kinds,
                                        const FunctionOptions& options) {
    if (!options.kinds.empty())
        std::erase_if(kinds, [&](const AlterationKind& kind) {
            return std::ranges::find(options.kinds, kind.title) == options.kinds.end();
        });
    return kinds;
}

std::size_t alterationCount(const std::vector<AlterationKind>& kinds) {
    std::size_t count = 0;
    for (const AlterationKind& kind : kinds)
        count += kind.alterations.size();
    return count;
}

/// A model that can read the texts, with what it makes of them.
class FunctionCheck {
public:
    FunctionCheck(const std::shared_ptr<const Model>& model, const PassageSet& text,
                  const FunctionOptions& options, const std::stop_token& stop)
        : model_(model), text_(text), kinds_(chosenKinds(alterationsOf(*model), options)),
          all_alterations_(alterationCount(alterationsOf(*model)) + 1),
          sizes_(trialSizes(*model, all_alterations_)), stop_(stop) {
        for (const auto& [passages, tokens] : sizes_.texts)
            texts_.push_back({somePassages(text.passages, passages, tokens), {}});
    }

    Result<std::vector<Check>> checks(const Progress& progress) {
        if (auto read = readAsIs(); !read)
            return read.error();
        const CountedLosses counts = bundledCounts(*model_, text_);
        const auto countedMeans = [&](const TextLosses& losses) {
            const TextLosses cut = cutLike(losses, text_.passages, texts_.back().passages);
            return passageMeans(cut, cut);
        };
        const std::vector<double> means = passageMeans(texts_.back().losses, texts_.back().losses);
        const std::vector<double> single = countedMeans(counts.single);
        std::vector<Check> checks{predictionCheck("how often each token occurs", means, single),
                                  predictionCheck("how often one token follows another", means,
                                                  countedMeans(counts.pairs))};
        const bool predicts = checks.front().outcome == Check::Passed;
        if (!sizes_.alterations) {
            checks.push_back(tooLarge());
            return checks;
        }
        const auto trials = tryAlterations(model_, texts_, kinds_, all_alterations_, meanOf(single),
                                           progress, stop_);
        if (!trials)
            return trials.error();
        const auto told = trialChecks(kinds_, *trials, meanOf(means), predicts);
        checks.insert(checks.end(), told.begin(), told.end());
        return checks;
    }

private:
    Result<void> readAsIs() {
        constexpr std::size_t kFrequent = 32;
        const TokenIds compared = frequentTargets(texts_.back().passages, kFrequent);
        auto all = readText(model_, texts_.back().passages, compared, stop_);
        if (!all)
            return all.error();
        const auto pair = likelyExchange(texts_.back().passages, *all, compared);
        for (AlterationKind& kind : kinds_)
            if (pair && kind.takes_exchanged_tokens)
                kind.alterations.push_back(exchangedTokens(*model_, pair->first, pair->second));
        texts_.back().losses = std::move(all->losses);
        for (std::size_t i = 0; i + 1 < texts_.size(); ++i) {
            auto read = readText(model_, texts_[i].passages, {}, stop_);
            if (!read)
                return read.error();
            texts_[i].losses = std::move(read->losses);
        }
        return {};
    }

    Check tooLarge() const {
        return notApplicable("Alterations of the model",
                             "With " + std::to_string(modelCard(*model_).total_parameters) +
                                 " parameters it is too large to be run with " +
                                 counted(alterationCount(kinds_), "alteration") +
                                 " within minutes.");
    }

    const std::shared_ptr<const Model>& model_;
    const PassageSet& text_;
    std::vector<AlterationKind> kinds_;
    /// Whichever were chosen, with a pair of exchanged tokens: a choice makes no interval shorter.
    std::size_t all_alterations_;
    TrialSizes sizes_;
    std::vector<ReadPassages> texts_; ///< the last has most
    const std::stop_token& stop_;
};

} // namespace

Check predictionCheck(const std::string& counted_by, std::span<const double> model,
                      std::span<const double> counted) {
    std::vector<double> gains;
    gains.reserve(model.size());
    for (std::size_t p = 0; p < model.size(); ++p)
        gains.push_back(counted[p] - model[p]);
    const PairedMean gain = pairedMean(gains, 0.05);
    Check check =
        checkOf("Texts are predicted better than by " + counted_by, gain.low > 0.0,
                "less than the " + nats(meanOf(counted)) + " of such counts", nats(meanOf(model)),
                "Mean loss of " + headscope::counted(model.size(), "passage") +
                    " of different styles; lower than counts of the other passages, a "
                    "novel and verse give by " +
                    sizeText(gain, false) + ".");
    if (check.outcome == Check::Failed) {
        check.outcome = Check::NotVerified;
        check.explanation =
            "Not verified: it predicts these texts no better than " + counted_by +
            ". A model that was exported wrongly does that, and so does one that was trained "
            "little, or on other languages than English and programs.";
    }
    return check;
}

std::vector<Check> trialChecks(const std::vector<AlterationKind>& kinds,
                               const std::vector<Trial>& trials, double as_read, bool predicts) {
    const auto best = std::ranges::min_element(trials, {}, [](const Trial& trial) {
        return trial.outcome == Trial::Better ? trial.difference.mean : 0.0;
    });
    std::vector<Check> checks;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        const std::string& title = kinds[kind].title;
        if (kinds[kind].alterations.empty())
            checks.push_back(notApplicable(title, kinds[kind].none));
        const auto of = [&](Trial::Outcome outcome) { return trialsOf(trials, kind, outcome); };
        if (const Trials better = of(Trial::Better); !better.empty()) {
            Trials lower = better;
            for (const Trial* const trial : of(Trial::Untold))
                if (trial->difference.mean < better.front()->difference.mean)
                    lower.push_back(trial);
            checks.push_back(
                betterCheck(title, *better.front(), lower, as_read, better.front() == &*best));
        }
        for (const Trial* const trial : of(Trial::NoEffect))
            checks.push_back(noEffectCheck(title, *trial));
        if (const Trials worse = of(Trial::Worse); !worse.empty())
            checks.push_back(
                predicts
                    ? worseCheck(title, worse, as_read)
                    : notApplicable(title, "As read, the model predicts too little for it to "
                                           "say anything that " +
                                               counted(worse.size(), "alteration") +
                                               (worse.size() == 1 ? " is" : " are") + " worse."));
        if (const Trials untold = of(Trial::Untold); !untold.empty())
            checks.push_back(untoldCheck(title, untold));
        if (const Trials failed = of(Trial::Failed); !failed.empty())
            checks.push_back(failedCheck(title, failed));
    }
    return checks;
}

Result<std::vector<Check>> functionChecks(const std::shared_ptr<const Model>& model,
                                          const FunctionOptions& options, const Progress& progress,
                                          const std::stop_token& stop) {
    const auto text = bundledPassages(*model);
    if (!text)
        return std::vector{notApplicable("Predictions of natural texts",
                                         "Whether the file says what the model is was not "
                                         "checked. " +
                                             text.error().message)};
    return FunctionCheck(model, *text, options, stop).checks(progress);
}

} // namespace headscope
