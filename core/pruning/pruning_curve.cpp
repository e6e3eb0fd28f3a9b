#include "core/pruning/pruning_curve.h"

#include "core/pruning/measure/judge.h"
#include "core/pruning/scores/bias_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

namespace headscope {

namespace {

/// Evenly over all units, as far as an order goes.
std::vector<std::size_t> evenCuts(std::size_t units, std::size_t points, std::size_t longest) {
    std::set<std::size_t> cuts;
    for (std::size_t i = 1; i <= points; ++i)
        cuts.insert((i * units + points / 2) / points);
    cuts.erase(0);
    std::erase_if(cuts, [longest](std::size_t cut) { return cut > longest; });
    return {cuts.begin(), cuts.end()};
}

Result<void> checkQuestion(const PruningQuestion& question, const PassageSet& calibration,
                           const PassageSet& test) {
    if (question.orders.empty() || question.points == 0)
        return Error{ErrorCode::InvalidArgument,
                     "There is nothing to measure: give at least one order and one point."};
    return checkApart(calibration, test);
}

std::size_t headsIn(const PruningOrder& order, std::size_t units) {
    return std::accumulate(order.units.begin(),
                           order.units.begin() + static_cast<std::ptrdiff_t>(units), std::size_t{0},
                           [](std::size_t sum, const HeadSet& unit) { return sum + unit.size(); });
}

HeadSet headsOf(const PruningOrder& order, std::size_t units) {
    HeadSet heads;
    for (std::size_t i = 0; i < units; ++i)
        heads.insert(heads.end(), order.units[i].begin(), order.units[i].end());
    return heads;
}

/// Null where an order is not among the parts.
const PruningOrder* orderIn(const PruningParts& parts, const OrderSpec& spec) {
    const auto known = std::ranges::find(parts.orders, spec, &PruningOrder::spec);
    return known == parts.orders.end() ? nullptr : &*known;
}

const CurvePoint* pointIn(const PruningParts& parts, const OrderSpec& spec, std::size_t units) {
    const std::string name = spec.name();
    const auto known = std::ranges::find_if(parts.points, [&](const auto& part) {
        return part.order == name && part.point.units == units;
    });
    return known == parts.points.end() ? nullptr : &known->point;
}

/// What is known without a run.
PruningResult emptyResult(const Model& model, const PassageSet& test,
                          const PruningQuestion& question) {
    PruningResult result;
    result.question = question;
    result.model_name = model.name;
    result.heads = model.spec.allHeads().size();
    result.units = pruningUnits(model.spec, question.unit).size();
    result.layout = layoutOf(test);
    return result;
}

/// Where a curve's next point is, if it has one left.
std::optional<std::size_t> nextCut(const PruningResult& result, const PruningCurve& curve) {
    for (const std::size_t units : curveCuts(result, curve.order))
        if (std::ranges::find(curve.points, units, &CurvePoint::units) == curve.points.end())
            return units;
    return narrowingCut(result, curve, result.question.tolerance);
}

/// Adds points to a curve until it is whole; `point` gives the point for a number of units.
Result<void> completeCurve(const PruningResult& result, PruningCurve& curve,
                           const std::function<Result<CurvePoint>(std::size_t units)>& point) {
    while (const auto units = nextCut(result, curve)) {
        auto next = point(*units);
        if (!next)
            return next.error();
        const auto later = std::ranges::upper_bound(curve.points, *units, {}, &CurvePoint::units);
        curve.points.insert(later, *std::move(next));
    }
    return {};
}

/// How many cuts narrow a curve down at most.
double narrowingCost(const PruningResult& result) {
    const std::size_t points = std::min(result.question.points, result.units);
    return std::ceil(std::log2(static_cast<double>(result.units) / static_cast<double>(points)));
}

Error partMissing(const OrderSpec& spec) {
    return {ErrorCode::NotFound, "The parts of the order " + spec.name() + " are not all there."};
}

/// The prompts of a task, and who judges by them.
struct Task {
    PassageSet passages;
    std::optional<RemovalJudge> judge;
};

/// One question, order by order and cut by cut.
class CurveMeasurement {
public:
    CurveMeasurement(std::shared_ptr<const Model> model, const PassageSet& calibration,
                     const PassageSet& test, PruningResult& result, const PruningParts& parts,
                     const Progress& progress, const std::stop_token& stop)
        : model_(std::move(model)), calibration_(calibration), test_(test), result_(result),
          parts_(parts), progress_(progress), stop_(stop),
          maker_(model_, calibration,
                 {result.question.unit, result.question.limits, result.question.replacement}) {
        for (const OrderSpec& spec : result.question.orders)
            total_ += costLeft(spec);
    }

