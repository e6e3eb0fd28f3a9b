#include "core/base/random.h"
#include "core/model/model.h"
#include "core/pruning/measure/judge.h"
#include "core/pruning/orders.h"
#include "core/pruning/scores/order_scores.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace headscope {

namespace {

PerHead<double> overLayerLength(PerHead<double> scores) {
    for (std::size_t layer = 0; layer < scores.heads().layers(); ++layer) {
        double squares = 0.0;
        for (const double score : scores.layer(layer))
            squares += score * score;
        for (double& score : scores.layer(layer))
            score = squares > 0.0 ? score / std::sqrt(squares) : 0.0;
    }
    return scores;
}

std::string progressText(std::string_view order, std::size_t done, std::size_t total) {
    return std::string(order) + ": " + std::to_string(done) + " of " + std::to_string(total);
}

double fractionOf(std::size_t done, std::size_t total) {
    return static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(1, total));
}

bool needsLoss(OrderKind kind) {
    return kind == OrderKind::Ablation || kind == OrderKind::Greedy ||
           kind == OrderKind::GreedyGradient;
}

} // namespace

struct OrderMaker::State {
    std::shared_ptr<const Model> model;
    const PassageSet& calibration;
    Options options;
    std::vector<HeadSet> units;
    std::shared_ptr<CutModel> cut_model;
    std::shared_ptr<const HeadStatistics> statistics = nullptr;
    std::optional<RemovalJudge> judge = std::nullopt;
    std::optional<PerHead<double>> gates = std::nullopt;

    Result<void> makeStatistics(const Progress& progress, const std::stop_token& stop) {
        if (statistics)
            return {};
        auto made = headStatistics(model, calibration, progress, stop);
        if (!made)
            return made.error();
        statistics = std::make_shared<const HeadStatistics>(*std::move(made));
        return {};
    }

    Result<void> makeJudge(const Progress& progress, const std::stop_token& stop) {
        if (judge)
            return {};
        if (readsStatistics(options.replacement, Compensation::None))
            if (auto made = makeStatistics(progress, stop); !made)
                return made;
        auto made = RemovalJudge::make(
            cut_model, calibration, Compare::Nothing,
            {options.replacement, Compensation::None, statistics, &calibration}, stop);
        if (!made)
            return made.error();
        judge.emplace(*std::move(made));
        return {};
    }

    Result<double> lossWithout(const HeadSet& removed, bool keep, const std::stop_token& stop) {
        const auto readings = judge->without(removed, keep, stop);
        if (!readings)
            return readings.error();
        return meanLoss(*readings);
    }

    /// Sums over the heads of each unit.
    std::vector<double> unitScores(const PerHead<double>& scores) const {
        std::vector<double> sums;
        for (const HeadSet& unit : units)
            sums.push_back(
                std::accumulate(unit.begin(), unit.end(), 0.0,
                                [&](double sum, LayerHead head) { return sum + scores[head]; }));
        return sums;
    }

    /// The units, least score first, as far as the limits let them go.
    PruningOrder ranked(const OrderSpec& spec, const std::vector<double>& scores) const {
        std::vector<std::size_t> places(units.size());
        std::iota(places.begin(), places.end(), std::size_t{0});
        std::ranges::stable_sort(places, {}, [&](std::size_t unit) { return scores[unit]; });
        PruningOrder order{spec, {}, {}};
        PruningFloor floor(units, options.limits);
        for (const std::size_t place : places) {
            if (!floor.mayGo(units[place]) || std::isinf(scores[place]))
                continue;
            floor.remove(units[place]);
            order.units.push_back(units[place]);
            order.scores.push_back(scores[place]);
        }
        return order;
    }

    std::vector<double> drawnPlaces(std::uint64_t seed) const {
        std::vector<double> places(units.size());
        std::iota(places.begin(), places.end(), 0.0);
        Random random(seed);
        for (std::size_t i = places.size(); i > 1; --i)
            std::swap(places[i - 1], places[random.below(i)]);
        return places;
    }

