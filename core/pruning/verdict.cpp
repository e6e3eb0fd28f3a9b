#include "core/pruning/verdict.h"

#include "core/base/text.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <span>

namespace headscope {

namespace {

constexpr std::uint64_t kBootstrapSeed = 0;
constexpr std::size_t kFewestDocuments = 10;

/// Which passages are drawn together.
class Samples {
public:
    explicit Samples(const PruningResult& result) {
        const std::set<std::size_t> documents(result.document.begin(), result.document.end());
        by_documents_ = documents.size() >= kFewestDocuments;
        for (std::size_t passage = 0; passage < result.document.size(); ++passage) {
            const bool next = !by_documents_ || passage == 0 ||
                              result.document[passage] != result.document[passage - 1];
            if (next)
                passages_.emplace_back();
            passages_.back().push_back(passage);
        }
    }

    std::size_t size() const { return passages_.size(); }
    bool byDocuments() const { return by_documents_; }

    /// Sums over the passages of each sample.
    std::vector<double> summed(const std::vector<double>& values) const {
        std::vector<double> sums;
        for (const auto& sample : passages_)
            sums.push_back(std::accumulate(
                sample.begin(), sample.end(), 0.0,
                [&](double sum, std::size_t passage) { return sum + values[passage]; }));
        return sums;
    }

private:
    std::vector<std::vector<std::size_t>> passages_;
    bool by_documents_ = false;
};

/// Loss against the share of heads removed, sample by sample.
struct SampledCurve {
    std::vector<double> shares;              ///< from 0 on
    std::vector<std::vector<double>> losses; ///< [point][sample], sums
};

double sumOver(const std::vector<double>& values, std::span<const std::size_t> drawn) {
    double sum = 0.0;
    for (const std::size_t sample : drawn)
        sum += values[sample];
    return sum;
}

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
                          const Samples& samples) {
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
    const Samples samples(result);
    const Bootstrap bootstrap(samples.size(), kBootstrapSeed);
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
    const Samples samples(result);
    const Bootstrap bootstrap(samples.size(), kBootstrapSeed);
    const auto whole = samples.summed(result.whole.sums.loss);
    const auto cut = samples.summed(sums.loss);
    const auto targets = samples.summed(result.targets);
    return bootstrap.intervalOf([&](std::span<const std::size_t> drawn) {
        return (sumOver(cut, drawn) - sumOver(whole, drawn)) / sumOver(targets, drawn);
    });
}

} // namespace headscope