    Result<void> operator()() {
        if (auto made = makeJudge(); !made)
            return made;
        result_.whole.sums = sumsOf(test_, judge_->whole());
        if (auto done = addControl(); !done)
            return done;
        if (parts_.on_whole)
            parts_.on_whole(result_);
        for (const OrderSpec& spec : result_.question.orders)
            if (auto done = addCurve(spec); !done)
                return done;
        return {};
    }

private:
    Result<void> makeJudge() {
        const PruningQuestion& question = result_.question;
        report(progress_, 0.0, "the whole model");
        RemovalWay way{question.replacement, question.compensation, nullptr, &calibration_};
        if (readsStatistics(question.replacement, question.compensation)) {
            auto statistics = maker_.statistics({}, stop_);
            if (!statistics)
                return statistics.error();
            way.statistics = *statistics;
        }
        auto judge = RemovalJudge::make(maker_.cutModel(), test_, Compare::WithWhole, way, stop_);
        if (!judge)
            return judge.error();
        judge_.emplace(*std::move(judge));
        for (const ChoiceTaskKind kind : question.tasks)
            if (auto added = addTask(kind); !added)
                return added;
        return {};
    }

    Result<void> addControl() {
        if (result_.question.compensation == Compensation::None)
            return {};
        report(progress_, 0.0, "the whole model, fitted to the calibration text");
        const auto fitted = refittedBiases(model_, calibration_, stop_);
        if (!fitted)
            return fitted.error();
        const auto readings = judge_->uncut(*fitted, stop_);
        if (!readings)
            return readings.error();
        result_.control = CurvePoint{0, 0, sumsOf(test_, *readings), {}};
        for (std::size_t i = 0; i < tasks_.size(); ++i) {
            const auto task = tasks_[i]->judge->uncut(*fitted, stop_);
            if (!task)
                return task.error();
            result_.control->choices.push_back(choiceReading(result_.whole.choices[i].kind, *task));
        }
        return {};
    }

    Result<void> addTask(ChoiceTaskKind kind) {
        auto task = std::make_unique<Task>();
        task->passages = choicePassages(*model_, kind);
        if (task->passages.passages.empty())
            return {};
        auto judge = judge_->onText(task->passages, Compare::Nothing, stop_);
        if (!judge)
            return judge.error();
        const ChoiceReading whole = choiceReading(kind, judge->whole());
        if (whole.right < kDoesTask)
            return {};
        result_.whole.choices.push_back(whole);
        task->judge.emplace(*std::move(judge));
        tasks_.push_back(std::move(task));
        return {};
    }

    Result<std::vector<ChoiceReading>> choicesWithout(const HeadSet& removed) {
        std::vector<ChoiceReading> choices;
        for (std::size_t i = 0; i < tasks_.size(); ++i) {
            const auto readings = tasks_[i]->judge->without(removed, true, stop_);
            if (!readings)
                return readings.error();
            choices.push_back(choiceReading(result_.whole.choices[i].kind, *readings));
        }
        return choices;
    }

    Result<void> addCurve(const OrderSpec& spec) {
        const double end = done_ + costLeft(spec);
        auto order = finishedOrder(spec);
        if (!order)
            return order.error();
        PruningCurve curve{*std::move(order), {}};
        if (auto whole =
                completeCurve(result_, curve,
                              [&](std::size_t units) { return finishedPoint(curve.order, units); });
            !whole)
            return whole;
        done_ = end;
        result_.curves.push_back(std::move(curve));
        return {};
    }

