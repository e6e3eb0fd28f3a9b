#include "core/interventions/activation_patching.h"

#include "core/engine/backward.h"
#include "core/interventions/runs/kept_run.h"
#include "core/tensor/rounding.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace headscope {

namespace {

/// The axis of positions; of patterns and scores [head, query, key] that of queries.
std::size_t positionAxis(HookKind kind) {
    return kind == HookKind::AttnScores || kind == HookKind::Pattern ? 1 : 0;
}

/// All of an axis, or one index of it.
template <class T>
BasicTensorView<T> part(BasicTensorView<T> value, std::size_t axis,
                        std::optional<std::size_t> index) {
    if (!index)
        return value;
    value.data += *index * value.strides[axis];
    value.shape[axis] = 1;
    return value;
}

void copyValues(const TensorView& from, const MutableTensorView& to, std::size_t axis = 0,
                std::size_t from_offset = 0, std::size_t to_offset = 0) {
    if (axis == from.rank()) {
        to.data[to_offset] = from.data[from_offset];
        return;
    }
    for (std::size_t i = 0; i < from.shape[axis]; ++i)
        copyValues(from, to, axis + 1, from_offset + i * from.strides[axis],
                   to_offset + i * to.strides[axis]);
}

/// Where runs that are patched at a hook point resume.
struct Resumption {
    std::size_t layer = 0;
    bool resid_pre = false; ///< else from the tokens
    bool z = false;         ///< attention comes before the patch and need not be computed again
};

Resumption resumptionFor(const ModelSpec& spec, HookPoint point) {
    if (point.kind < HookKind::ResidPre)
        return {};
    if (isAfterBlocks(point.kind))
        return {spec.n_layers - 1, true, true};
    return {point.layer, true, point.kind >= HookKind::Z};
}

class ActivationPatching {
public:
    ActivationPatching(const std::shared_ptr<const Model>& model, PatchResult& result,
                       const Progress& progress, std::stop_token stop)
        : model_(model), question_(result.question), result_(result), progress_(progress),
          stop_(std::move(stop)), head_axis_(headAxis(model->spec, question_.hook)) {
        for (const HookPoint point : hookPoints(model->spec))
            if (point.kind == question_.hook)
                result_.points.push_back(point);
    }

    Result<void> operator()() {
        if (auto valid = check(); !valid)
            return valid;
        auto metric = PromptMetric::make(question_.metric, model_->spec, question_.clean);
        if (!metric)
            return metric.error();
        const std::set<HookPoint> points{points_.begin(), points_.end()};
        const bool exact = question_.method == EffectMethod::Exact;
        const auto clean = keepReferenceRun(model_, question_.clean, points, *metric, stop_);
        if (!clean)
            return clean.error();
        const auto corrupted = keepRun(model_, question_.corrupted,
                                       exact ? pointsToResumeFrom() : points, &*metric, stop_);
        if (!corrupted)
            return corrupted.error();
        result_.clean = clean->measured;
        result_.corrupted = corrupted->measured;
        shapeResult();
        return exact ? measure(*clean, *corrupted, *metric) : estimate(*clean, *corrupted, *metric);
    }

private:
    Result<void> check() const {
        if (points_.empty())
            return Error{ErrorCode::NotFound,
                         "This " + model_->spec.family + " model has no such hook point."};
        if (question_.by_head && !head_axis_)
            return Error{ErrorCode::InvalidArgument,
                         "There are no heads to go by at '" +
                             hookName(model_->spec, points_.front()) +
                             "'; choose a hook point inside attention, such as z."};
        if (question_.method == EffectMethod::Gradient && question_.metric.kind == MetricKind::Kl)
            return Error{ErrorCode::InvalidArgument,
                         "The slope of KL is 0 at the prompt itself, so there is nothing to "
                         "estimate by; patch exactly or choose another metric."};
        return checkSameLength("The clean prompt", question_.clean, "the corrupted one",
                               question_.corrupted);
    }

    Result<void> measure(const KeptRun& clean, const KeptRun& corrupted,
                         const PromptMetric& metric) {
        for (std::size_t layer = 0; layer < points_.size(); ++layer)
            if (auto patched = patchAt(layer, clean.at(points_[layer]), corrupted, metric);
                !patched)
                return patched;
        return {};
    }

    Result<void> estimate(const KeptRun& clean, const KeptRun& corrupted,
                          const PromptMetric& metric) {
        BackwardRequest request;
        for (const HookPoint point : points_)
            request.hooks.emplace_back(point);
        const auto gradients = runBackward(
            model_, question_.corrupted,
            [&](const Tensor& logits) { return metric.gradient(logits); }, request, stop_);
        if (!gradients)
            return gradients.error();
        for (std::size_t layer = 0; layer < points_.size(); ++layer)
            for (std::size_t position = 0; position < result_.positions; ++position)
                for (const std::size_t head : headsPatchedAt(points_[layer]))
                    result_.values[result_.index(layer, position, head)] = corrupted.measured;
        for (std::size_t layer = 0; layer < points_.size(); ++layer)
            addEstimates(layer, gradients->hooks.at(points_[layer]), *clean.at(points_[layer]),
                         *corrupted.at(points_[layer]));
        return {};
    }

