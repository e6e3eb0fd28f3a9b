#include "core/circuits/measured_copying.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kSampledRows = 1000;

void keepHighest(std::vector<HeadCopying>& heads, std::size_t most) {
    constexpr double kBelowAll = -2.0; // scores are from -1 to 1
    const auto rank = [](const HeadCopying& head) {
        return std::isnan(head.score) ? kBelowAll : head.score;
    };
    std::ranges::stable_sort(heads, std::greater<>(), rank);
    heads.resize(std::min(most, heads.size()));
}

} // namespace

Result<MeasuredCopying> measureCopying(const FoldedWeights& weights, std::size_t most,
                                       const Progress& progress, const std::stop_token& stop) {
    auto heads = copyingScores(weights, progress, stop);
    if (!heads)
        return heads.error();
    keepHighest(*heads, most);
    MeasuredCopying measured{
        *std::move(heads), {}, sampleVocabulary(weights.spec().d_vocab, kSampledRows)};
    measured.accuracies.reserve(measured.heads.size());
    for (const HeadCopying& copying : measured.heads) {
        const auto accuracy = ovCopyingAccuracy(weights, {&copying.head, 1}, measured.sample, stop);
        if (!accuracy)
            return accuracy.error();
        measured.accuracies.push_back(*accuracy);
        report(progress,
               static_cast<double>(measured.accuracies.size()) /
                   static_cast<double>(measured.heads.size()),
               "copying accuracy");
    }
    return measured;
}

} // namespace headscope