    /// A unit goes where the last of its heads is named; infinity where some are not.
    Result<std::vector<double>> listedPlaces(const HeadSet& list) const {
        PerHead<double> place(headIndex(model->spec), std::numeric_limits<double>::infinity());
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (auto exists = checkHead(list[i], model->spec); !exists)
                return exists.error();
            if (!std::isinf(place[list[i]]))
                return Error{ErrorCode::InvalidArgument,
                             "The list names head " + headText(list[i]) + " twice; name it once."};
            place[list[i]] = static_cast<double>(i);
        }
        std::vector<double> places;
        for (const HeadSet& unit : units) {
            double last = 0.0;
            for (const LayerHead head : unit)
                last = std::max(last, place[head]);
            places.push_back(last);
        }
        return places;
    }

    Result<PerHead<double>> gradients(const Progress& progress, const std::stop_token& stop) {
        if (!gates) {
            auto made = gateGradients(model, calibration, progress, stop);
            if (!made)
                return made;
            gates = *std::move(made);
        }
        return *gates;
    }

    Result<std::vector<double>> ablationScores(const Progress& progress,
                                               const std::stop_token& stop) {
        std::vector<double> scores;
        const double whole = meanLoss(judge->whole());
        for (std::size_t unit = 0; unit < units.size(); ++unit) {
            report(progress, fractionOf(unit, units.size()),
                   progressText("ablation", unit, units.size()));
            const auto loss = lossWithout(units[unit], false, stop);
            if (!loss)
                return loss.error();
            scores.push_back(*loss - whole);
        }
        return scores;
    }

    /// Scores by head of what is not measured by removing units.
    Result<PerHead<double>> headScores(const OrderSpec& spec, const Progress& progress,
                                       const std::stop_token& stop) {
        switch (spec.kind) {
        case OrderKind::Gradient:
            return gradients(progress, stop);
        case OrderKind::GradientByLayer: {
            auto plain = gradients(progress, stop);
            return plain ? Result<PerHead<double>>(overLayerLength(*std::move(plain))) : plain;
        }
        case OrderKind::Taylor:
            return gateDivergences(model, calibration, spec.seed, progress, stop);
        case OrderKind::WeightNorm:
            return weightNorms(*model);
        case OrderKind::HeadType:
            return typeScores(model, progress, stop);
        default:
            break;
        }
        if (auto made = makeStatistics(progress, stop); !made)
            return made.error();
        switch (spec.kind) {
        case OrderKind::OutputNorm:
            return outputNorms(*statistics);
        case OrderKind::Fluctuation:
            return fluctuations(*model, *statistics);
        case OrderKind::Wanda:
            return weightsTimesInputs(*model, *statistics);
        case OrderKind::Reconstruction:
            return reconstructionErrors(*model, *statistics);
        default:
            return redundancyRanks(*model, *statistics);
        }
    }

    /// One score for each unit that is still there, of the network without `removed`.
    using ScoreAgain = std::function<Result<std::vector<double>>(
        const HeadSet& removed, const std::vector<std::size_t>& candidates)>;

    /// Scores again after every cut; of equal ones the first goes.
    Result<PruningOrder> greedy(const OrderSpec& spec, const ScoreAgain& score,
                                const Progress& progress) const {
        PruningOrder order{spec, {}, {}};
        PruningFloor floor(units, options.limits);
        std::vector<std::size_t> left(units.size());
        std::iota(left.begin(), left.end(), std::size_t{0});
        HeadSet removed;
        while (true) {
            std::erase_if(left, [&](std::size_t unit) { return !floor.mayGo(units[unit]); });
            if (left.empty())
                return order;
            report(progress, fractionOf(order.units.size(), units.size()),
                   progressText(orderKindName(spec.kind), order.units.size(), units.size()));
            const auto scores = score(removed, left);
            if (!scores)
                return scores.error();
            const auto least = std::ranges::min_element(*scores) - scores->begin();
            const HeadSet& unit = units[left[static_cast<std::size_t>(least)]];
            removed.insert(removed.end(), unit.begin(), unit.end());
            floor.remove(unit);
            order.units.push_back(unit);
            order.scores.push_back((*scores)[static_cast<std::size_t>(least)]);
            left.erase(left.begin() + least);
        }
    }

    /// The loss without each candidate, too.
    Result<std::vector<double>> lossesWithout(const HeadSet& removed,
                                              const std::vector<std::size_t>& candidates,
                                              const std::stop_token& stop) {
        if (auto base = lossWithout(removed, true, stop); !base)
            return base.error();
        std::vector<double> losses;
        for (const std::size_t unit : candidates) {
            HeadSet more = removed;
            more.insert(more.end(), units[unit].begin(), units[unit].end());
            const auto loss = lossWithout(more, false, stop);
            if (!loss)
                return loss.error();
            losses.push_back(*loss);
        }
        return losses;
    }

    /// Gradients of the gates of a smaller network, by unit.
    Result<std::vector<double>> gradientsWithout(const HeadSet& removed,
                                                 const std::vector<std::size_t>& candidates,
                                                 const std::stop_token& stop) {
        const auto smaller = cut_model->with(judge->cut(removed));
        const auto left = gateGradients(smaller, calibration, {}, stop);
        if (!left)
            return left.error();
        PerHead<double> gate(headIndex(model->spec));
        for (const LayerHead head : left->heads())
            gate[head] = (*left)[head];
        const auto sums = unitScores(gate);
        std::vector<double> scores(candidates.size());
        std::ranges::transform(candidates, scores.begin(),
                               [&](std::size_t unit) { return sums[unit]; });
        return scores;
    }
};

