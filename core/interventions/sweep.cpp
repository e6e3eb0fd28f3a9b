#include "core/interventions/sweep.h"

#include "core/engine/backward.h"
#include "core/interventions/runs/kept_run.h"
#include "core/interventions/runs/stand_ins.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

std::string headSetText(const HeadSet& heads) {
    return HeadMask::of(heads, AblationKind::Zero).text();
}

void chooseSweepKind(SweepQuestion& question, std::string_view name) {
    question.preserve_patterns = name == "pattern-preserving";
    question.kind = AblationKind::Zero;
    if (name == "mean")
        question.kind = question.references.empty() ? AblationKind::Mean : AblationKind::TextMean;
    else if (name == "resample")
        question.kind = AblationKind::Resample;
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
    auto steps = SweepSteps::make(model, question);
    if (!steps)
        return steps.error();
    const std::size_t prompts = question.prompts.size();
    const bool estimates = question.method == EffectMethod::Gradient;
    const std::size_t total = steps->question().units.size() * prompts;
    std::size_t measured = 0;
    const auto finished = [&](std::size_t count) {
        measured += count;
        if (!estimates)
            report(progress, static_cast<double>(measured) / static_cast<double>(total),
                   std::to_string(measured) + " of " + std::to_string(total) + " ablations");
    };
    std::vector<SweepPart> parts;
    for (const SweepStep& step : steps->steps()) {
        if (estimates)
            report(progress, static_cast<double>(step.prompt) / static_cast<double>(prompts),
                   "prompt " + std::to_string(step.prompt + 1) + " of " + std::to_string(prompts));
        auto part = steps->run(parts.size(), finished, stop);
        if (!part)
            return part.error();
        parts.push_back(*std::move(part));
    }
    return steps->merge(parts);
}

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
    for (const TokenIds& ids : question.prompts)
        if (auto metric = PromptMetric::make(question.metric, spec, ids); !metric)
            return metric.error();
    if (question.method == EffectMethod::Gradient)
        return checkEstimate(question);
    return question.kind == AblationKind::Resample
               ? checkResampled(question.prompts, question.references)
               : Result<void>();
}

/// What all steps of one prompt share.
struct WholePrompt {
    std::size_t prompt = 0;
    PromptMetric metric;
    KeptRun full;
    std::shared_ptr<const StandIns> stand_ins;
};

std::vector<SweepStep> stepsOf(const SweepQuestion& question, const UnitsByLayer& by_layer,
                               std::size_t layers) {
    const bool whole =
        question.method == EffectMethod::Gradient || question.prompts.size() >= kPromptsTakenWhole;
    std::vector<SweepStep> steps;
    for (std::size_t prompt = 0; prompt < question.prompts.size(); ++prompt)
        for (const auto& [layer, units] : by_layer) {
            if (steps.empty() || steps.back().prompt != prompt || !whole)
                steps.push_back({prompt, whole ? std::nullopt : std::optional(layer), {}, layers});
            SweepStep& step = steps.back();
            step.units.insert(step.units.end(), units.begin(), units.end());
            if (question.method == EffectMethod::Exact)
                step.cost += units.size() * (layers - layer);
        }
    return steps;
}

} // namespace

std::string SweepStep::name() const {
    return "prompt " + std::to_string(prompt) +
           (layer ? ", layer " + std::to_string(*layer) : std::string());
}

struct SweepSteps::State {
    std::shared_ptr<const Model> model;
    SweepQuestion question;
    UnitsByLayer by_layer;
    std::vector<SweepStep> steps;
    PromptStandIns stand_ins;
    std::optional<WholePrompt> whole;

    State(std::shared_ptr<const Model> of_model, SweepQuestion asked)
        : model(std::move(of_model)), question(std::move(asked)),
          by_layer(byFirstLayer(question.units)),
          steps(stepsOf(question, by_layer, model->spec.n_layers)),
          stand_ins(model, question.kind, layersOf(question.units),
                    question.references.empty() ? question.prompts : question.references) {}

