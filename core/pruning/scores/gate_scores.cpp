#include "core/pruning/scores/gate_scores.h"

#include "core/base/random.h"
#include "core/engine/backward.h"
#include "core/model/model.h"
#include "core/tensor/nonlinear.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// Which token of each target the gradient is taken of; probabilities [d_vocab].
using ChooseToken = std::function<TokenId(const Target&, std::span<const float> probabilities)>;

/// d Σ −ln p(token) / d logits = p − 1[token] at every target, times `scale`; else zeros.
Tensor surprisalGradient(const Tensor& logits, const Passage& passage, double scale,
                         const ChooseToken& choose) {
    Tensor gradient(logits.shape());
    for (const Target& target : passage.targets) {
        const std::span<float> row{gradient.matrix().row(target.position), logits.dim(1)};
        std::copy_n(logits.matrix().row(target.position), row.size(), row.begin());
        softmaxInPlace(row);
        const TokenId token = choose(target, row);
        row[static_cast<std::size_t>(token)] -= 1.0f;
        for (float& value : row)
            value *= static_cast<float>(scale);
    }
    return gradient;
}

/// y ~ p by inversion.
TokenId drawn(std::span<const float> probabilities, Random& random) {
    constexpr std::size_t kSteps = std::size_t{1} << 53;
    double left = static_cast<double>(random.below(kSteps)) / static_cast<double>(kSteps);
    for (std::size_t id = 0; id < probabilities.size(); ++id) {
        left -= double{probabilities[id]};
        if (left < 0.0)
            return static_cast<TokenId>(id);
    }
    return static_cast<TokenId>(std::ranges::max_element(probabilities) - probabilities.begin());
}

/// Shows the gates' gradients of Σ −ln p over the targets of each passage, times what `scale` says.
Result<void> eachPassage(const std::shared_ptr<const Model>& model, const PassageSet& text,
                         const std::function<double(const Passage&)>& scale,
                         const ChooseToken& choose,
                         const std::function<void(LayerHead, double)>& show,
                         const std::stop_token& stop) {
    for (const Passage& passage : text.passages) {
        const auto slope = [&](const Tensor& logits) {
            return surprisalGradient(logits, passage, scale(passage), choose);
        };
        const auto gradients = runBackward(model, passage.ids, slope, {}, stop);
        if (!gradients)
            return gradients.error();
        for (const LayerHead head : headIndex(model->spec))
            show(head, static_cast<double>(gradients->gates[head]));
    }
    return {};
}

} // namespace

Result<PerHead<double>> gateGradients(const std::shared_ptr<const Model>& model,
                                      const PassageSet& text, const Progress& progress,
                                      const std::stop_token& stop) {
    report(progress, 0.0, "gradients of the gates");
    PerHead<double> scores(headIndex(model->spec));
    const auto passages = static_cast<double>(text.passages.size());
    const auto done = eachPassage(
        model, text,
        [](const Passage& passage) { return 1.0 / static_cast<double>(passage.targets.size()); },
        [](const Target& target, std::span<const float>) { return target.token; },
        [&](LayerHead head, double gate) { scores[head] += std::abs(gate) / passages; }, stop);
    if (!done)
        return done.error();
    return scores;
}

Result<PerHead<double>> gateDivergences(const std::shared_ptr<const Model>& model,
                                        const PassageSet& text, std::uint64_t seed,
                                        const Progress& progress, const std::stop_token& stop) {
    constexpr std::size_t kDraws = 4;
    Random random(seed);
    PerHead<double> scores(headIndex(model->spec));
    const double share = 0.5 / static_cast<double>(kDraws * text.targets);
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
        report(progress, static_cast<double>(draw) / static_cast<double>(kDraws),
               "gradients of the KL");
        const auto done = eachPassage(
            model, text, [](const Passage&) { return 1.0; },
            [&](const Target&, std::span<const float> p) { return drawn(p, random); },
            [&](LayerHead head, double gate) { scores[head] += share * gate * gate; }, stop);
        if (!done)
            return done.error();
    }
    return scores;
}

} // namespace headscope
