#include "core/pruning/measure/judge.h"

#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/engine/loss.h"
#include "core/tensor/gemm.h"
#include "core/tensor/nonlinear.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kMostReferenceBytes = std::size_t{1} << 30;

Result<void> checkJudge(const Model& model, const PassageSet& text, Compare compare) {
    if (model.spec.output == OutputHead::None)
        return Error{ErrorCode::Unsupported,
                     model.name + " has no vocabulary and predicts nothing, so there is no loss to "
                                  "choose or judge heads by."};
    const std::size_t bytes = text.targets * model.spec.d_vocab * sizeof(float);
    if (compare == Compare::WithWhole && bytes > kMostReferenceBytes)
        return Error{ErrorCode::TooLarge,
                     "The whole model's probabilities of " + std::to_string(text.targets) +
                         " tokens need " + byteText(bytes) + ", at most " +
                         byteText(kMostReferenceBytes) + " are kept; take fewer test tokens."};
    return {};
}

TokenId mostProbable(std::span<const float> logits) {
    return static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin());
}

} // namespace

PassageSums sumsOf(const PassageSet& text, const TargetReadings& readings) {
    PassageSums sums;
    std::size_t target = 0;
    for (const Passage& passage : text.passages) {
        double loss = 0.0;
        double divergence = 0.0;
        double agreement = 0.0;
        for (const std::size_t end = target + passage.targets.size(); target < end; ++target) {
            loss += double{readings.loss[target]};
            divergence += double{readings.divergence[target]};
            agreement += readings.agrees[target];
        }
        sums.loss.push_back(loss);
        sums.divergence.push_back(divergence);
        sums.agreement.push_back(agreement);
    }
    return sums;
}

Result<Judge> Judge::make(const std::shared_ptr<const Model>& model, const PassageSet& text,
                          Compare compare, const std::stop_token& stop) {
    return make(std::make_shared<CutModel>(model), text, compare, stop);
}

Result<Judge> Judge::make(std::shared_ptr<CutModel> cut_model, const PassageSet& text,
                          Compare compare, const std::stop_token& stop) {
    const std::shared_ptr<const Model>& model = cut_model->whole();
    if (auto good = checkJudge(*model, text, compare); !good)
        return good.error();
    Judge judge(cut_model, text);
    std::size_t targets = 0;
    for (const Passage& passage : text.passages) {
        judge.first_target_.push_back(targets);
        targets += passage.targets.size();
    }
    if (compare == Compare::WithWhole) {
        judge.probabilities_ = Tensor::uninitialised({targets, model->spec.d_vocab});
        judge.negentropies_.resize(targets);
        judge.predictions_.resize(targets);
    }
    Plan plan{model};
    plan.keep = &judge.whole_residuals_;
    auto whole = judge.run(plan, stop);
    if (!whole)
        return whole.error();
    judge.whole_ = *std::move(whole);
    judge.comparing_ = compare == Compare::WithWhole;
    if (judge.comparing_) {
        judge.whole_.divergence.assign(targets, 0.0f);
        judge.whole_.agrees.assign(targets, 1);
    }
    return judge;
}

Result<TargetReadings> Judge::measure(const Cut& cut, bool keep, const std::stop_token& stop) {
    const std::size_t n_layers = cut_model_->whole()->spec.n_layers;
    const std::size_t from_whole = firstDifference(cut, {}, n_layers);
    if (from_whole == n_layers)
        return whole_;
    const std::size_t from_kept =
        kept_residuals_.empty() ? 0 : std::min(firstDifference(cut, kept_, n_layers), n_layers - 1);
    Plan plan{cut_model_->with(cut)};
    plan.first_layer = std::max(from_whole, from_kept);
    plan.from = from_kept > from_whole ? &kept_residuals_ : &whole_residuals_;
    Residuals residuals;
    if (keep)
        plan.keep = &residuals;
    auto readings = run(plan, stop);
    if (readings && keep) {
        kept_ = cut;
        kept_residuals_ = std::move(residuals);
    }
    return readings;
}

Result<TargetReadings> Judge::measureNetwork(const std::shared_ptr<const Model>& network,
                                             const std::stop_token& stop) {
    return run(Plan{network}, stop);
}

