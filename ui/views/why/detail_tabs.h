#pragma once

#include "ui/document/why_detail.h"
#include "ui/workers/job_runner.h"

#include <QList>
#include <QTabWidget>

#include <cstddef>

class QLabel;

namespace headscope::ui {

class NumberTable;
class TablePage;

/// What each side of a cell reads, and behind it further tables of the same cell, each read in a
/// worker when it comes into sight.
class DetailTabs : public QTabWidget {
    Q_OBJECT

public:
    /// Takes the first page over.
    explicit DetailTabs(QWidget* sides, QWidget* parent = nullptr);

    void setReading(const WhyReading& reading);
    /// Whether the page in sight still has to become that of the reading.
    bool isReading() const;

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
        bool is_stale = true;
    };

    void addPage(WhyDetail detail, const char* name, const QString& title, const QString& tip);
    void read();
    void take(Page& page, const Result<WhyDetailTable>& found);

    WhyReading reading_;
    QList<Page> pages_; ///< behind the first tab
    JobRunner worker_;
};

} // namespace headscope::ui
