#pragma once

#include "core/base/layer_head.h"
#include "core/heads/head_score.h"
#include "core/heads/head_type.h"
#include "core/model/model.h"
#include "core/trust/measure_trust.h"
#include "ui/document/tested_labels.h"
#include "ui/workers/job_runner.h"

#include <QObject>
#include <QString>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headscope::ui {

/// The labels that a window shows, and what they come from.
struct ShownLabels {
    std::shared_ptr<const Model> model;
    bool square_flipped = false; ///< LoadOptions; the same file is then another network
    std::shared_ptr<const HeadScores> scores; ///< null: there are no labels
    /// Whether types were read from what they are defined by, and not from text of the user.
    bool by_definition = true;
    Thresholds thresholds;
    QString refusal; ///< why these labels cannot be tested now, one sentence; empty: they can
};

/// Tests labels off the GUI thread: whether they are specific, needed and so on (core/trust). What
/// was measured belongs to a model, read in one way, and to thresholds; it is kept for those, also
/// after the window is closed, and comes back with them. The file is read and written off the GUI
/// thread, too. Lives on the GUI thread.
class LabelTester : public QObject {
    Q_OBJECT

public:
    explicit LabelTester(QObject* parent = nullptr);
    ~LabelTester() override;

    /// Stops a test of other labels. Emits nothing.
    void show(ShownLabels shown);

    /// All labels that are shown, head by head, each as far as it was measured.
    const ModelTrust& trust() const { return trust_; }
    /// Those of one head, in their order.
    std::span<const LabelTrust> labels(LayerHead head) const;
    /// Null where the head has no such label.
    const LabelTrust* label(LayerHead head, HeadTypeId type) const;
    /// Whether nothing is left to be measured of them.
    bool isTested(LayerHead head) const;
    bool areAllTested() const;

    /// Why the labels of these heads cannot be tested, one sentence; empty: they can.
    QString refusal(LayerHead head) const;
    QString refusalOfAll() const;
    void test(LayerHead head);
    void testAll(); ///< goes on with heads that were not tested

    QString error() const { return error_; }
    /// Whether what was measured of these labels before is still to be read, or what was measured
    /// now to be written.
    bool isReading() const { return reader_.isBusy(); }
    bool isWriting() const { return writer_->isBusy(); }
    JobRunner* worker() { return &worker_; }
    const JobRunner* worker() const { return &worker_; }

signals:
    /// A test began or ended, or something was measured.
    void trustChanged();
    /// A test came to its end.
    void tested();
    /// What was measured cannot be read or kept.
    void problem(const QString& message);

private:
    void start(std::vector<LayerHead> heads);
    void take(const LabelTests& tests);
    void takeUp(const std::string& sha256);
    void keep();
    void say(const QString& message);
    void putMeasured();

    ShownLabels shown_;
    ModelTrust trust_;
    TestedLabels tested_;
    QString error_;
    JobRunner worker_;
    JobRunner reader_;
    std::unique_ptr<JobRunner> writer_;
};

} // namespace headscope::ui
