#include "core/circuits/copying.h"
#include "core/heads/meters/meter.h"
#include "core/heads/meters/writing_meters.h"
#include "core/heads/types/registry.h"
#include "core/heads/types/weight_evidence.h"
#include "core/model/model.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace headscope {

namespace {

WeightReading readingOf(const HeadCopying& head) {
    const auto raised = std::ranges::count_if(
        head.eigenvalues, [](const std::complex<double>& value) { return value.real() > 0.0; });
    return {head.score, 0.0,
            head.eigenvalues.empty()
                ? std::numeric_limits<double>::quiet_NaN()
                : static_cast<double>(raised) / static_cast<double>(head.eigenvalues.size())};
}

/// mean over q ≥ 1 of 1 / keys in sight
double evenAttention(const ModelSpec& spec) {
    double sum = 0.0;
    for (std::size_t q = 1; q < spec.n_ctx; ++q)
        sum += 1.0 / static_cast<double>(spec.causal ? q + 1 : spec.n_ctx);
    return sum / static_cast<double>(spec.n_ctx - 1);
}

/// Tokens that stand for the vocabulary.
constexpr std::size_t kSampledTokens = 200;

/// The head of an earlier layer that looks most at the previous position, by positions alone; none
/// where no earlier layer has heads.
std::optional<LayerHead> previousHeadBefore(const std::vector<PositionalAttention>& heads,
                                            std::size_t layer) {
    const auto attention = [](const PositionalAttention& head) {
        return std::pair(head.previous_share, head.previous_mass);
    };
    const PositionalAttention* best = nullptr;
    for (const PositionalAttention& head : heads)
        if (head.head.layer < layer && (!best || attention(head) > attention(*best)))
            best = &head;
    return best ? std::optional(best->head) : std::nullopt;
}

} // namespace

constinit const HeadType kCopyingType{
    .id = HeadTypeId::Copying,
    .group = TypeGroup::Weights,
    .input = InputKind::Repeats,
    .key = "copying",
    .name = "Copying",
    .letter = 'Y',
    .summary = "Raises the logit of whatever token it attends to, more than those of others.",
    .formula = "mean over tokens k of c⁺_kk / (c⁺_kk + 24 · mean over j ≠ k of c⁺_kj), the share "
               "among 25 tokens, c⁺ = max(c, 0), c_kj = v_k W_O on the logit of token j less on "
               "the mean logit (Olsson et al. 2022)",
    .variant = "share of the other tokens that are raised less than the token itself",
    .threshold = 0.235,
    .meter = copyingMeter,
};

constinit const HeadType kCopySuppressionType{
    .id = HeadTypeId::CopySuppression,
    .group = TypeGroup::Weights,
    .input = InputKind::Repeats,
    .key = "copy-suppression",
    .name = "Copy suppression",
    .letter = 'J',
    .summary = "Looks at the token that a repeat is about to give again, and lowers its logit, "
               "more than those of others.",
    .formula = "the score of Copying with −c_kj in place of c_kj (ours); only together with "
               "Induction, whose targets are the tokens that a repeat makes likely (McDougall et "
               "al. 2023)",
    .variant = "share of the other tokens that are lowered less than the token itself",
    .threshold = 0.235,
    .together_with = HeadTypeId::Induction,
    .meter = copySuppressionMeter,
};

constinit const HeadType kCopyingWeightsType{
    .id = HeadTypeId::CopyingWeights,
    .group = TypeGroup::Weights,
    .input = InputKind::Weights,
    .key = "copying-weights",
    .name = "Copying, by weights",
    .letter = 'y',
    .summary = "Its weights raise the logits of tokens by the tokens themselves.",
    .formula =
        "Σ Re λ / Σ |λ| over the eigenvalues of W_E W_V W_O W_U, from −1 to 1 (Elhage et al. 2021)",
    .variant = "share of eigenvalues with a positive real part",
    .threshold = 0.5,
    .together_with = HeadTypeId::Copying,
    .from_weights = [](WeightEvidence& evidence,
                       const std::stop_token& stop) -> Result<PerHead<WeightReading>> {
        const auto heads = copyingScores(evidence.weights(), {}, stop);
        if (!heads)
            return heads.error();
        PerHead<WeightReading> readings(headIndex(evidence.weights().spec()));
        for (const HeadCopying& each : *heads)
            readings[each.head] = readingOf(each);
        return readings;
    },
};

