#pragma once

#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/heads/input_sequence.h"
#include "core/interventions/ablation_effect.h"
#include "core/model/model.h"
#include "ui/document/head_scorer.h"
#include "ui/workers/job_runner.h"

#include <QObject>
#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace headscope::ui {

/// What a test of effects asks for besides the ablation.
struct EffectSettings {
    std::optional<double> least_effect = std::nullopt; ///< nats; nothing: leastEffect()
    bool backups = false;                              ///< of a head that is tested by itself
};

/// Measures the effect of ablating heads off the GUI thread, and keeps what it measured, head by
/// head and for each input that the types are measured on. Lives on the GUI thread.
class EffectTester : public QObject {
    Q_OBJECT

public:
    explicit EffectTester(QObject* parent = nullptr);

    /// The input whose effects are measured and shown from now on.
    void setSource(ScoreSource source);
    /// On `prompt`, or where it is empty on what the types of these heads are read from.
    void test(const std::shared_ptr<const Model>& model,
              std::vector<AblationEffectQuestion> questions, std::vector<InputSequence> prompt);
    /// Stops, and drops all that was measured.
    void forget();
    /// The same of what was measured on this input.
    void forget(ScoreSource source);

    /// The effects of one head, by the inputs that its labels are read from; none until it was
    /// tested.
    std::span<const AblationEffect> effects(LayerHead head) const;
    /// The first of them, or null.
    const AblationEffect* effect(LayerHead head) const;
    /// How effects are measured from now on; where the least effect is another, all that was
    /// measured is dropped.
    const EffectSettings& settings() const { return settings_; }
    void setSettings(const EffectSettings& settings);
    QString error() const { return error_; }
    JobRunner* worker() { return &worker_; }

signals:
    void effectsChanged(); ///< a test began or ended, a head was measured, or the input is another

private:
    ScoreSource source_ = ScoreSource::RandomRepeats;
    ScoreSource tested_ = ScoreSource::RandomRepeats; ///< of the test that runs
    std::map<ScoreSource, std::map<LayerHead, std::vector<AblationEffect>>> effects_;
    std::set<LayerHead> renewed_; ///< by the test that runs
    EffectSettings settings_;
    QString error_;
    JobRunner worker_;
};

} // namespace headscope::ui
