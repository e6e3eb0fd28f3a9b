#pragma once

#include "core/base/layer_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/head_mask.h"
#include "core/interventions/metric.h"
#include "core/model/model.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Heads that are ablated together.
using HeadSet = std::vector<LayerHead>;

/// "4.1 4.2"
std::string headSetText(const HeadSet& heads);

/// Every head by itself.
std::vector<HeadSet> singleHeads(const ModelSpec& spec);
/// The heads that share keys and values; single heads where each has its own.
std::vector<HeadSet> kvGroups(const ModelSpec& spec);

/// "4.1,4.2" → each of these heads by itself; "all" → singleHeads(); "kv-groups" → kvGroups().
/// Fails on anything that is no head of this network.
Result<std::vector<HeadSet>> parseHeadSets(std::string_view text, const ModelSpec& spec);

/// What is lost when sets of heads are ablated, one set at a time.
struct SweepQuestion {
    std::vector<TokenIds> prompts; ///< at least one
    std::vector<HeadSet> units;    ///< empty: singleHeads
    AblationKind kind = AblationKind::Zero;
    /// The patterns of the whole network are forced on all heads, so that later ones cannot look
    /// elsewhere. With Zero the pattern-preserving ablation of Olsson et al. 2022.
    bool preserve_patterns = false;
    /// TextMean: the prompts that are averaged; empty: `prompts`. Resample: one for each prompt, of
    /// the same length.
    std::vector<TokenIds> references;
    Metric metric; ///< Kl is from the whole network to the ablated one
    EffectMethod method = EffectMethod::Exact;
};

/// What replaces z, by the name that users give it: zero, mean, resample or pattern-preserving. The
/// mean is that of the references where there are any.
void chooseSweepKind(SweepQuestion& question, std::string_view name);

/// "zero", "mean", …; "pattern-preserving" for Zero with patterns preserved, "pattern-preserving
/// mean", … for the others.
std::string sweepKindName(const SweepQuestion& question);
/// The text for Provenance::ablation: "mean, one set of heads at a time"
std::string sweepText(const SweepQuestion& question);

/// All values are means over the prompts.
struct SweepResult {
    SweepQuestion question;     ///< with the units that were run
    double full = 0.0;          ///< the metric of the whole network
    std::vector<double> values; ///< of the network with each unit ablated

    double difference(std::size_t unit) const { return values[unit] - full; }
};

/// Exact: every value is that of a run with the unit ablated. Each prompt is run once as a whole;
/// runs that ablate in layer l then resume from the residual stream and the z of that layer, many
/// units as one batch, and compute only the logits that the metric reads. Gradient: a head is its
/// gate ξ going from 1 to 0, and to first order the metric goes with it by −∂metric/∂ξ (Michel et
/// al. 2019), so that |difference()| is the importance of a head there; the heads of a set add up.
/// One forward and one reverse pass per prompt in place of one run per unit. Fails for heads the
/// network does not have, prompts the metric does not fit, references that are missing or of
/// another length, and for what has no such estimate: every kind but Zero, preserved patterns, and
/// Kl, whose slope is 0; ErrorCode::Cancelled on a stop request.
Result<SweepResult> sweepHeads(const std::shared_ptr<const Model>& model,
                               const SweepQuestion& question, const Progress& progress = {},
                               std::stop_token stop = {});

/// A part of a sweep that is measured by itself: one prompt with the sets of heads that begin in
/// one layer, or with all of them.
struct SweepStep {
    std::size_t prompt = 0;
    std::optional<std::size_t> layer; ///< nothing: all of them
    std::vector<std::size_t> units;   ///< places in SweepQuestion::units, as they are run
    std::size_t cost = 0;             ///< layers that are run

    /// "prompt 3, layer 4", both counted from 0
    std::string name() const;
};

/// What a step measured.
struct SweepPart {
    double full = 0.0;          ///< the metric of the whole network
    std::vector<double> values; ///< with each of SweepStep::units ablated
};

/// From this number of prompts on, and for gradients always, a step is a whole prompt: there are
/// enough of them then, and the whole network runs once for all layers of a prompt.
inline constexpr std::size_t kPromptsTakenWhole = 64;

/// A sweep step by step. Which runs make a batch is a matter of the step alone, so that a part has
/// the same bits whatever else was measured before, on machines with the same kernels and threads.
class SweepSteps {
public:
    /// Fails as sweepHeads() does for questions that make no sense.
    static Result<SweepSteps> make(std::shared_ptr<const Model> model,
                                   const SweepQuestion& question);
    ~SweepSteps();
    SweepSteps(SweepSteps&& other) noexcept;
    SweepSteps& operator=(SweepSteps&& other) noexcept;

    /// With the units that are run.
    const SweepQuestion& question() const;
    const std::vector<SweepStep>& steps() const;

    /// Hears how many more units are measured.
    using UnitsFinished = std::function<void(std::size_t)>;
    /// What the whole network makes of a prompt stays until a step of another prompt is run. Fails
    /// as sweepHeads() does.
    Result<SweepPart> run(std::size_t step, const UnitsFinished& finished = {},
                          const std::stop_token& stop = {});

    /// One part for each step, with a value for each of its units.
    SweepResult merge(std::span<const SweepPart> parts) const;

private:
    struct State;
    explicit SweepSteps(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace headscope
