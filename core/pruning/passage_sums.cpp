#include "core/pruning/passage_sums.h"

#include "core/pruning/measure/passage_samples.h"

#include <numeric>
#include <span>

namespace headscope {

PassageLayout layoutOf(const PassageSet& text) {
    PassageLayout layout;
    for (const Passage& passage : text.passages) {
        layout.targets.push_back(static_cast<double>(passage.targets.size()));
        layout.document.push_back(passage.document);
    }
    return layout;
}

MeanReading meanOf(const PassageLayout& layout, const PassageSums& sums) {
    const auto total = [](const std::vector<double>& values) {
        return std::accumulate(values.begin(), values.end(), 0.0);
    };
    const double targets = total(layout.targets);
    return {total(sums.loss) / targets, total(sums.divergence) / targets,
            total(sums.agreement) / targets};
}

Interval lossIncrease(const PassageLayout& layout, const PassageSums& whole,
                      const PassageSums& sums) {
    const PassageSamples samples(layout);
    const auto before = samples.summed(whole.loss);
    const auto after = samples.summed(sums.loss);
    const auto targets = samples.summed(layout.targets);
    return samples.bootstrap().intervalOf([&](std::span<const std::size_t> drawn) {
        return (sumOver(after, drawn) - sumOver(before, drawn)) / sumOver(targets, drawn);
    });
}

} // namespace headscope