Result<TargetReadings>
Judge::measureResampled(const HeadSet& removed,
                        std::span<const std::shared_ptr<const StandIns>> others,
                        const std::stop_token& stop) {
    if (removed.empty())
        return whole_;
    const HeadMask mask = HeadMask::of(removed, AblationKind::Resample);
    std::vector<HookSet> hooks(text_->passages.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < hooks.size(); ++i) {
        const std::size_t length = text_->passages[i].ids.size();
        const auto isLongEnough = [&](const auto& other) {
            return other->begin()->second.dim(0) >= length;
        };
        std::size_t tried = 0;
        while (tried < others.size() && !isLongEnough(others[next % others.size()])) {
            ++next;
            ++tried;
        }
        if (tried == others.size())
            return Error{ErrorCode::InvalidArgument,
                         "No passage of the calibration text has the " + std::to_string(length) +
                             " tokens of one of the test text; give a longer text to resample."};
        addAblation(hooks[i], mask, cut_model_->whole()->spec, others[next++ % others.size()]);
    }
    Plan plan{cut_model_->whole()};
    plan.first_layer = std::ranges::min(removed).layer;
    plan.from = &whole_residuals_;
    plan.hooks = hooks;
    return run(plan, stop);
}

Result<TargetReadings> Judge::run(const Plan& plan, const std::stop_token& stop) {
    TargetReadings readings;
    readings.loss.resize(text_->targets);
    readings.divergence.resize(comparing_ ? text_->targets : 0);
    readings.agrees.resize(comparing_ ? text_->targets : 0);
    if (plan.keep)
        plan.keep->resize(text_->passages.size());
    for (const PassageBatch& batch : passageBatches(text_->passages))
        if (auto done = runBatchOf(plan, batch, readings, stop); !done)
            return done.error();
    return readings;
}

Result<void> Judge::runBatchOf(const Plan& plan, const PassageBatch& batch,
                               TargetReadings& readings, const std::stop_token& stop) {
    std::vector<RunItem> items(batch.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::size_t index = batch.begin + i;
        const Passage& passage = text_->passages[index];
        items[i].ids = passage.ids;
        if (!plan.hooks.empty())
            items[i].hooks = plan.hooks[index];
        if (plan.first_layer > 0)
            items[i].resid_pre = (*plan.from)[index][plan.first_layer];
        if (plan.keep)
            for (std::size_t layer = plan.first_layer + 1; layer < plan.model->spec.n_layers;
                 ++layer)
                items[i].hooks.capture(HookPoint{HookKind::ResidPre, layer});
        items[i].read_logits = [&, first = first_target_[index]](std::size_t position,
                                                                 std::span<const float> logits) {
            auto target =
                std::ranges::lower_bound(passage.targets, position, {}, &Target::position);
            for (; target != passage.targets.end() && target->position == position; ++target)
                read(first + static_cast<std::size_t>(target - passage.targets.begin()),
                     target->token, logits, readings);
        };
    }
    Request request;
    request.logits = false;
    request.keep_attention = false;
    request.first_layer = plan.first_layer;
    const auto runs = runBatch(plan.model, items, request, stop);
    if (!runs)
        return runs.error();
    for (std::size_t i = 0; plan.keep && i < items.size(); ++i)
        keepResiduals(plan, batch.begin + i, (*runs)[i]);
    return {};
}

void Judge::keepResiduals(const Plan& plan, std::size_t passage,
                          const std::shared_ptr<const Run>& run) {
    auto& kept = (*plan.keep)[passage];
    kept.resize(plan.model->spec.n_layers);
    for (std::size_t layer = 1; layer < kept.size(); ++layer)
        kept[layer] = layer <= plan.first_layer
                          ? (*plan.from)[passage][layer]
                          : std::shared_ptr<const Tensor>(
                                run, &run->captured.at({HookKind::ResidPre, layer}));
}

