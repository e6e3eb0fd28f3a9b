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
    std::vector<double> standard;            ///< [sample], what cuts are judged against
    std::vector<double> shares;              ///< of the cuts
    std::vector<double> shares_before;       ///< of the cuts with one unit less
    std::vector<std::vector<double>> losses; ///< [point][sample], sums

    /// How many cuts come before the first that is above the tolerance. All sums are over the same
    /// targets, so that they compare as means do.
    std::size_t within(double tolerance, std::span<const std::size_t> drawn) const {
        const double most = (1.0 + tolerance) * sumOver(standard, drawn);
        std::size_t point = 0;
        while (point < shares.size() && sumOver(losses[point], drawn) <= most)
            ++point;
        return point;
    }
    /// The share that can surely go, and the most that may, if `within` cuts are within the
    /// tolerance.
    double least(std::size_t within) const { return within == 0 ? 0.0 : shares[within - 1]; }
    double most(std::size_t within) const {
        return within == shares.size() ? least(within) : shares_before[within];
    }
};

SampledCurve sampledCurve(const PruningResult& result, const PruningCurve& curve,
                          const PassageSamples& samples) {
    SampledCurve sampled{samples.summed(result.standard().loss), {}, {}, {}};
    for (const CurvePoint& point : curve.points) {
        const std::size_t last = curve.order.units[point.units - 1].size();
        sampled.shares.push_back(result.share(point));
        sampled.shares_before.push_back(static_cast<double>(point.heads - last) /
                                        static_cast<double>(result.heads));
        sampled.losses.push_back(samples.summed(point.sums.loss));
    }
    return sampled;
}

