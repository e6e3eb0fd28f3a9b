#pragma once

#include "core/base/result.h"
#include "core/interventions/part_removal.h"
#include "ui/document/document.h"
#include "ui/document/repetition.h"
#include "ui/document/why_reading.h"
#include "ui/workers/job_runner.h"

#include <QString>
#include <QWidget>

#include <cstddef>
#include <optional>

class QLabel;
class QPushButton;

namespace headscope::ui {

class CopyActions;

/// What a cell becomes without a part of what one side reads: measured on request, in words.
class RemovalBar : public QWidget {
    Q_OBJECT

public:
    explicit RemovalBar(Document& document, QWidget* parent = nullptr);

    /// The cell that parts are of from now on; none of them is chosen.
    void setReading(const WhyReading& reading);
    /// Nothing is chosen, and what is measured is of an earlier question.
    void forget();

    // What would be taken away; `text` says so.
    void choose(const RemovalQuestion& part, const QString& text);
    void chooseDirection(std::size_t rank, const QString& text); ///< of the key
    void chooseNothing(const QString& text);

private:
    void setChoice(std::optional<RemovalQuestion> part, std::optional<std::size_t> rank,
                   const QString& text);
    void showState();
    void measure();
    void take(const Result<PartRemoval>& removal, std::optional<std::size_t> rank);

    Document& document_;
    WhyReading reading_;
    std::optional<RemovalQuestion> part_;
    std::optional<std::size_t> direction_; ///< in place of the part, by rank
    Repetition repetition_;                ///< of what was measured, or why there is none
    QPushButton* measure_ = nullptr;
    QLabel* measured_ = nullptr;
    QPushButton* copy_ = nullptr;
    CopyActions* copies_ = nullptr;
    JobRunner worker_;
};

} // namespace headscope::ui
