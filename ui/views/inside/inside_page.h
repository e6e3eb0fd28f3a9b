#pragma once

#include "core/base/result.h"
#include "ui/document/document.h"
#include "ui/document/inside_reading.h"
#include "ui/workers/job_runner.h"

#include <QString>
#include <QWidget>

#include <cstddef>
#include <memory>

class QCheckBox;
class QComboBox;
class QLabel;
class QScrollArea;

namespace headscope::ui {

class InsidePicture;
class TemperatureControl;

/// What the selected head computes for one query, step by step: from what it reads to the tokens
/// that it makes more likely. Reads in a worker while it is in sight.
class InsidePage : public QWidget {
    Q_OBJECT

public:
    explicit InsidePage(Document& document, QWidget* parent = nullptr);

    /// Shown where there is nothing to compute.
    void setEmptyText(const QString& text);
    /// Whether the steps of the selected head are still being computed.
    bool isReading() const { return is_stale_ || worker_.isBusy(); }
    /// What is shown; null while the steps of the selected head are being computed.
    std::shared_ptr<const InsideReading> shownReading() const;
    /// Writes the picture.
    Result<void> saveFigure(const QString& path) const;

signals:
    void keyChosen(std::size_t query, std::size_t key); ///< positions
    void shownChanged();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void makeControls();
    void makePicture();
    void layOut();
    void connectDocument();
    std::size_t query() const;
    void ask();
    void read();
    void take(const Result<std::shared_ptr<const InsideReading>>& reading);
    void showReading();
    void showMessage(const QString& message);
    void showQueries();
    void showReadout();
    void chooseKey(std::size_t row);

    Document& document_;
    QComboBox* query_ = nullptr;
    TemperatureControl* temperature_ = nullptr;
    QCheckBox* all_heads_ = nullptr;
    QLabel* sentence_ = nullptr;
    QLabel* what_if_ = nullptr;
    QLabel* message_ = nullptr; ///< in place of the picture
    QScrollArea* area_ = nullptr;
    InsidePicture* picture_ = nullptr;
    QLabel* readout_ = nullptr;
    QWidget* content_ = nullptr; ///< what of a reading can be stale
    QString empty_text_;
    bool is_stale_ = true; ///< what is shown is of an earlier question
    std::shared_ptr<const InsideReading> reading_;
    std::shared_ptr<const RunResult> queries_of_; ///< whose tokens the box offers
    JobRunner worker_;
};

} // namespace headscope::ui
