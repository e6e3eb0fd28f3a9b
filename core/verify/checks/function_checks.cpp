#include "core/verify/checks/function_checks.h"

#include "core/base/text.h"
#include "core/datasets/bundled.h"
#include "core/model/prompt.h"
#include "core/pruning/passages.h"
#include "core/verify/function/token_counts.h"

#include <algorithm>
#include <iostream>
#include <numeric>
#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kPassageTokens = 128;
constexpr std::size_t kFrequent = 32;

double meanOf(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

} // namespace

Check predictionCheck(std::string name, std::span<const double> model,
                      std::span<const double> counted, const std::string& explanation) {
    std::vector<double> gains;
    for (std::size_t p = 0; p < model.size(); ++p)
        gains.push_back(counted[p] - model[p]);
    const PairedMean gain = pairedMean(gains, 0.05);
    Check check = checkOf(std::move(name), gain.low > 0.0,
                          "below " + fixedText(meanOf(counted), 3) + " nats",
                          fixedText(meanOf(model), 3) + " nats", explanation);
    if (check.outcome == Check::Failed)
        check.outcome = Check::NotApplicable;
    return check;
}

std::vector<Check> trialChecks(const TrialResults& results) {
    std::vector<Check> checks;
    for (const Trial& trial : results.trials) {
        std::cerr << "   " << "WB0uF"[trial.outcome] << " " << fixedText(trial.difference.mean, 4)
                  << " [" << fixedText(trial.difference.low, 4) << " "
                  << fixedText(trial.difference.high, 4) << "] " << trial.name << trial.said << "\n";
    }
    return checks;
}

Result<std::vector<Check>> functionChecks(const std::shared_ptr<const Model>& model,
                                          const Progress& progress, const std::stop_token& stop) {
    PassageOptions options;
    options.length = kPassageTokens;
    options.most_tokens = 24 * (kPassageTokens - 1);
    const auto text =
        readPassages(*model, bundledStylesText(), "the bundled texts", withinContext(options, *model));
    if (!text)
        return std::vector{notApplicable("all", text.error().message)};
    const TokenIds compared = frequentTargets(*text, kFrequent);
    const auto as_read = readText(model, text->passages, compared, stop);
    if (!as_read)
        return as_read.error();
    std::vector<TokenIds> others;
    for (const auto& more : {bundledCalibrationText(), bundledTestText()})
        for (const auto document : documentsOf(more))
            if (const auto encoded = model->tokenizer->encode(document, false))
                others.push_back(encoded->ids);
    const CountedLosses counted = countedLosses(*text, others, model->spec.d_vocab,
                                                model->spec.causal, bosRule(*model).add);
    std::vector<double> mean = passageMeans(as_read->losses, as_read->losses);
    std::vector<Check> checks{
        predictionCheck("single", mean, passageMeans(counted.single, as_read->losses), ""),
        predictionCheck("pairs", mean, passageMeans(counted.pairs, as_read->losses), "")};
    const auto bi = passageMeans(counted.pairs, as_read->losses);
    for (std::size_t p = 0; p < mean.size(); ++p)
        std::cerr << fixedText(mean[p], 2) << "/" << fixedText(bi[p], 2) << " ";
    std::cerr << "\n";
    auto kinds = alterationsOf(*model);
    if (const auto pair = likelyExchange(*text, *as_read, compared))
        kinds.front().alterations.push_back(exchangedTokens(*model, pair->first, pair->second));
    const auto results = tryAlterations(model, *text, *as_read, std::move(kinds), progress, stop);
    if (!results)
        return results.error();
    const auto more = trialChecks(*results);
    checks.insert(checks.end(), more.begin(), more.end());
    return checks;
}

} // namespace headscope