/// KL = Σ p ln p − Σ p · logit + ln Σ exp(logit).
void Judge::read(std::size_t target, TokenId token, std::span<const float> logits,
                 TargetReadings& readings) {
    const double log_sum = logSumExp(logits);
    readings.loss[target] =
        static_cast<float>(log_sum - double{logits[static_cast<std::size_t>(token)]});
    if (probabilities_.empty())
        return;
    const std::span<float> p{probabilities_.matrix().row(target), logits.size()};
    if (!comparing_) { // the whole network itself
        double negentropy = 0.0;
        for (std::size_t i = 0; i < p.size(); ++i) {
            const double log_p = double{logits[i]} - log_sum;
            p[i] = static_cast<float>(std::exp(log_p));
            negentropy += double{p[i]} * log_p;
        }
        negentropies_[target] = negentropy;
        predictions_[target] = mostProbable(logits);
        return;
    }
    const double divergence = negentropies_[target] - double{dot(p, logits)} + log_sum;
    readings.divergence[target] = static_cast<float>(std::max(0.0, divergence));
    readings.agrees[target] = mostProbable(logits) == predictions_[target] ? 1 : 0;
}

Result<std::vector<std::shared_ptr<const StandIns>>>
passageStandIns(const std::shared_ptr<const Model>& model, const PassageSet& text,
                const std::stop_token& stop) {
    std::vector<std::shared_ptr<const StandIns>> all;
    Request request;
    request.logits = false;
    request.keep_attention = false;
    for (const PassageBatch& batch : passageBatches(text.passages)) {
        std::vector<RunItem> items(batch.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            items[i].ids = text.passages[batch.begin + i].ids;
            items[i].hooks.capture(HookKind::Z);
        }
        const auto runs = runBatch(model, items, request, stop);
        if (!runs)
            return runs.error();
        for (const auto& run : *runs) {
            auto stand_ins = std::make_shared<StandIns>();
            for (const auto& [point, z] : run->captured)
                (*stand_ins)[point.layer] = z;
            all.push_back(std::move(stand_ins));
        }
    }
    return all;
}

namespace {

/// Replacing z by its mean is the same as adding an output bias.
Compensation compensationOf(Replacement replacement, Compensation compensation) {
    return compensation == Compensation::None && replacement == Replacement::Mean
               ? Compensation::Bias
               : compensation;
}

} // namespace

bool readsStatistics(Replacement replacement, Compensation compensation) {
    return compensationOf(replacement, compensation) != Compensation::None;
}

Result<RemovalJudge> RemovalJudge::make(const std::shared_ptr<const Model>& model,
                                        const PassageSet& text, Compare compare,
                                        const RemovalWay& way, const std::stop_token& stop) {
    return make(std::make_shared<CutModel>(model), text, compare, way, stop);
}

Result<RemovalJudge> RemovalJudge::make(const std::shared_ptr<CutModel>& cut_model,
                                        const PassageSet& text, Compare compare,
                                        const RemovalWay& way, const std::stop_token& stop) {
    const std::shared_ptr<const Model>& model = cut_model->whole();
    auto judge = Judge::make(cut_model, text, compare, stop);
    if (!judge)
        return judge.error();
    const Compensation compensation = compensationOf(way.replacement, way.compensation);
    RemovalJudge result(*std::move(judge),
                        std::make_shared<Compensator>(model, way.statistics, compensation));
    if (compensation == Compensation::None && way.replacement == Replacement::Resample) {
        auto others = passageStandIns(model, *way.calibration, stop);
        if (!others)
            return others.error();
        // A passage must not be resampled from itself where the text is the calibration text.
        if (others->size() > 1)
            std::rotate(others->begin(), others->begin() + 1, others->end());
        result.others_ = *std::move(others);
    }
    return result;
}

Result<RemovalJudge> RemovalJudge::onText(const PassageSet& text, Compare compare,
                                          const std::stop_token& stop) const {
    auto judge = Judge::make(judge_.cutModel(), text, compare, stop);
    if (!judge)
        return judge.error();
    RemovalJudge result(*std::move(judge), compensator_);
    result.others_ = others_;
    return result;
}

Result<TargetReadings> RemovalJudge::without(const HeadSet& removed, bool keep,
                                             const std::stop_token& stop) {
    if (!others_.empty())
        return judge_.measureResampled(removed, others_, stop);
    return judge_.measure(compensator_->cut(removed), keep, stop);
}

double meanLoss(const TargetReadings& readings) {
    return std::accumulate(readings.loss.begin(), readings.loss.end(), 0.0) /
           static_cast<double>(readings.loss.size());
}

} // namespace headscope
