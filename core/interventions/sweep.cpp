#include "core/interventions/sweep.h"

#include "core/engine/backward.h"
#include "core/interventions/runs/kept_run.h"
#include "core/interventions/runs/stand_ins.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace headscope {

namespace {

/// Indices of the units by the layer at which they begin to differ from the whole network.
using UnitsByLayer = std::map<std::size_t, std::vector<std::size_t>>;

UnitsByLayer byFirstLayer(const std::vector<HeadSet>& units) {
    UnitsByLayer by_layer;
    for (std::size_t unit = 0; unit < units.size(); ++unit)
        by_layer[std::ranges::min(units[unit]).layer].push_back(unit);
    return by_layer;
}

std::set<std::size_t> layersOf(const std::vector<HeadSet>& units) {
    std::set<std::size_t> layers;
    for (const HeadSet& unit : units)
        for (const LayerHead head : unit)
            layers.insert(head.layer);
    return layers;
}

std::set<HookPoint> pointsToResumeFrom(const UnitsByLayer& by_layer) {
    std::set<HookPoint> points;
    for (const auto& [layer, units] : by_layer)
        points.insert({{HookKind::ResidPre, layer}, {HookKind::Z, layer}});
    return points;
}

HeadMask maskOf(const HeadSet& unit, AblationKind kind) {
    HeadMask mask;
    for (const LayerHead head : unit)
        mask.set(head, kind);
    return mask;
}

/// A gradient knows what zeroing does to a metric that has a slope.
Result<void> checkEstimate(const SweepQuestion& question) {
    if (question.kind == AblationKind::Zero && !question.preserve_patterns &&
        question.metric.kind != MetricKind::Kl)
        return {};
    return Error{ErrorCode::InvalidArgument,
                 "The gradient estimates what is lost when heads are zeroed, in loss, logit "
                 "difference or probability; measure other kinds and KL exactly."};
}

Result<void> check(const SweepQuestion& question, const ModelSpec& spec) {
    if (question.prompts.empty())
        return Error{ErrorCode::InvalidArgument, "There is no prompt to measure on; give one."};
    for (const HeadSet& unit : question.units) {
        if (unit.empty())
            return Error{ErrorCode::InvalidArgument,
                         "A set of heads to ablate is empty; name at least one head."};
        for (const LayerHead head : unit)
            if (auto exists = checkHead(head, spec); !exists)
                return exists;
    }
    if (question.method == EffectMethod::Gradient)
        return checkEstimate(question);
    return question.kind == AblationKind::Resample
               ? checkResampled(question.prompts, question.references)
               : Result<void>();
}

/// The units of one prompt after another.
class Sweep {
public:
    Sweep(const std::shared_ptr<const Model>& model, SweepResult& result, const Progress& progress,
          std::stop_token stop)
        : model_(model), question_(result.question), result_(result), progress_(progress),
          stop_(std::move(stop)), by_layer_(byFirstLayer(question_.units)),
          stand_ins_(model, question_.kind, layersOf(question_.units),
                     question_.references.empty() ? question_.prompts : question_.references) {}

    Result<void> addPrompt(std::size_t prompt) {
        const TokenIds& ids = question_.prompts[prompt];
        auto metric = PromptMetric::make(question_.metric, model_->spec, ids);
        if (!metric)
            return metric.error();
        const auto stand_ins = stand_ins_.of(prompt, stop_);
        if (!stand_ins)
            return stand_ins.error();
        const auto full =
            keepReferenceRun(model_, ids, pointsToResumeFrom(by_layer_), *metric, stop_);
        if (!full)
            return full.error();
        result_.full += share(full->measured);
        for (const auto& [layer, units] : by_layer_)
            if (auto added = addLayer(layer, units, *full, *stand_ins, *metric); !added)
                return added;
        return {};
    }

private:
    Result<void> addLayer(std::size_t layer, const std::vector<std::size_t>& units,
                          const KeptRun& full, const std::shared_ptr<const StandIns>& stand_ins,
                          const PromptMetric& metric) {
        std::vector<RunItem> items;
        for (const std::size_t unit : units) {
            RunItem item = full.fromZ(layer);
            if (question_.preserve_patterns)
                item.frozen_patterns = full.run;
            addAblation(item.hooks, maskOf(question_.units[unit], question_.kind), model_->spec,
                        stand_ins);
            items.push_back(std::move(item));
        }
        const auto values = measureRuns(
            model_, std::move(items), layer, metric,
            [this](std::size_t count) { reportFinished(count); }, stop_);
        if (!values)
            return values.error();
        for (std::size_t i = 0; i < units.size(); ++i)
            result_.values[units[i]] += share((*values)[i]);
        return {};
    }

    double share(double value) const {
        return value / static_cast<double>(question_.prompts.size());
    }

