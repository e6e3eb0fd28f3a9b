#pragma once

#include "ui/document/why_detail.h"
#include "ui/workers/job_runner.h"

#include <QList>
#include <QTabWidget>

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
    bool isReading() const { return worker_.isBusy(); }

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
