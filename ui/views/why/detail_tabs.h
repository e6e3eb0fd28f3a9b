#pragma once

#include "core/base/result.h"
#include "core/interventions/part_removal.h"
#include "ui/document/document.h"
#include "ui/document/repetition.h"
#include "ui/document/why_reading.h"
#include "ui/workers/job_runner.h"

#include <QList>
#include <QString>
#include <QTabWidget>
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

class Heatmap;
class NumberTable;
class TablePage;

/// What each side of a cell reads, and after it further tables of the same cell, each read in a
/// worker when it comes into sight.
class DetailTabs : public QTabWidget {
    Q_OBJECT

public:
    /// Takes the first page over.
    explicit DetailTabs(QWidget* sides, QWidget* parent = nullptr);

    void setReading(const WhyReading& reading);
    /// Whether the page in sight is still being read.
    bool isReading() const;
    /// The page in sight; nothing: both sides.
    std::optional<WhyDetail> shown() const;

signals:
    /// The user made this singular direction the current one; from 1.
    void directionChosen(std::size_t rank);

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Page {
        WhyDetail detail;
        QLabel* heading = nullptr;
        NumberTable* table = nullptr;
        TablePage* view = nullptr;
        Heatmap* picture = nullptr; ///< in place of the table
        bool is_stale = true;
    };

    static QWidget* contentOf(const Page& page);
    void addPage(WhyDetail detail, const char* name, const QString& title, const QString& tip);
    QWidget* makeTable(Page& page, const char* name, const QString& title, QWidget* parent);
    QWidget* makePicture(Page& page, const char* name, const QString& title, QWidget* parent);
    void read();
    void take(Page& page, const Result<WhyDetailTable>& found);
    void showTable(const Page& page, const Table& table);
    void showPicture(const Page& page);

    WhyReading reading_;
    WhyDetailTable all_keys_; ///< what the picture shows
    QList<Page> pages_;       ///< after the first tab
    JobRunner worker_;
};

} // namespace headscope::ui
