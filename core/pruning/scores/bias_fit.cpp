#include "core/pruning/scores/bias_fit.h"

#include "core/engine/backward.h"
#include "core/pruning/measure/judge.h"
#include "core/pruning/scores/order_scores.h"
#include "core/pruning/smaller_model.h"

#include <utility>
#include <vector>

namespace headscope {

namespace {

constexpr int kRounds = 6;
constexpr int kTries = 4; ///< of a step, each a quarter of the one before
constexpr double kFirstStep = 1.0;

using Shifts = std::vector<std::vector<double>>; ///< [layer][d_model], added to b_O

PassageSet everyFourth(const PassageSet& text, bool held_out) {
    PassageSet part;
    for (std::size_t i = 0; i < text.passages.size(); ++i)
        if ((i % 4 == 3) == held_out)
            part.passages.push_back(text.passages[i]);
    if (part.passages.empty())
        part.passages = text.passages;
    for (const Passage& passage : part.passages)
        part.targets += passage.targets.size();
    return part;
}

std::shared_ptr<const Model> shifted(const Model& model, const Shifts& shifts) {
    Cut cut;
    for (std::size_t layer = 0; layer < model.spec.n_layers; ++layer) {
        const Tensor& b_O = model.weights.layers[layer].attn.b_O;
        if (model.spec.headsIn(layer) == 0)
            continue;
        OutputRepair repair{{}, Tensor({model.spec.d_model})};
        for (std::size_t d = 0; d < model.spec.d_model; ++d)
            repair.b_O(d) =
                static_cast<float>(shifts[layer][d] + (b_O.empty() ? 0.0 : double{b_O(d)}));
        cut.repairs[layer] = std::make_shared<const OutputRepair>(std::move(repair));
    }
    return repairedModel(model, cut);
}

/// d (mean loss) / d b_O
Result<Shifts> slopes(const std::shared_ptr<const Model>& model, const PassageSet& text,
                      const std::stop_token& stop) {
    Shifts sums(model->spec.n_layers, std::vector<double>(model->spec.d_model));
    BackwardRequest request;
    request.hooks = {HookKind::AttnOut};
    for (const Passage& passage : text.passages) {
        const auto slope = [&](const Tensor& logits) {
            return lossGradient(logits, passage, 1.0 / static_cast<double>(text.targets));
        };
        const auto gradients = runBackward(model, passage.ids, slope, request, stop);
        if (!gradients)
            return gradients.error();
        for (const auto& [point, gradient] : gradients->hooks)
            for (std::size_t position = 0; position < gradient.dim(0); ++position)
                for (std::size_t d = 0; d < gradient.dim(1); ++d)
                    sums[point.layer][d] += double{gradient(position, d)};
    }
    return sums;
}

Shifts stepFrom(Shifts shifts, const Shifts& slope, double step) {
    for (std::size_t layer = 0; layer < shifts.size(); ++layer)
        for (std::size_t d = 0; d < shifts[layer].size(); ++d)
            shifts[layer][d] -= step * slope[layer][d];
    return shifts;
}

} // namespace

Result<std::shared_ptr<const Model>> refittedBiases(const std::shared_ptr<const Model>& model,
                                                    const PassageSet& text,
                                                    const std::stop_token& stop) {
    const PassageSet fitted = everyFourth(text, false);
    const PassageSet held_out = everyFourth(text, true);
    auto judge = Judge::make(model, held_out, Compare::Nothing, stop);
    if (!judge)
        return judge.error();
    Shifts best(model->spec.n_layers, std::vector<double>(model->spec.d_model));
    std::shared_ptr<const Model> best_model = model;
    double least = meanLoss(judge->whole());
    double step = kFirstStep;
    for (int round = 0; round < kRounds; ++round) {
        const auto slope = slopes(best_model, fitted, stop);
        if (!slope)
            return slope.error();
        bool better = false;
        for (int attempt = 0; attempt < kTries && !better; ++attempt) {
            Shifts next = stepFrom(best, *slope, step);
            auto next_model = shifted(*model, next);
            const auto readings = judge->measureNetwork(next_model, stop);
            if (!readings)
                return readings.error();
            better = meanLoss(*readings) < least;
            step *= better ? 2.0 : 0.25;
            if (!better)
                continue;
            least = meanLoss(*readings);
            best = std::move(next);
            best_model = std::move(next_model);
        }
        if (!better)
            break;
    }
    return best_model;
}

} // namespace headscope
