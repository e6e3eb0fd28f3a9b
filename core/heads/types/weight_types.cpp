#include "core/circuits/copying.h"
#include "core/circuits/positional.h"
#include "core/heads/meters/meter.h"
#include "core/heads/meters/writing_meters.h"
#include "core/heads/types/registry.h"
#include "core/heads/types/weight_evidence.h"
#include "core/model/model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

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

/// Tokens that represent the vocabulary.
constexpr std::size_t kSampledTokens = 200;

/// The heads of earlier layers that look most at the previous position, by positions alone: the
/// first of all, and others that look there from half of the positions. None where no earlier layer
/// has heads.
std::vector<LayerHead> previousHeadsBefore(const std::vector<PositionalAttention>& heads,
                                           std::size_t layer) {
    constexpr std::size_t kMost = 3;
    constexpr double kLeastShare = 0.5;
    std::vector<PositionalAttention> earlier;
    std::ranges::copy_if(heads, std::back_inserter(earlier),
                         [&](const PositionalAttention& head) { return head.head.layer < layer; });
    std::ranges::stable_sort(earlier, std::ranges::greater(), [](const PositionalAttention& head) {
        return std::pair(head.previous_share, head.previous_mass);
    });
    std::vector<LayerHead> found;
    for (const PositionalAttention& head : earlier)
        if (found.empty() || (found.size() < kMost && head.previous_share >= kLeastShare))
            found.push_back(head.head);
    return found;
}

/// What previous-token heads move, read once for all heads of a layer.
class MovedByPrevious {
public:
    explicit MovedByPrevious(const FoldedWeights& weights) : weights_(weights) {}

    /// The moved tokens of these heads, in their order; forgets other heads.
    Result<std::vector<const MovedTokens*>> of(const std::vector<LayerHead>& heads) {
        std::erase_if(moved_, [&](const auto& each) {
            return std::ranges::find(heads, each.first) == heads.end();
        });
        std::vector<const MovedTokens*> found;
        for (const LayerHead head : heads) {
            if (!moved_.contains(head)) {
                auto tokens = movedTokens(weights_, head);
                if (!tokens)
                    return tokens.error();
                moved_.emplace(head, *std::move(tokens));
            }
            found.push_back(&moved_.at(head));
        }
        return found;
    }

private:
    const FoldedWeights& weights_;
    std::map<LayerHead, MovedTokens> moved_;
};

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

constinit const HeadType kSuccessorType{
    .id = HeadTypeId::Successor,
    .group = TypeGroup::Weights,
    .input = InputKind::Ordinals,
    .key = "successor",
    .name = "Successor",
    .letter = 's',
    .summary = "Raises the logit of what comes next in a series, such as Tuesday for Monday, more "
               "than those of all others of the series, if it attends to a word of one.",
    .formula =
        "share of days, months, numbers and letters k of one token for which v_k W_O is "
        "largest on the logit of the next one among all of the series (Gould et al. 2023); v_k "
        "of what the first block leaves of BOS and k, in the first layer of the embedding",
    .variant = "share of the others of the series that are raised less than the next one",
    .threshold = 0.5,
    .meter = successorMeter,
    .control = Control{.what = "on the word itself, the one before or two after",
                       .input = ControlInput::Same,
                       .meter = nearSuccessorMeter},
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
    .summary = "Its weights find the token in what a previous-token head before it moves on.",
    .formula = "share of 200 tokens whose row of W_E W_Q (W_E W_OV W_K)ᵀ is largest at the token "
               "itself, W_OV of the best of the three heads of earlier layers with the most "
               "positional attention to the previous token, the second and third only where it is "
               "the largest for half of the positions (K-composition, Elhage et al. 2021); learned "
               "positions only",
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
        MovedByPrevious moved(weights);
        for (const PositionalAttention& each : *positional) {
            WeightReading& reading = readings[each.head];
            reading = {kUndefinedReading, baseline, kUndefinedReading};
            const auto previous = moved.of(previousHeadsBefore(*positional, each.head.layer));
            if (!previous)
                return previous.error();
            for (const MovedTokens* const tokens : *previous) {
                const auto found =
                    kComposedInduction(weights, *tokens, each.head, sample, std::nullopt, stop);
                if (!found)
                    return found.error();
                if (std::isnan(reading.score) || found->top1 > reading.score)
                    reading = {found->top1, baseline, found->top5};
            }
        }
        return readings;
    },
};

} // namespace headscope