    const PruningOrder* knownOrder(const OrderSpec& spec) const { return orderIn(parts_, spec); }
    const CurvePoint* knownPoint(const OrderSpec& spec, std::size_t units) const {
        return pointIn(parts_, spec, units);
    }

    /// The cost of the order and its cuts, without what an earlier run finished.
    double costLeft(const OrderSpec& spec) const {
        double cost = knownOrder(spec) ? 0.0 : rankingCost(spec.kind, result_.units);
        for (const std::size_t units :
             evenCuts(result_.units, result_.question.points, result_.units))
            cost += knownPoint(spec, units) ? 0.0 : 1.0;
        return cost + narrowingCost(result_);
    }

    Result<PruningOrder> finishedOrder(const OrderSpec& spec) {
        if (const PruningOrder* known = knownOrder(spec))
            return *known;
        const double cost = rankingCost(spec.kind, result_.units);
        auto order =
            maker_.make(spec, partOf(progress_, done_ / total_, (done_ + cost) / total_), stop_);
        done_ += cost;
        if (order && parts_.on_order)
            parts_.on_order(*order);
        return order;
    }

    Result<CurvePoint> finishedPoint(const PruningOrder& order, std::size_t units) {
        if (const CurvePoint* known = knownPoint(order.spec, units))
            return *known;
        report(progress_, std::min(1.0, done_ / total_),
               order.spec.name() + ": " + std::to_string(units) + " of " +
                   std::to_string(result_.units) + " removed");
        done_ += 1.0;
        const HeadSet removed = headsOf(order, units);
        const auto readings = judge_->without(removed, true, stop_);
        if (!readings)
            return readings.error();
        auto choices = choicesWithout(removed);
        if (!choices)
            return choices.error();
        CurvePoint point{units, removed.size(), sumsOf(test_, *readings), *std::move(choices)};
        if (parts_.on_point)
            parts_.on_point(order.spec, point);
        return point;
    }