OrderMaker::OrderMaker(std::shared_ptr<const Model> model, const PassageSet& calibration,
                       Options options)
    : state_(new State{model, calibration, options, pruningUnits(model->spec, options.unit),
                       std::make_shared<CutModel>(model)}) {}

OrderMaker::~OrderMaker() = default;

const std::shared_ptr<CutModel>& OrderMaker::cutModel() const {
    return state_->cut_model;
}

Result<std::shared_ptr<const HeadStatistics>> OrderMaker::statistics(const Progress& progress,
                                                                     const std::stop_token& stop) {
    if (auto made = state_->makeStatistics(progress, stop); !made)
        return made.error();
    return state_->statistics;
}

Result<PruningOrder> OrderMaker::make(const OrderSpec& spec, const Progress& progress,
                                      const std::stop_token& stop) {
    State& state = *state_;
    if (needsLoss(spec.kind))
        if (auto made = state.makeJudge(progress, stop); !made)
            return made.error();
    switch (spec.kind) {
    case OrderKind::Random:
        return state.ranked(spec, state.drawnPlaces(spec.seed));
    case OrderKind::OwnList: {
        const auto places = state.listedPlaces(spec.own_list);
        return places ? Result<PruningOrder>(state.ranked(spec, *places)) : places.error();
    }
    case OrderKind::Ablation: {
        const auto scores = state.ablationScores(progress, stop);
        return scores ? Result<PruningOrder>(state.ranked(spec, *scores)) : scores.error();
    }
    case OrderKind::Greedy:
        return state.greedy(
            spec,
            [&](const HeadSet& removed, const std::vector<std::size_t>& left) {
                return state.lossesWithout(removed, left, stop);
            },
            progress);
    case OrderKind::GreedyGradient:
        return state.greedy(
            spec,
            [&](const HeadSet& removed, const std::vector<std::size_t>& left) {
                return state.gradientsWithout(removed, left, stop);
            },
            progress);
    default:
        break;
    }
    const auto scores = state.headScores(spec, progress, stop);
    if (!scores)
        return scores.error();
    return state.ranked(spec, state.unitScores(*scores));
}

} // namespace headscope
