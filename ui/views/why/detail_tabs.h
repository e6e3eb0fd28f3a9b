#pragma once

#include "ui/document/why_detail.h"
#include "ui/workers/job_runner.h"

#include <QList>
#include <QTabWidget>

#include <cstddef>
#include <optional>

class QLabel;

namespace headscope::ui {

class Heatmap;
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
    QList<Page> pages_;       ///< behind the first tab
    JobRunner worker_;
};

} // namespace headscope::ui
