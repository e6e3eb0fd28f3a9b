#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/choice_task.h"
#include "core/pruning/compensation.h"
#include "core/pruning/orders.h"
#include "core/pruning/passages.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// How much of a network's attention can go, and in which order.
struct PruningQuestion {
    std::vector<OrderSpec> orders; ///< at least one
    PruningUnit unit = PruningUnit::Head;
    PruningLimits limits;
    Replacement replacement = Replacement::Zero;
    /// With any the curve is that of the compensated smaller model; the replacement then only
    /// scores heads.
    Compensation compensation = Compensation::None;
    /// Cuts of each curve, evenly over all units; where it first rises above the tolerance, further
    /// ones narrow that down to one unit (narrowingCut()).
    std::size_t points = 10;
    double tolerance = 0.01; ///< more loss that is allowed, as a share of that without cuts
    /// Measured besides, where the whole network does them (kDoesTask).
    std::vector<ChoiceTaskKind> tasks;
};

/// One cut of a curve.
struct CurvePoint {
    std::size_t units = 0; ///< how many are removed, the first of the order
    std::size_t heads = 0; ///< in these
    PassageSums sums;
    std::vector<ChoiceReading> choices; ///< of the tasks that are measured

    /// Null for a task that is not measured.
    const ChoiceReading* choice(ChoiceTaskKind kind) const;
};

struct PruningCurve {
    PruningOrder order;
    std::vector<CurvePoint> points; ///< ascending; fewer where the limits end the order
};

struct PruningResult {
    PruningQuestion question;
    std::string model_name;
    std::string text;      ///< PruningDomain::name
    std::size_t heads = 0; ///< of the whole network
    std::size_t units = 0;
    CurvePoint whole; ///< of no cut
    /// The point without a cut, with output biases fitted to the calibration text
    /// (refittedBiases()); only if removed heads are compensated for.
    std::optional<CurvePoint> control;
    PassageLayout layout;             ///< of the test text
    std::vector<PruningCurve> curves; ///< as the question's orders

    /// What cuts are judged against: the whole network, or the control where it is better, since
    /// what any fit to such a text brings is no merit of a cut.
    const PassageSums& standard() const;

    double share(const CurvePoint& point) const {
        return static_cast<double>(point.heads) / static_cast<double>(heads);
    }
    /// The heads that are removed at a point.
    static HeadSet removedAt(const PruningCurve& curve, std::size_t units);
};

/// Whether the loss of a cut is above (1 + tolerance) times that of standard().
bool isAbove(const PruningResult& result, const CurvePoint& point, double tolerance);

/// The cut that narrows down where a curve rises above the tolerance: halfway between the first
/// measured cut above it and the one before that. Nothing where these are neighbours and where no
/// cut is above. On a curve that falls again later it is still the first rise that counts, as far
/// as the evenly spaced cuts tell.
std::optional<std::size_t> narrowingCut(const PruningResult& result, const PruningCurve& curve,
                                        double tolerance);

/// How many units of an order are removed at each point of its curve before it is narrowed down,
/// ascending.
std::vector<std::size_t> curveCuts(const PruningResult& result, const PruningOrder& order);

/// The means at a cut.
MeanReading meanOf(const PruningResult& result, const PassageSums& sums);

/// Parts that an earlier run finished, and functions that are called with further ones.
struct PruningParts {
    std::vector<PruningOrder> orders;
    struct Point {
        std::string order; ///< OrderSpec::name()
        CurvePoint point;
    };
    std::vector<Point> points;

    /// Called with the readings of the uncut network, before there are curves.
    std::function<void(const PruningResult&)> on_whole = {};
    std::function<void(const PruningOrder&)> on_order = {};
    std::function<void(const OrderSpec&, const CurvePoint&)> on_point = {};
};

/// Ranks the units on the calibration text and measures each order's cuts on the test text. Fails
/// when the texts share a passage (checkApart), for a question without orders or points, and as
/// the runs do; ErrorCode::Cancelled on a stop request.
Result<PruningResult> pruneAndMeasure(const std::shared_ptr<const Model>& model,
                                      const PassageSet& calibration, const PassageSet& test,
                                      const PruningQuestion& question,
                                      const PruningParts& parts = {}, const Progress& progress = {},
                                      const std::stop_token& stop = {});

/// The same from the readings of the whole network and parts that hold all else, without a run.
/// Fails for a question whose orders and points are not all there.
Result<PruningResult> pruningFromParts(const Model& model, const PassageSet& test,
                                       const PruningQuestion& question, const CurvePoint& whole,
                                       const std::optional<CurvePoint>& control,
                                       const PruningParts& parts);

/// What it costs to rank `units` units, in cuts measured on the same text.
double rankingCost(OrderKind kind, std::size_t units);

/// A point of a curve, by their places in the result.
struct CurvePlace {
    std::size_t curve = 0;
    std::size_t point = 0;

    bool operator==(const CurvePlace&) const = default;
};

/// The cut of one order with its compensation: the first of its units that have at least this share
/// of all heads.
struct ChosenCut {
    PruningOrder order;
    std::size_t units = 0;
    Cut cut;
};
Result<ChosenCut> chooseCut(const std::shared_ptr<const Model>& model,
                            const PassageSet& calibration, const PruningQuestion& question,
                            double share, const Progress& progress = {},
                            const std::stop_token& stop = {});

/// The cut of heads that are already chosen.
Result<Cut> compensatedCut(const std::shared_ptr<const Model>& model, const PassageSet& calibration,
                           const HeadSet& removed, Compensation compensation,
                           const Progress& progress = {}, const std::stop_token& stop = {});

} // namespace headscope