    std::shared_ptr<const Model> model_;
    const PassageSet& calibration_;
    const PassageSet& test_;
    PruningResult& result_;
    const PruningParts& parts_;
    const Progress& progress_;
    const std::stop_token& stop_;
    OrderMaker maker_;
    std::optional<RemovalJudge> judge_;
    std::vector<std::unique_ptr<Task>> tasks_; ///< as the readings of the whole network
    double total_ = 0.0;                       ///< cost of all that is not known
    double done_ = 0.0;
};

} // namespace

const ChoiceReading* CurvePoint::choice(ChoiceTaskKind kind) const {
    const auto found = std::ranges::find(choices, kind, &ChoiceReading::kind);
    return found == choices.end() ? nullptr : &*found;
}

HeadSet PruningResult::removedAt(const PruningCurve& curve, std::size_t units) {
    return headsOf(curve.order, units);
}

const PassageSums& PruningResult::standard() const {
    const bool fitted_is_better =
        control && meanOf(layout, control->sums).loss < meanOf(layout, whole.sums).loss;
    return fitted_is_better ? control->sums : whole.sums;
}

bool isAbove(const PruningResult& result, const CurvePoint& point, double tolerance) {
    return meanOf(result, point.sums).loss >
           (1.0 + tolerance) * meanOf(result, result.standard()).loss;
}

std::optional<std::size_t> narrowingCut(const PruningResult& result, const PruningCurve& curve,
                                        double tolerance) {
    std::size_t below = 0;
    for (const CurvePoint& point : curve.points) {
        if (!isAbove(result, point, tolerance)) {
            below = point.units;
            continue;
        }
        const std::size_t middle = (below + point.units) / 2;
        return middle > below ? std::optional(middle) : std::nullopt;
    }
    return std::nullopt;
}

std::vector<std::size_t> curveCuts(const PruningResult& result, const PruningOrder& order) {
    return evenCuts(result.units, result.question.points, order.units.size());
}

MeanReading meanOf(const PruningResult& result, const PassageSums& sums) {
    return meanOf(result.layout, sums);
}

Result<PruningResult> pruneAndMeasure(const std::shared_ptr<const Model>& model,
                                      const PassageSet& calibration, const PassageSet& test,
                                      const PruningQuestion& question, const PruningParts& parts,
                                      const Progress& progress, const std::stop_token& stop) {
    if (auto good = checkQuestion(question, calibration, test); !good)
        return good.error();
    PruningResult result = emptyResult(*model, test, question);
    if (auto done = CurveMeasurement(model, calibration, test, result, parts, progress, stop)();
        !done)
        return done.error();
    return result;
}

Result<PruningResult> pruningFromParts(const Model& model, const PassageSet& test,
                                       const PruningQuestion& question, const CurvePoint& whole,
                                       const std::optional<CurvePoint>& control,
                                       const PruningParts& parts) {
    PruningResult result = emptyResult(model, test, question);
    result.whole = whole;
    result.control = control;
    for (const OrderSpec& spec : question.orders) {
        const PruningOrder* const order = orderIn(parts, spec);
        if (order == nullptr)
            return partMissing(spec);
        PruningCurve curve{*order, {}};
        auto whole_curve =
            completeCurve(result, curve, [&](std::size_t units) -> Result<CurvePoint> {
                const CurvePoint* const point = pointIn(parts, spec, units);
                return point == nullptr ? Result<CurvePoint>(partMissing(spec)) : *point;
            });
        if (!whole_curve)
            return whole_curve.error();
        result.curves.push_back(std::move(curve));
    }
    return result;
}

double rankingCost(OrderKind kind, std::size_t units) {
    const auto count = static_cast<double>(units);
    switch (kind) {
    case OrderKind::Random:
    case OrderKind::OwnList:
    case OrderKind::WeightNorm:
        return 0.0;
    case OrderKind::Ablation:
        return count / 2.0;
    case OrderKind::Greedy:
        return count * count / 4.0;
    case OrderKind::GreedyGradient:
        return 3.0 * count;
    case OrderKind::Taylor:
        return 12.0;
    default:
        return 3.0;
    }
}

Result<Cut> compensatedCut(const std::shared_ptr<const Model>& model, const PassageSet& calibration,
                           const HeadSet& removed, Compensation compensation,
                           const Progress& progress, const std::stop_token& stop) {
    if (compensation == Compensation::None)
        return Cut{removed, {}};
    auto statistics = headStatistics(model, calibration, progress, stop);
    if (!statistics)
        return statistics.error();
    return Compensator(model, std::make_shared<const HeadStatistics>(*std::move(statistics)),
                       compensation)
        .cut(removed);
}

Result<ChosenCut> chooseCut(const std::shared_ptr<const Model>& model,
                            const PassageSet& calibration, const PruningQuestion& question,
                            double share, const Progress& progress, const std::stop_token& stop) {
    if (question.orders.size() != 1)
        return Error{ErrorCode::InvalidArgument, "A cut is chosen by one order; found " +
                                                     std::to_string(question.orders.size()) + "."};
    OrderMaker maker(model, calibration, {question.unit, question.limits, question.replacement});
    auto order = maker.make(question.orders.front(), partOf(progress, 0.0, 0.9), stop);
    if (!order)
        return order.error();
    const double wanted = share * static_cast<double>(model->spec.allHeads().size());
    ChosenCut chosen{*std::move(order), 0, {}};
    while (chosen.units < chosen.order.units.size() &&
           static_cast<double>(headsIn(chosen.order, chosen.units)) < wanted - 0.5)
        ++chosen.units;
    if (static_cast<double>(headsIn(chosen.order, chosen.units)) < wanted - 0.5)
        return Error{ErrorCode::InvalidArgument,
                     "Only " + std::to_string(headsIn(chosen.order, chosen.units)) +
                         " heads can go by this order and these limits, fewer than were asked "
                         "for; ask for less or lower the limits."};
    const HeadSet removed = headsOf(chosen.order, chosen.units);
    std::shared_ptr<const HeadStatistics> statistics;
    if (readsStatistics(Replacement::Zero, question.compensation)) {
        auto made = maker.statistics(partOf(progress, 0.9, 1.0), stop);
        if (!made)
            return made.error();
        statistics = *std::move(made);
    }
    chosen.cut = Compensator(model, std::move(statistics), question.compensation).cut(removed);
    return chosen;
}

} // namespace headscope
