#include "core/interventions/effect_beside.h"

#include "core/base/text.h"
#include "core/heads/mean_interval.h"
#include "core/interventions/effects/effect_runs.h"
#include "core/interventions/effects/effect_words.h"
#include "core/interventions/effects/figures_text.h"
#include "core/interventions/effects/judging.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headscope {

namespace {

/// What each sequence costs with all heads ablated, minus what it costs with the others ablated.
std::vector<double> costs(const EffectRuns& runs) {
    std::vector<double> found = runs.differences(0);
    for (std::size_t sequence = 0; sequence < found.size(); ++sequence)
        found[sequence] -= runs.differences(1)[sequence];
    return found;
}

} // namespace

Result<EffectBeside> effectBeside(const std::shared_ptr<const Model>& model,
                                  const EffectInput& input, const EffectBesideQuestion& question,
                                  const Progress& progress, const std::stop_token& stop) {
    HeadSet all = question.others;
    all.push_back(question.head);
    std::ranges::sort(all);
    EffectRuns runs(model, input.sequences, question.by, {all, question.others});
    if (auto checked = checkEffect(input, runs, question.least_effect); !checked)
        return checked.error();
    EffectBeside result;
    result.question = question;
    result.measure = effectMeasureOf(model->spec, input.sequences.front());
    const auto is_decided = [&](double error) {
        readFirst(runs, question.least_effect, error, result);
        const std::vector<double> differences = costs(runs);
        result.difference = meanOf(differences);
        result.interval = meanInterval(differences, error);
        return effectSide(result.interval, result.least) != EffectSide::Unclear;
    };
    if (auto run = lookUntil(runs, input.first, is_decided, progress, stop); !run)
        return run.error();
    return result;
}

std::string effectBesideText(const EffectBeside& result) {
    constexpr std::size_t kMostNamed = 4;
    const HeadSet& others = result.question.others;
    const bool is_one = others.size() == 1;
    const std::string who =
        others.size() <= kMostNamed ? headSetText(others) : counted(others.size(), "other head");
    return "Where " + who + (is_one ? " is" : " are") + " ablated, too, ablating it " +
           (result.difference < 0.0 ? "lowers" : "raises") + " the " +
           std::string(effectMeasureName(result.measure)) + " by " +
           natsText(std::abs(result.difference)) + spreadText(result.interval, result.sequences) +
           (result.counts() ? ", so " + who + (is_one ? " makes" : " make") + " up for it." : ".");
}

} // namespace headscope
