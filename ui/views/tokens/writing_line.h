#pragma once

#include "core/attribution/head_writing.h"
#include "ui/document/prompt_run.h"
#include "ui/widgets/elided_text.h"
#include "ui/workers/job_runner.h"

#include <cstddef>
#include <memory>
#include <optional>

namespace headscope::ui {

constexpr std::size_t kMostWritten = 4; ///< tokens that are named, in each direction

/// "L4 H1 raises  ·Mary +1.2   lowers  ·the −0.3"
QString writesText(const Model& model, LayerHead head, const HeadWrites& writes);

/// What one head writes at one position, in a line: the tokens whose logits it raises and lowers
/// most. Read in a worker, once for all positions of a run and then position by position.
class WritingLine : public ElidedLabel {
    Q_OBJECT

public:
    explicit WritingLine(QWidget* parent = nullptr);

    /// Nothing to say without a result.
    void readAt(const std::shared_ptr<const RunResult>& result, LayerHead head,
                std::size_t position);
    void clearLine();
    /// Stops what is read unless it is of this; the line stays until readAt().
    void stopUnless(const std::shared_ptr<const RunResult>& result, LayerHead head);
    bool isBusy() const { return reader_.isBusy() || asker_.isBusy(); }

private:
    void read();
    void ask();
    void take(const HeadWrites& writes);

    std::shared_ptr<const RunResult> result_;
    LayerHead head_;
    std::size_t position_ = 0;
    std::shared_ptr<const HeadWriting> writing_; ///< of this result and head
    JobRunner reader_;
    JobRunner asker_;
};

} // namespace headscope::ui