    void reportFinished(std::size_t count) {
        finished_ += count;
        const std::size_t total = question_.units.size() * question_.prompts.size();
        report(progress_, static_cast<double>(finished_) / static_cast<double>(total),
               std::to_string(finished_) + " of " + std::to_string(total) + " ablations");
    }

    const std::shared_ptr<const Model>& model_;
    const SweepQuestion& question_;
    SweepResult& result_;
    const Progress& progress_;
    std::stop_token stop_;
    UnitsByLayer by_layer_;
    PromptStandIns stand_ins_;
    std::size_t finished_ = 0;
};

/// The question with its units, and room for their values.
SweepResult resultFor(const SweepQuestion& question, const ModelSpec& spec) {
    SweepResult result;
    result.question = question;
    if (question.units.empty())
        result.question.units = singleHeads(spec);
    result.values.resize(result.question.units.size());
    return result;
}

/// Every unit of every prompt by a run.
Result<void> measure(const std::shared_ptr<const Model>& model, SweepResult& result,
                     const Progress& progress, const std::stop_token& stop) {
    Sweep sweep(model, result, progress, stop);
    for (std::size_t prompt = 0; prompt < result.question.prompts.size(); ++prompt)
        if (auto added = sweep.addPrompt(prompt); !added)
            return added;
    return {};
}

/// All units of one prompt by its gates.
Result<void> addEstimates(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                          SweepResult& result, const std::stop_token& stop) {
    const auto prompts = static_cast<double>(result.question.prompts.size());
    const auto metric = PromptMetric::make(result.question.metric, model->spec, ids);
    if (!metric)
        return metric.error();
    double full = 0.0;
    const auto slope = [&](const Tensor& logits) {
        full = metric->value(logits);
        return metric->gradient(logits);
    };
    const auto gradients = runBackward(model, ids, slope, {}, stop);
    if (!gradients)
        return gradients.error();
    result.full += full / prompts;
    for (std::size_t unit = 0; unit < result.values.size(); ++unit) {
        double value = full;
        for (const LayerHead head : result.question.units[unit])
            value -= static_cast<double>(gradients->gates(head.layer, head.head));
        result.values[unit] += value / prompts;
    }
    return {};
}

Result<void> estimate(const std::shared_ptr<const Model>& model, SweepResult& result,
                      const Progress& progress, const std::stop_token& stop) {
    const std::size_t prompts = result.question.prompts.size();
    for (std::size_t prompt = 0; prompt < prompts; ++prompt) {
        report(progress, static_cast<double>(prompt) / static_cast<double>(prompts),
               "prompt " + std::to_string(prompt + 1) + " of " + std::to_string(prompts));
        if (auto added = addEstimates(model, result.question.prompts[prompt], result, stop); !added)
            return added;
    }
    return {};
}

} // namespace

std::string headSetText(const HeadSet& heads) {
    return maskOf(heads, AblationKind::Zero).text();
}

std::string sweepKindName(const SweepQuestion& question) {
    const std::string kind(ablationKindName(question.kind));
    if (!question.preserve_patterns)
        return kind;
    return question.kind == AblationKind::Zero ? "pattern-preserving"
                                               : "pattern-preserving " + kind;
}

std::string sweepText(const SweepQuestion& question) {
    return sweepKindName(question) + ", one set of heads at a time" +
           (question.method == EffectMethod::Gradient ? ", estimated by gradient" : "");
}

std::vector<HeadSet> singleHeads(const ModelSpec& spec) {
    std::vector<HeadSet> units;
    for (const LayerHead head : spec.allHeads())
        units.push_back({head});
    return units;
}

std::vector<HeadSet> kvGroups(const ModelSpec& spec) {
    std::vector<HeadSet> units;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        for (const std::size_t place : spec.firstReaders(layer))
            units.push_back(spec.groupOf(spec.headAt(layer, place)));
    return units;
}

Result<std::vector<HeadSet>> parseHeadSets(std::string_view text, const ModelSpec& spec) {
    if (text == "all")
        return singleHeads(spec);
    if (text == "kv-groups")
        return kvGroups(spec);
    const auto mask = parseHeadMask(text, spec, AblationKind::Zero);
    if (!mask)
        return mask.error();
    std::vector<HeadSet> units;
    for (const auto& [head, kind] : mask->heads())
        units.push_back({head});
    return units;
}

Result<SweepResult> sweepHeads(const std::shared_ptr<const Model>& model,
                               const SweepQuestion& question, const Progress& progress,
                               std::stop_token stop) {
    if (auto valid = check(question, model->spec); !valid)
        return valid.error();
    SweepResult result = resultFor(question, model->spec);
    const auto done = question.method == EffectMethod::Exact
                          ? measure(model, result, progress, stop)
                          : estimate(model, result, progress, stop);
    if (!done)
        return done.error();
    return result;
}

} // namespace headscope
