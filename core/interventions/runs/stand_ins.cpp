#include "core/interventions/runs/stand_ins.h"

#include "core/interventions/runs/kept_run.h"

#include <map>
#include <string>
#include <utility>

namespace headscope {

namespace {

Result<KeptRun> keepZ(const std::shared_ptr<const Model>& model, const TokenIds& prompt,
                      const std::set<std::size_t>& layers, std::stop_token stop) {
    std::set<HookPoint> points;
    for (const std::size_t layer : layers)
        points.insert({HookKind::Z, layer});
    return keepRun(model, prompt, points, nullptr, std::move(stop));
}

/// Adds the rows of z [position, head, d_head] to sums [head · d_head].
void addPositions(const Tensor& z, std::vector<double>& sums) {
    for (std::size_t i = 0; i < z.size(); ++i)
        sums[i % sums.size()] += static_cast<double>(z.data()[i]);
}

} // namespace

Result<std::shared_ptr<const StandIns>> meanStandIns(const std::shared_ptr<const Model>& model,
                                                     std::span<const TokenIds> prompts,
                                                     const std::set<std::size_t>& layers,
                                                     std::stop_token stop) {
    const ModelSpec& spec = model->spec;
    std::map<std::size_t, std::vector<double>> sums;
    for (const std::size_t layer : layers)
        sums[layer].resize(spec.zWidth(layer));
    std::size_t positions = 0;
    for (const TokenIds& prompt : prompts) {
        const auto kept = keepZ(model, prompt, layers, stop);
        if (!kept)
            return kept.error();
        for (auto& [layer, sum] : sums)
            addPositions(*kept->at({HookKind::Z, layer}), sum);
        positions += prompt.size();
    }
    auto means = std::make_shared<StandIns>();
    for (const auto& [layer, sum] : sums) {
        Tensor& mean = (*means)[layer] = Tensor({1, spec.headsIn(layer), spec.valueDim()});
        for (std::size_t i = 0; i < sum.size(); ++i)
            mean.data()[i] = static_cast<float>(sum[i] / static_cast<double>(positions));
    }
    return std::shared_ptr<const StandIns>(std::move(means));
}

Result<void> checkResampled(std::span<const TokenIds> prompts, std::span<const TokenIds> others) {
    if (others.size() != prompts.size())
        return Error{ErrorCode::InvalidArgument,
                     "Resampling needs one other prompt for each of the " +
                         std::to_string(prompts.size()) + " prompts; found " +
                         std::to_string(others.size()) + "."};
    for (std::size_t i = 0; i < prompts.size(); ++i)
        if (auto same = checkSameLength("The prompt", prompts[i], "the one to resample", others[i]);
            !same)
            return same;
    return {};
}

Result<std::shared_ptr<const StandIns>> resampledStandIns(const std::shared_ptr<const Model>& model,
                                                          const TokenIds& prompt,
                                                          const std::set<std::size_t>& layers,
                                                          std::stop_token stop) {
    const auto kept = keepZ(model, prompt, layers, std::move(stop));
    if (!kept)
        return kept.error();
    auto stand_ins = std::make_shared<StandIns>();
    for (const std::size_t layer : layers)
        (*stand_ins)[layer] = *kept->at({HookKind::Z, layer});
    return std::shared_ptr<const StandIns>(std::move(stand_ins));
}

Result<std::shared_ptr<const StandIns>> PromptStandIns::of(std::size_t prompt,
                                                           const std::stop_token& stop) {
    if (kind_ == AblationKind::Resample)
        return resampledStandIns(model_, references_[prompt], layers_, stop);
    if (kind_ != AblationKind::TextMean || mean_)
        return mean_;
    auto mean = meanStandIns(model_, references_, layers_, stop);
    if (mean)
        mean_ = *mean;
    return mean;
}

} // namespace headscope
