#pragma once

#include "core/pruning/compensation.h"
#include "core/pruning/measure/judge.h"
#include "core/pruning/replacement.h"

#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

namespace headscope {

/// Whether the calibration text's statistics are read.
bool readsStatistics(Replacement replacement, Compensation compensation);

/// What becomes of removed heads, and the calibration text that says what stands in for them.
struct RemovalWay {
    Replacement replacement = Replacement::Zero;
    Compensation compensation = Compensation::None; ///< if any, it takes the place of the former
    /// Of the calibration text; may be null where none are read.
    std::shared_ptr<const HeadStatistics> statistics;
    const PassageSet* calibration = nullptr; ///< for Replacement::Resample
};

/// A judge of one way to do without heads.
class RemovalJudge {
public:
    static Result<RemovalJudge> make(const std::shared_ptr<const Model>& model,
                                     const PassageSet& text, Compare compare, const RemovalWay& way,
                                     const std::stop_token& stop = {});
    /// The same with a network to cut that is shared, as by Judge::make().
    static Result<RemovalJudge> make(const std::shared_ptr<CutModel>& cut_model,
                                     const PassageSet& text, Compare compare, const RemovalWay& way,
                                     const std::stop_token& stop = {});

    /// A judge of the same way by another text, which shares the network to cut, without reading
    /// the calibration text again.
    Result<RemovalJudge> onText(const PassageSet& text, Compare compare,
                                const std::stop_token& stop = {}) const;

    const TargetReadings& whole() const { return judge_.whole(); }
    const PassageSet& text() const { return judge_.text(); }
    Cut cut(const HeadSet& removed) { return compensator_->cut(removed); }

    /// As Judge::measure() or Judge::measureResampled().
    Result<TargetReadings> without(const HeadSet& removed, bool keep,
                                   const std::stop_token& stop = {});

private:
    RemovalJudge(Judge judge, std::shared_ptr<Compensator> compensator)
        : judge_(std::move(judge)), compensator_(std::move(compensator)) {}

    Judge judge_;
    std::shared_ptr<Compensator> compensator_; ///< of all texts, so that each cut is fitted once
    std::vector<std::shared_ptr<const StandIns>> others_; ///< Replacement::Resample alone
};

/// Mean over all targets, nats.
double meanLoss(const TargetReadings& readings);

} // namespace headscope
