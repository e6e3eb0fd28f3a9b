#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/interventions/sweep.h"
#include "core/model/model.h"
#include "core/model/model_spec.h"
#include "core/pruning/compensation.h"
#include "core/pruning/measure/head_statistics.h"
#include "core/pruning/passages.h"
#include "core/pruning/smaller_model.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// What is removed at a time. A query head of a group of several takes W_Q and W_O along and leaves
/// W_K and W_V to the others, so that a whole group saves more than its heads one by one.
enum class PruningUnit { Head, Group, Layer };

/// "head", "group", "layer"
std::string_view pruningUnitName(PruningUnit unit);
std::optional<PruningUnit> pruningUnitNamed(std::string_view name);

/// All of them, layer by layer; a layer without heads has none.
std::vector<HeadSet> pruningUnits(const ModelSpec& spec, PruningUnit unit);

/// What must stay.
struct PruningLimits {
    std::size_t least_per_layer = 0; ///< units
    HeadSet protected_heads;
};

/// Tells which units may still be removed while one after the other is.
class PruningFloor {
public:
    PruningFloor(const std::vector<HeadSet>& units, const PruningLimits& limits);

    bool mayGo(const HeadSet& unit) const;
    void remove(const HeadSet& unit) { --left_[unit.front().layer]; }

private:
    PruningLimits limits_;
    std::vector<std::size_t> left_; ///< [layer], units
};

/// By what heads are ranked, the least first. Heads of a unit add up.
enum class OrderKind {
    Random,          ///< drawn from a seed
    Ablation,        ///< loss on the calibration text without the unit, less that with it
    Gradient,        ///< mean |∂ loss / ∂ gate| (Michel et al. 2019)
    GradientByLayer, ///< the same over its length, √Σ², in the layer (Molchanov et al. 2017)
    Taylor,          ///< KL to the whole network, to second order in the gate
    WeightNorm,      ///< ‖W_V W_O‖
    OutputNorm,      ///< mean ‖z W_O‖ over that of the layer (arXiv 2504.03889)
    Fluctuation,     ///< Σ Var(z)·‖W_O‖² over that of the layer (FLAP; An et al. 2024)
    Wanda,           ///< Σ |W_O|·‖z‖ over that of the layer (Sun et al. 2024)
    Reconstruction,  ///< what the other heads of the layer cannot reproduce by least squares
    Redundancy,      ///< of the two most similar heads, the one that adds less
    HeadType,        ///< heads without a type first, then those whose type is weak
    OwnList,         ///< as given
    Greedy,          ///< Ablation, scored again after every cut
    GreedyGradient,  ///< Gradient, likewise
};

/// "random", "ablation", "gradient", "gradient-layer", "taylor", "weight", "ahon", "flap", "wanda",
/// "reconstruction", "redundancy", "type", "list", "greedy", "greedy-gradient"
std::string_view orderKindName(OrderKind kind);
std::span<const OrderKind> orderKinds();
std::optional<OrderKind> orderKindNamed(std::string_view name);

struct OrderSpec {
    OrderKind kind = OrderKind::Gradient;
    std::uint64_t seed = 0;         ///< Random, and the draws of Taylor
    HeadSet own_list = {};          ///< OwnList
    std::string own_list_name = ""; ///< "heads.txt"

    /// "gradient", "random:3" with the seed, "list:heads.txt"
    std::string name() const;
    bool operator==(const OrderSpec&) const = default;
};

/// The order of a list of heads, as parseHeads() reads it. Fails as that does.
Result<OrderSpec> ownListOrder(std::string_view heads, const std::string& name,
                               const ModelSpec& spec);

/// In which order units go, as far as the limits let them.
struct PruningOrder {
    OrderSpec spec;
    std::vector<HeadSet> units;
    /// One per unit; in greedy orders when it was removed, in Random and OwnList its place.
    std::vector<double> scores;
};

/// What is measured on the calibration text, for any number of orders.
class OrderMaker {
public:
    struct Options {
        PruningUnit unit = PruningUnit::Head;
        PruningLimits limits;
        Replacement replacement = Replacement::Zero;
    };

    /// `calibration` must outlive it.
    OrderMaker(std::shared_ptr<const Model> model, const PassageSet& calibration, Options options);
    ~OrderMaker();
    OrderMaker(const OrderMaker&) = delete;
    OrderMaker& operator=(const OrderMaker&) = delete;

    /// Fails as the runs do; for a network without a vocabulary where the order needs its loss; for
    /// a list with heads that the network does not have, twice the same, or half a unit.
    Result<PruningOrder> make(const OrderSpec& spec, const Progress& progress = {},
                              const std::stop_token& stop = {});

    /// The network that is cut on the way, for judges to share between two orders.
    const std::shared_ptr<CutModel>& cutModel() const;

    /// One pass over the calibration text, made when it is first asked for.
    Result<std::shared_ptr<const HeadStatistics>> statistics(const Progress& progress = {},
                                                             const std::stop_token& stop = {});

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace headscope
