#pragma once

#include "core/base/result.h"
#include "core/engine/engine.h"
#include "core/engine/head_mask.h"
#include "core/model/model.h"
#include "core/pruning/compensation.h"
#include "core/pruning/measure/passage_groups.h"
#include "core/pruning/passages.h"
#include "core/pruning/smaller_model.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace headscope {

/// What a network makes of the targets of a text, in the order of the passages and their targets.
struct TargetReadings {
    std::vector<float> loss;          ///< −ln p(token), nats
    std::vector<float> divergence;    ///< Σ p ln(p / q), nats, p of the whole network
    std::vector<std::uint8_t> agrees; ///< 1 where the most probable token is the whole network's
};

/// `readings` must have been compared with the whole network (Compare::WithWhole).
PassageSums sumsOf(const PassageSet& text, const TargetReadings& readings);

/// What is measured besides the loss.
enum class Compare { Nothing, WithWhole };

/// Judges networks with heads removed by one text. The whole network runs once; another run resumes
/// at the first layer in which it differs from the whole one or from the one that was kept last.
class Judge {
public:
    /// `text` must outlive it. Fails as runBatch() does, for a network without a vocabulary, and
    /// when the whole network's probabilities of all targets, which Compare::WithWhole keeps, need
    /// more than 1 GiB.
    static Result<Judge> make(const std::shared_ptr<const Model>& model, const PassageSet& text,
                              Compare compare, const std::stop_token& stop = {});
    /// The same with a network to cut that is shared: by judges that measure one after another.
    static Result<Judge> make(std::shared_ptr<CutModel> cut_model, const PassageSet& text,
                              Compare compare, const std::stop_token& stop = {});

    const TargetReadings& whole() const { return whole_; }
    const PassageSet& text() const { return *text_; }
    const std::shared_ptr<CutModel>& cutModel() const { return cut_model_; }

    /// Measures the smaller network. With `keep` the next runs can resume from it.
    Result<TargetReadings> measure(const Cut& cut, bool keep, const std::stop_token& stop = {});

    /// Measures another network with the same vocabulary, run from its first layer.
    Result<TargetReadings> measureNetwork(const std::shared_ptr<const Model>& network,
                                          const std::stop_token& stop = {});

    /// Measures the whole network with the z of some heads taken from other passages, one after
    /// another: z of `others` [passage] holds all layers, [position, head, d_head].
    Result<TargetReadings> measureResampled(const HeadSet& removed,
                                            std::span<const std::shared_ptr<const StandIns>> others,
                                            const std::stop_token& stop = {});

private:
    /// Residual streams before each layer, [passage][layer] of [position, d_model]; none before
    /// layer 0, where there is nothing to resume.
    using Residuals = std::vector<std::vector<std::shared_ptr<const Tensor>>>;

    /// One run of all passages.
    struct Plan {
        std::shared_ptr<const Model> model;
        std::size_t first_layer = 0;
        const Residuals* from = nullptr;
        Residuals* keep = nullptr;
        std::span<const HookSet> hooks = {}; ///< [passage], or none
    };

    Judge(std::shared_ptr<CutModel> cut_model, const PassageSet& text)
        : text_(&text), cut_model_(std::move(cut_model)) {}

    Result<TargetReadings> run(const Plan& plan, const std::stop_token& stop);
    Result<void> runBatchOf(const Plan& plan, const PassageBatch& batch, TargetReadings& readings,
                            const std::stop_token& stop);
    void keepResiduals(const Plan& plan, std::size_t passage,
                       const std::shared_ptr<const Run>& run);
    void read(std::size_t target, TokenId token, std::span<const float> logits,
              TargetReadings& readings);

    const PassageSet* text_;
    std::shared_ptr<CutModel> cut_model_;
    std::vector<std::size_t> first_target_; ///< [passage], among all
    TargetReadings whole_;
    Residuals whole_residuals_;
    Cut kept_;
    Residuals kept_residuals_;

    // What is known of the whole network; empty without Compare::WithWhole.
    bool comparing_ = false;
    Tensor probabilities_;             ///< [target, d_vocab]
    std::vector<double> negentropies_; ///< [target], Σ p ln p
    std::vector<TokenId> predictions_; ///< [target], the most probable token
};

/// z of every passage of a text, all layers, for Judge::measureResampled().
Result<std::vector<std::shared_ptr<const StandIns>>>
passageStandIns(const std::shared_ptr<const Model>& model, const PassageSet& text,
                const std::stop_token& stop = {});

/// Whether the calibration text's statistics are read.
bool readsStatistics(Replacement replacement, Compensation compensation);

/// What becomes of removed heads, and the calibration text that says what makes up for them.
struct RemovalWay {
    Replacement replacement = Replacement::Zero;
    Compensation compensation = Compensation::None; ///< if any, it takes the place of the former
    /// The statistics of the calibration text; may be null if none are read.
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

    /// Measures another network, as Judge::measureNetwork() does.
    Result<TargetReadings> uncut(const std::shared_ptr<const Model>& network,
                                 const std::stop_token& stop = {}) {
        return judge_.measureNetwork(network, stop);
    }

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
