#include "core/heads/meters/spread_meters.h"
#include "core/heads/meters/target_meters.h"
#include "core/heads/types/registry.h"

#include <algorithm>

namespace headscope {

namespace {

constexpr std::size_t kReach = 3;
/// Earlier queries have little but their surroundings to look at.
constexpr std::size_t kFirstQuery = 8;

std::vector<std::size_t> around(const InputSequence& sequence, std::size_t q, bool causal) {
    std::vector<std::size_t> keys;
    if (q < kFirstQuery)
        return keys;
    const std::size_t last = causal ? q : std::min(q + kReach, sequence.ids.size() - 1);
    for (std::size_t key = q - kReach; key <= last; ++key)
        keys.push_back(key);
    return keys;
}

Targets surroundings(const ModelSpec& spec, const InputSequence&) {
    return [causal = spec.causal](const InputSequence& sequence, std::size_t q) {
        return around(sequence, q, causal);
    };
}

} // namespace

constinit const HeadType kPositionalType{
    .id = HeadTypeId::Positional,
    .group = TypeGroup::Spread,
    .input = InputKind::Distinct,
    .key = "positional",
    .name = "Positional",
    .letter = 'O',
    .summary = "Looks at one fixed distance, whatever token is there.",
    .formula = "largest share of q with argmax A[q, ·] at one and the same offset k − q ≠ 0, among "
               "the q that see a key there (Voita et al. 2019)",
    .variant = "the offset with that share, in tokens",
    .threshold = 0.9,
    .variant_is_offset = true,
    .meter = [](const std::shared_ptr<const Model>& model,
                const InputSequence& sequence) { return offsetMeter(model->spec, sequence); },
};

constinit const HeadType kLocalType{
    .id = HeadTypeId::Local,
    .group = TypeGroup::Spread,
    .input = InputKind::Sentences,
    .key = "local",
    .name = "Local",
    .letter = 'L',
    .summary = "Keeps to the few tokens around.",
    .formula = "Σ A[q, k] with |q − k| ≤ 3, k ≥ 1, of Σ A[q, k] with k ≥ 1, over q ≥ 8 (ours)",
    .variant = "with the first position",
    .threshold = 0.6,
    .meter =
        [](const std::shared_ptr<const Model>& model, const InputSequence& sequence) {
            return targetMeter(model->spec, sequence, surroundings(model->spec, sequence),
                               TargetShare::OfContent);
        },
    .targets = surroundings,
};

constinit const HeadType kLongRangeType{
    .id = HeadTypeId::LongRange,
    .group = TypeGroup::Spread,
    .input = InputKind::Sentences,
    .key = "long-range",
    .name = "Long-range",
    .letter = 'R',
    .summary = "Looks far back.",
    .formula = "Σ A[q, k]·|q − k| of Σ A[q, k]·(farthest key), k ≥ 1, over q that see a key 32 "
               "tokens away; an even head scores ½ (ours, after Vig & Belinkov 2019)",
    .variant = "with the first position",
    .threshold = 0.7,
    .meter = [](const std::shared_ptr<const Model>& model,
                const InputSequence& sequence) { return distanceMeter(model->spec, sequence); },
};

constinit const HeadType kDiffuseType{
    .id = HeadTypeId::Diffuse,
    .group = TypeGroup::Spread,
    .input = InputKind::Sentences,
    .key = "diffuse",
    .name = "Diffuse",
    .letter = 'F',
    .summary = "Spreads its attention over all it sees.",
    .formula =
        "mean over q ≥ 1 of −Σ A ln A / ln(keys that q sees) (ours, after Clark et al. 2019)",
    .variant = "without the first position",
    .threshold = 0.85,
    .meter = [](const std::shared_ptr<const Model>& model,
                const InputSequence& sequence) { return entropyMeter(model->spec, sequence); },
};

} // namespace headscope
