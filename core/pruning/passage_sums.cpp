#include "core/pruning/passage_sums.h"

#include "core/pruning/measure/passage_samples.h"

#include <cmath>
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

void addLossColumns(std::vector<Column>& columns) {
    const std::vector<Column> shared{
        {.key = "loss", .title = "loss", .unit = "nats"},
        {.key = "low",
         .title = "+low",
         .unit = "nats",
         .meaning = "95 % interval of the loss minus that of the whole model"},
        {.key = "high", .title = "+high", .unit = "nats"},
        {.key = "perplexity", .title = "perplexity", .decimals = 2},
        {.key = "kl",
         .title = "KL",
         .unit = "nats",
         .meaning = "From the whole model, mean over the predicted tokens"},
        {.key = "agreement",
         .title = "agreement",
         .decimals = 3,
         .meaning = "Predicted tokens whose most probable candidate is the whole model's"}};
    columns.insert(columns.end(), shared.begin(), shared.end());
}

void addLossCells(TableRow& row, const PassageLayout& layout, const PassageSums& whole,
                  const PassageSums& sums) {
    const MeanReading mean = meanOf(layout, sums);
    const Interval increase = lossIncrease(layout, whole, sums);
    for (const double value : {mean.loss, increase.low, increase.high, std::exp(mean.loss),
                               mean.divergence, mean.agreement})
        row.emplace_back(value);
}

} // namespace headscope