    /// Adds gradient · (clean − corrupted) of every element to the patch that it belongs to. Equal
    /// values add nothing, hidden scores of −∞ among them.
    void addEstimates(std::size_t layer, const Tensor& gradient, const Tensor& clean,
                      const Tensor& corrupted) {
        const auto indexOn = [shape = gradient.shape()](std::size_t element, std::size_t axis) {
            std::size_t stride = 1;
            for (std::size_t later = axis + 1; later < shape.size(); ++later)
                stride *= shape[later];
            return element / stride % shape[axis];
        };
        const std::size_t position_axis = positionAxis(question_.hook);
        const std::vector<std::size_t> heads = headsPatchedAt(points_[layer]);
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            if (clean.values()[i] == corrupted.values()[i])
                continue;
            const std::size_t position = question_.by_position ? indexOn(i, position_axis) : 0;
            const std::size_t head = heads[question_.by_head ? indexOn(i, *head_axis_) : 0];
            result_.values[result_.index(layer, position, head)] +=
                static_cast<double>(gradient.values()[i]) *
                (static_cast<double>(clean.values()[i]) -
                 static_cast<double>(corrupted.values()[i]));
        }
    }

    std::set<HookPoint> pointsToResumeFrom() const {
        std::set<HookPoint> points;
        for (const HookPoint point : points_) {
            const Resumption from = resumptionFor(model_->spec, point);
            if (from.resid_pre)
                points.insert({HookKind::ResidPre, from.layer});
            if (from.z)
                points.insert({HookKind::Z, from.layer});
        }
        return points;
    }

    void shapeResult() {
        const Shape shape = hookShape(model_->spec, points_.front(), question_.clean.size());
        result_.positions = question_.by_position ? shape[positionAxis(question_.hook)] : 1;
        for (const HookPoint point : points_) {
            const std::vector<std::size_t> heads = headsPatchedAt(point);
            for (const std::size_t head : heads) // of a layer that has lost all: none
                result_.heads = std::max(result_.heads, head + 1);
            total_ += result_.positions * heads.size();
        }
        result_.values.assign(points_.size() * result_.positions * result_.heads,
                              std::numeric_limits<double>::quiet_NaN());
    }

    /// The numbers of the heads that are patched one by one; 0 for all at once.
    std::vector<std::size_t> headsPatchedAt(HookPoint point) const {
        return question_.by_head ? headsAt(model_->spec, point) : std::vector<std::size_t>{0};
    }

    /// One run for each position and head.
    Result<void> patchAt(std::size_t layer, const std::shared_ptr<const Tensor>& clean,
                         const KeptRun& corrupted, const PromptMetric& metric) {
        const HookPoint point = points_[layer];
        const std::vector<std::size_t> heads = headsPatchedAt(point);
        if (heads.empty())
            return {};
        const Resumption resume = resumptionFor(model_->spec, point);
        std::vector<RunItem> items;
        for (std::size_t position = 0; position < result_.positions; ++position)
            for (std::size_t place = 0; place < heads.size(); ++place) {
                RunItem item;
                item.ids = question_.corrupted;
                if (resume.resid_pre)
                    item = resume.z ? corrupted.fromZ(resume.layer) : corrupted.from(resume.layer);
                addPatch(item.hooks, point, clean, position, place);
                items.push_back(std::move(item));
            }
        const auto values = measureRuns(
            model_, std::move(items), resume.layer, metric,
            [this](std::size_t count) { reportFinished(count); }, stop_);
        if (!values)
            return values.error();
        auto value = values->begin();
        for (std::size_t position = 0; position < result_.positions; ++position)
            for (const std::size_t head : heads)
                result_.values[result_.index(layer, position, head)] = *value++;
        return {};
    }

    /// Puts the clean value in place of one head's, or all heads'.
    void addPatch(HookSet& hooks, HookPoint point, const std::shared_ptr<const Tensor>& clean,
                  std::size_t position, std::size_t place) const {
        const HookSet::Head of = question_.by_head ? HookSet::Head(place) : std::nullopt;
        const auto at = question_.by_position ? std::optional(position) : std::nullopt;
        const std::size_t axis = positionAxis(question_.hook);
        const std::size_t head_axis = head_axis_.value_or(0);
        const auto patch = [=](HookPoint, const MutableTensorView& value) {
            copyValues(part(part(clean->view(), head_axis, of), axis, at), part(value, axis, at));
        };
        hooks.edit(point, patch, of);
    }

    void reportFinished(std::size_t count) {
        finished_ += count;
        report(progress_, static_cast<double>(finished_) / static_cast<double>(total_),
               std::to_string(finished_) + " of " + std::to_string(total_) + " patches");
    }

    const std::shared_ptr<const Model>& model_;
    const PatchQuestion& question_;
    PatchResult& result_;
    const Progress& progress_;
    std::stop_token stop_;
    std::optional<std::size_t> head_axis_;
    const std::vector<HookPoint>& points_ = result_.points;
    std::size_t total_ = 0; ///< patches
    std::size_t finished_ = 0;
};

} // namespace

double PatchResult::normalised(std::size_t index) const {
    return shareOfDifference(values[index], corrupted, clean);
}

std::string PatchResult::note() const {
    if (areDifferent(clean, corrupted))
        return {};
    return "The clean and the corrupted prompt give the same " +
           std::string(metricName(question.metric.kind)) +
           ", so there is no difference to restore and no normalised value.";
}

Result<PatchResult> patchActivations(const std::shared_ptr<const Model>& model,
                                     const PatchQuestion& question, const Progress& progress,
                                     std::stop_token stop) {
    PatchResult result;
    result.question = question;
    ActivationPatching patching(model, result, progress, std::move(stop));
    if (auto done = patching(); !done)
        return done.error();
    return result;
}

} // namespace headscope
