#include "core/pruning/verdict.h"

#include "core/base/text.h"
#include "core/pruning/measure/judge.h"
#include "core/pruning/measure/passage_groups.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

namespace headscope {

namespace {

/// Loss against the share of heads removed, sample by sample.
struct SampledCurve {
    std::vector<double> shares;              ///< from 0 on
    std::vector<std::vector<double>> losses; ///< [point][sample], sums
};

/// Where the curve first rises above the tolerance. All sums are over the same targets, so that
/// they compare as means do.
double crossing(const SampledCurve& curve, double tolerance, std::span<const std::size_t> drawn,
                bool* to_the_end = nullptr) {
    double below = sumOver(curve.losses.front(), drawn);
    const double most = (1.0 + tolerance) * below;
    for (std::size_t point = 1; point < curve.shares.size(); ++point) {
        const double loss = sumOver(curve.losses[point], drawn);
        if (loss > most)
            return curve.shares[point - 1] + (most - below) / (loss - below) *
                                                 (curve.shares[point] - curve.shares[point - 1]);
        below = loss;
    }
    if (to_the_end)
        *to_the_end = true;
    return curve.shares.back();
}

ShareVerdict judged(const SampledCurve& curve, const std::string& order, double tolerance,
                    const Bootstrap& bootstrap) {
    std::vector<std::size_t> all(curve.losses.front().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    ShareVerdict verdict;
    verdict.order = order;
    verdict.share = crossing(curve, tolerance, all, &verdict.whole_curve);
    verdict.interval = bootstrap.intervalOf(
        [&](std::span<const std::size_t> drawn) { return crossing(curve, tolerance, drawn); });
    return verdict;
}

SampledCurve sampledCurve(const PruningResult& result, const PruningCurve& curve,
                          const PassageSamples& samples) {
    SampledCurve sampled{{0.0}, {samples.summed(result.whole.sums.loss)}};
    for (const CurvePoint& point : curve.points) {
        sampled.shares.push_back(result.share(point));
        sampled.losses.push_back(samples.summed(point.sums.loss));
    }
    return sampled;
}

/// Adds the losses of a curve with the same shares, a part of each.
void addPart(SampledCurve& sum, const SampledCurve& curve, double part) {
    for (std::size_t point = 0; point < sum.losses.size(); ++point)
        for (std::size_t sample = 0; sample < sum.losses[point].size(); ++sample)
            sum.losses[point][sample] += part * curve.losses[point][sample];
}

std::string percent(double share) {
    return std::to_string(std::lround(100.0 * share));
}

std::string shareText(const ShareVerdict& verdict) {
    return " [" + percent(verdict.interval.low) + "–" + percent(verdict.interval.high) + " %]";
}

} // namespace

const ShareVerdict& Verdict::best() const {
    assert(random || !orders.empty());
    return orders.empty() ? *random : *std::ranges::max_element(orders, {}, &ShareVerdict::share);
}

Verdict verdictOf(const PruningResult& result, double tolerance) {
    const PassageSamples samples(result.layout);
    const Bootstrap bootstrap = samples.bootstrap();
    Verdict verdict;
    verdict.tolerance = tolerance;
    verdict.by_documents = samples.byDocuments();
    std::vector<SampledCurve> random;
    for (const PruningCurve& curve : result.curves) {
        const SampledCurve sampled = sampledCurve(result, curve, samples);
        if (curve.order.spec.kind == OrderKind::Random)
            random.push_back(sampled);
        else
            verdict.orders.push_back(
                judged(sampled, curve.order.spec.name(), tolerance, bootstrap));
    }
    if (random.empty())
        return verdict;
    // The limits may end some earlier; units of one kind have the same sizes where none were cut.
    SampledCurve mean = *std::ranges::min_element(
        random, {}, [](const SampledCurve& curve) { return curve.shares.size(); });
    for (auto& losses : mean.losses)
        std::ranges::fill(losses, 0.0);
    for (const SampledCurve& curve : random)
        addPart(mean, curve, 1.0 / static_cast<double>(random.size()));
    verdict.random = judged(mean, "random", tolerance, bootstrap);
    return verdict;
}

std::string verdictText(const Verdict& verdict) {
    const ShareVerdict& best = verdict.best();
    std::string text = percent(best.share) + " % of the heads" + shareText(best) +
                       " can go at no more than " + numberText(100.0 * verdict.tolerance) +
                       " % more loss (order: " + best.order + ")";
    if (verdict.random && !verdict.orders.empty())
        text +=
            "; random order: " + percent(verdict.random->share) + " %" + shareText(*verdict.random);
    return text + ".";
}

std::optional<CurvePlace> placeOfVerdict(const PruningResult& result, const Verdict& verdict) {
    const ShareVerdict& best = verdict.best();
    std::optional<CurvePlace> place;
    for (std::size_t curve = 0; curve < result.curves.size(); ++curve) {
        if (result.curves[curve].order.spec.name() != best.order)
            continue;
        const std::vector<CurvePoint>& points = result.curves[curve].points;
        for (std::size_t point = 0; point < points.size(); ++point)
            if (result.share(points[point]) <= best.share)
                place = {curve, point};
    }
    return place;
}

Interval lossIncrease(const PruningResult& result, const PassageSums& sums) {
    return lossIncrease(result.layout, result.whole.sums, sums);
}

namespace {

constexpr std::size_t kContext = 8;

TokenIds contextOf(const Passage& passage, std::size_t position) {
    const std::size_t begin = position > kContext ? position - kContext : 0;
    return {passage.ids.begin() + static_cast<std::ptrdiff_t>(begin),
            passage.ids.begin() + static_cast<std::ptrdiff_t>(position)};
}

} // namespace

Result<std::vector<WorseToken>> worstTokens(const std::shared_ptr<const Model>& model,
                                            const PassageSet& calibration, const PassageSet& test,
                                            const PruningQuestion& question, const HeadSet& removed,
                                            std::size_t count, const std::stop_token& stop) {
    RemovalWay way{question.replacement, question.compensation, nullptr, &calibration};
    if (readsStatistics(way.replacement, way.compensation)) {
        auto statistics = headStatistics(model, calibration, {}, stop);
        if (!statistics)
            return statistics.error();
        way.statistics = std::make_shared<const HeadStatistics>(*std::move(statistics));
    }
    auto judge = RemovalJudge::make(model, test, Compare::Nothing, way, stop);
    if (!judge)
        return judge.error();
    const auto cut = judge->without(removed, false, stop);
    if (!cut)
        return cut.error();
    std::vector<WorseToken> tokens;
    std::size_t index = 0;
    for (std::size_t i = 0; i < test.passages.size(); ++i)
        for (const Target& target : test.passages[i].targets) {
            const std::size_t position = target.position + (model->spec.causal ? 1 : 0);
            tokens.push_back({i, position, target.token, contextOf(test.passages[i], position),
                              double{judge->whole().loss[index]}, double{cut->loss[index]}});
            ++index;
        }
    std::ranges::stable_sort(tokens, std::greater(),
                             [](const WorseToken& token) { return token.cut - token.whole; });
    tokens.resize(std::min(count, tokens.size()));
    return tokens;
}

} // namespace headscope