    /// The whole network on a prompt, unless it is the one that ran last.
    Result<void> runWhole(std::size_t prompt, const std::stop_token& stop) {
        if (whole && whole->prompt == prompt)
            return {};
        whole.reset();
        auto metric = PromptMetric::make(question.metric, model->spec, question.prompts[prompt]);
        if (!metric)
            return metric.error();
        auto others = stand_ins.of(prompt, stop);
        if (!others)
            return others.error();
        auto full = keepReferenceRun(model, question.prompts[prompt], pointsToResumeFrom(by_layer),
                                     *metric, stop);
        if (!full)
            return full.error();
        whole.emplace(
            WholePrompt{prompt, *std::move(metric), *std::move(full), *std::move(others)});
        return {};
    }

    Result<std::vector<double>> layerValues(std::size_t layer, const UnitsFinished& finished,
                                            const std::stop_token& stop) const {
        std::vector<RunItem> items;
        for (const std::size_t unit : by_layer.at(layer)) {
            RunItem item = whole->full.fromZ(layer);
            if (question.preserve_patterns)
                item.frozen_patterns = whole->full.run;
            addAblation(item.hooks, HeadMask::of(question.units[unit], question.kind), model->spec,
                        whole->stand_ins);
            items.push_back(std::move(item));
        }
        return measureRuns(model, std::move(items), layer, whole->metric, finished, stop);
    }

    Result<SweepPart> measure(const SweepStep& step, const UnitsFinished& finished,
                              const std::stop_token& stop) {
        if (auto run = runWhole(step.prompt, stop); !run)
            return run.error();
        SweepPart part{whole->full.measured, {}};
        for (const auto& [layer, units] : by_layer) {
            if (step.layer.value_or(layer) != layer)
                continue;
            const auto values = layerValues(layer, finished, stop);
            if (!values)
                return values.error();
            part.values.insert(part.values.end(), values->begin(), values->end());
        }
        return part;
    }

    /// All units of one prompt by its gates.
    Result<SweepPart> estimate(const SweepStep& step, const UnitsFinished& finished,
                               const std::stop_token& stop) const {
        const TokenIds& ids = question.prompts[step.prompt];
        const auto metric = PromptMetric::make(question.metric, model->spec, ids);
        if (!metric)
            return metric.error();
        SweepPart part;
        const auto slope = [&](const Tensor& logits) {
            part.full = metric->value(logits);
            return metric->gradient(logits);
        };
        const auto gradients = runBackward(model, ids, slope, {}, stop);
        if (!gradients)
            return gradients.error();
        for (const std::size_t unit : step.units) {
            double value = part.full;
            for (const LayerHead head : question.units[unit])
                value -= static_cast<double>(gradients->gates[head]);
            part.values.push_back(value);
        }
        if (finished)
            finished(step.units.size());
        return part;
    }
};

Result<SweepSteps> SweepSteps::make(std::shared_ptr<const Model> model,
                                    const SweepQuestion& question) {
    if (auto valid = check(question, model->spec); !valid)
        return valid.error();
    SweepQuestion asked = question;
    if (asked.units.empty())
        asked.units = singleHeads(model->spec);
    return SweepSteps(std::make_unique<State>(std::move(model), std::move(asked)));
}

SweepSteps::SweepSteps(std::unique_ptr<State> state) : state_(std::move(state)) {}
SweepSteps::~SweepSteps() = default;
SweepSteps::SweepSteps(SweepSteps&& other) noexcept = default;
SweepSteps& SweepSteps::operator=(SweepSteps&& other) noexcept = default;

const SweepQuestion& SweepSteps::question() const {
    return state_->question;
}

const std::vector<SweepStep>& SweepSteps::steps() const {
    return state_->steps;
}

Result<SweepPart> SweepSteps::run(std::size_t step, const UnitsFinished& finished,
                                  const std::stop_token& stop) {
    const SweepStep& chosen = state_->steps[step];
    return state_->question.method == EffectMethod::Exact
               ? state_->measure(chosen, finished, stop)
               : state_->estimate(chosen, finished, stop);
}

SweepResult SweepSteps::merge(std::span<const SweepPart> parts) const {
    const auto prompts = static_cast<double>(state_->question.prompts.size());
    SweepResult result{state_->question, 0.0, std::vector<double>(state_->question.units.size())};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const SweepStep& step = state_->steps[i];
        if (i == 0 || state_->steps[i - 1].prompt != step.prompt)
            result.full += parts[i].full / prompts;
        for (std::size_t place = 0; place < step.units.size(); ++place)
            result.values[step.units[place]] += parts[i].values[place] / prompts;
    }
    return result;
}

} // namespace headscope
