#include "core/pruning/measure/removal_judge.h"

#include <algorithm>
#include <numeric>

namespace headscope {

namespace {

/// A mean in place of z is a bias behind it.
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