constinit const HeadType kPreviousWeightsType{
    .id = HeadTypeId::PreviousWeights,
    .group = TypeGroup::Weights,
    .input = InputKind::Weights,
    .key = "previous-weights",
    .name = "Previous, by weights",
    .letter = 'p',
    .summary = "Its weights match every position with the one before it, whatever the tokens.",
    .formula = "share of rows q ≥ 1 whose largest entry is A[q, q−1], A = softmax of W_pos W_QK "
               "W_posᵀ (positional QK, Elhage et al. 2021); learned positions only",
    .variant = "mean of A[q, q−1], flatter than in a run, where the norm divides",
    .threshold = 0.5,
    .together_with = HeadTypeId::Previous,
    .from_weights = [](WeightEvidence& evidence,
                       const std::stop_token& stop) -> Result<PerHead<WeightReading>> {
        const auto& heads = evidence.positional(stop);
        if (!heads)
            return heads.error();
        const double baseline = evenAttention(evidence.weights().spec());
        PerHead<WeightReading> readings(headIndex(evidence.weights().spec()));
        for (const PositionalAttention& each : *heads)
            readings[each.head] = {each.previous_share, baseline, each.previous_mass};
        return readings;
    },
};

constinit const HeadType kInductionWeightsType{
    .id = HeadTypeId::InductionWeights,
    .group = TypeGroup::Weights,
    .input = InputKind::Weights,
    .key = "induction-weights",
    .name = "Induction, by weights",
    .letter = 'i',
    .summary = "Its weights find the token in what the previous-token head before it moves on.",
    .formula = "share of 200 tokens whose row of W_E W_Q (W_E W_OV W_K)ᵀ is largest at the token "
               "itself, W_OV of the head of an earlier layer with the most positional attention to "
               "the previous token (K-composition, Elhage et al. 2021); learned positions only",
    .variant = "share among the five largest",
    .threshold = 0.3,
    .together_with = HeadTypeId::Induction,
    .from_weights = [](WeightEvidence& evidence,
                       const std::stop_token& stop) -> Result<PerHead<WeightReading>> {
        const FoldedWeights& weights = evidence.weights();
        const auto& positional = evidence.positional(stop);
        if (!positional)
            return positional.error();
        if (const auto& absent = weights.spec().absent.attention; !absent.empty())
            return Error{ErrorCode::Unsupported,
                         "Which head of an earlier layer looks most at the previous token is not "
                         "known, because the attention of " +
                             layersText(absent) + " is not in the file."};
        const VocabularySample sample = sampleVocabulary(weights.spec().d_vocab, kSampledTokens);
        const double baseline = 1.0 / static_cast<double>(weights.spec().d_vocab);
        PerHead<WeightReading> readings(headIndex(weights.spec()));
        std::optional<MovedTokens> moved; // by the previous-token head in use
        for (const PositionalAttention& each : *positional) {
            const auto previous = previousHeadBefore(*positional, each.head.layer);
            if (!previous) {
                readings[each.head] = {kUndefinedReading, baseline, kUndefinedReading};
                continue;
            }
            if (!moved || moved->head != *previous) {
                auto tokens = movedTokens(weights, *previous);
                if (!tokens)
                    return tokens.error();
                moved = *std::move(tokens);
            }
            const auto found =
                kComposedInduction(weights, *moved, each.head, sample, std::nullopt, stop);
            if (!found)
                return found.error();
            readings[each.head] = {found->top1, baseline, found->top5};
        }
        return readings;
    },
};

} // namespace headscope