std::vector<std::size_t> allSamples(const PassageSamples& samples) {
    std::vector<std::size_t> all(samples.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

/// The verdict on the mean share of some curves, or on one curve.
ShareVerdict judged(std::span<const SampledCurve> curves, const std::string& order,
                    double tolerance, const PassageSamples& samples) {
    const Bootstrap bootstrap = samples.bootstrap();
    const auto mean = [&](std::span<const std::size_t> drawn,
                          double (SampledCurve::*share)(std::size_t) const) {
        double sum = 0.0;
        for (const SampledCurve& curve : curves)
            sum += (curve.*share)(curve.within(tolerance, drawn));
        return sum / static_cast<double>(curves.size());
    };
    const std::vector<std::size_t> all = allSamples(samples);
    ShareVerdict verdict;
    verdict.order = order;
    verdict.share = mean(all, &SampledCurve::least);
    verdict.narrowed = mean(all, &SampledCurve::most) == verdict.share;
    verdict.whole_curve = std::ranges::all_of(curves, [&](const SampledCurve& curve) {
        return curve.within(tolerance, all) == curve.shares.size();
    });
    verdict.interval.low = bootstrap
                               .intervalOf([&](std::span<const std::size_t> drawn) {
                                   return mean(drawn, &SampledCurve::least);
                               })
                               .low;
    verdict.interval.high = bootstrap
                                .intervalOf([&](std::span<const std::size_t> drawn) {
                                    return mean(drawn, &SampledCurve::most);
                                })
                                .high;
    return verdict;
}

RandomVerdict judgedRandom(std::span<const SampledCurve> curves, double tolerance,
                           const PassageSamples& samples) {
    RandomVerdict verdict{judged(curves, "random", tolerance, samples), 1.0, 0.0, curves.size()};
    const std::vector<std::size_t> all = allSamples(samples);
    for (const SampledCurve& curve : curves) {
        const double share = curve.least(curve.within(tolerance, all));
        verdict.lowest = std::min(verdict.lowest, share);
        verdict.highest = std::max(verdict.highest, share);
    }
    return verdict;
}

/// The cut of all curves but random ones that lowers the loss most, if any surely does.
std::optional<LoweringCut> loweringCut(const PruningResult& result) {
    const double standard = meanOf(result, result.standard()).loss;
    double lowest = (1.0 - kLeastLowering) * standard;
    std::optional<LoweringCut> lowering;
    for (const PruningCurve& curve : result.curves)
        for (const CurvePoint& point : curve.points) {
            const double loss = meanOf(result, point.sums).loss;
            if (curve.order.spec.kind == OrderKind::Random || loss >= lowest)
                continue;
            const Interval increase = lossIncrease(result.layout, result.standard(), point.sums);
            if (increase.high >= 0.0)
                continue;
            lowest = loss;
            lowering = {curve.order.spec.name(), point.heads, increase};
        }
    return lowering;
}

std::string percent(double share) {
    return std::to_string(std::lround(100.0 * share));
}

/// "1.5"
std::string tenths(double share) {
    return numberText(std::round(1000.0 * share) / 10.0);
}

std::string nats(double loss) {
    return fixedText(loss, 2);
}

std::string nameOf(const Verdict& verdict) {
    const TextVerdict& text = verdict.headline();
    if (text.text == kOwnText)
        return std::string("what the model writes itself") +
               (verdict.texts.size() > 1 ? ", since all others are outside of its domain" : "");
    return text.text + (verdict.texts.size() > 1 ? ", the text with the lowest loss" : "");
}

/// "; over 6 texts: 1 to 78 %"
std::string rangeText(const Verdict& verdict) {
    if (verdict.texts.size() < 2)
        return "";
    double lowest = 1.0;
    double highest = 0.0;
    std::string own;
    for (const TextVerdict& text : verdict.texts) {
        lowest = std::min(lowest, text.best().share);
        highest = std::max(highest, text.best().share);
        if (text.text == kOwnText)
            own = ", what it writes itself among them (" + percent(text.best().share) + " %)";
    }
    return "; over " + std::to_string(verdict.texts.size()) + " texts" + own + ": " +
           percent(lowest) + " to " + percent(highest) + " %";
}

std::string randomText(const TextVerdict& text) {
    if (!text.random || text.orders.empty())
        return "";
    if (text.random->orders == 1)
        return "; one random order: " + tenths(text.random->mean.share) + " %";
    return "; random orders: " + tenths(text.random->lowest) + " to " +
           tenths(text.random->highest) + " %, mean " + tenths(text.random->mean.share) + " %";
}

std::string outsideText(const Verdict& verdict) {
    const TextVerdict& text = verdict.headline();
    std::string sentences;
    if (text.times_own && *text.times_own > kOutside)
        sentences += " This text is outside of the model's domain: its loss of " + nats(text.loss) +
                     " nats is " + fixedText(*text.times_own, 1) +
                     " times that on text which the model writes itself, " +
                     nats(*verdict.own_loss) + ".";
    if (text.lowering)
        sentences += " Without " + counted(text.lowering->heads, "head") + " (" +
                     text.lowering->order + ") the loss on this text is lower by " +
                     fixedText(-text.lowering->increase.high, 3) + " to " +
                     fixedText(-text.lowering->increase.low, 3) +
                     " nats: a sign that it is outside of the model's domain.";
    std::vector<std::string> others;
    for (const TextVerdict& other : verdict.texts)
        if (&other != &text && other.isOutside())
            others.push_back(other.text);
    if (!others.empty())
        sentences += " Outside of the model's domain: " + join(others, ", ") + ".";
    return sentences;
}

std::string standardText(const Verdict& verdict) {
    const TextVerdict& text = verdict.headline();
    std::string sentences;
    if (text.fitted_loss && *text.fitted_loss < text.loss)
        sentences += " Cuts are judged against the whole model with output biases fitted to the "
                     "calibration text, whose loss is " +
                     nats(*text.fitted_loss) + " nats instead of " + nats(text.loss) + ".";
    if (!text.best().narrowed)
        sentences += " More may be able to go: no cut near this tolerance was measured yet; "
                     "measure again.";
    return sentences;
}

} // namespace

const ShareVerdict& TextVerdict::best() const {
    assert(random || !orders.empty());
    return orders.empty() ? random->mean
                          : *std::ranges::max_element(orders, {}, &ShareVerdict::share);
}

bool TextVerdict::isOutside() const {
    return (times_own && *times_own > kOutside) || lowering.has_value();
}

TextVerdict textVerdict(const PruningResult& result, std::optional<double> own_loss,
                        double tolerance) {
    const PassageSamples samples(result.layout);
    TextVerdict verdict;
    verdict.text = result.text;
    verdict.by_documents = samples.byDocuments();
    verdict.loss = meanOf(result, result.whole.sums).loss;
    if (result.control)
        verdict.fitted_loss = meanOf(result, result.control->sums).loss;
    if (own_loss)
        verdict.times_own = verdict.loss / *own_loss;
    std::vector<SampledCurve> random;
    for (const PruningCurve& curve : result.curves) {
        const SampledCurve sampled = sampledCurve(result, curve, samples);
        if (curve.order.spec.kind == OrderKind::Random)
            random.push_back(sampled);
        else
            verdict.orders.push_back(
                judged({&sampled, 1}, curve.order.spec.name(), tolerance, samples));
    }
    if (!random.empty())
        verdict.random = judgedRandom(random, tolerance, samples);
    verdict.lowering = loweringCut(result);
    return verdict;
}

Verdict verdictOf(const DomainResults& results, double tolerance) {
    Verdict verdict{tolerance, results.own_loss, {}, results.nearest()};
    for (const PruningResult& result : results.domains)
        verdict.texts.push_back(textVerdict(result, results.own_loss, tolerance));
    return verdict;
}

std::string verdictText(const Verdict& verdict) {
    const TextVerdict& text = verdict.headline();
    const ShareVerdict& best = text.best();
    return percent(best.share) + " % of the heads [" + percent(best.interval.low) + "–" +
           percent(best.interval.high) + " %, over " +
           (text.by_documents ? "documents" : "passages") +
           " of this text] can go at no more than " + numberText(100.0 * verdict.tolerance) +
           " % more loss (order: " + best.order + "; text: " + nameOf(verdict) + ")" +
           rangeText(verdict) + randomText(text) + "." + outsideText(verdict) +
           standardText(verdict);
}

std::optional<CurvePlace> placeOfVerdict(const PruningResult& result, const TextVerdict& verdict) {
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
