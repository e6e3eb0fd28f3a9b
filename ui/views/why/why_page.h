#pragma once

#include "core/base/result.h"
#include "ui/document/document.h"
#include "ui/document/why_reading.h"
#include "ui/workers/job_runner.h"

#include <QWidget>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QLayout;

namespace headscope::ui {

class DetailTabs;
class MarkupLabel;
class NumberPage;
class RemovalBar;
class TraceGraph;
class WhyChoices;

/// Why the selected head looks from one token to another: in a sentence, as what key and query
/// read, and as a graph back to the tokens; what is taken away on one side can be measured. Reads
/// in a worker while it is in sight.
class WhyPage : public QWidget {
    Q_OBJECT

public:
    explicit WhyPage(Document& document, QWidget* parent = nullptr);

    /// Shown where there is nothing to explain.
    void setEmptyText(const QString& text);
    /// Explains this cell of the selected head from now on; nothing where another query is
    /// explained.
    void explainCell(std::size_t query, std::size_t key);
    /// Whether the explanation of the selected head is still being read.
    bool isReading() const { return is_stale_ || worker_.isBusy(); }
    /// What is shown; null while the explanation of the selected head is being read.
    std::shared_ptr<const WhyReading> shownReading() const;
    /// What is in sight beside the graph; nothing: both sides.
    std::optional<WhyDetail> detail() const;
    /// Writes the graph.
    Result<void> saveFigure(const QString& path) const;

signals:
    void shownChanged(); ///< what is explained, or the detail in sight

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    /// One side of the head: its heading and its table.
    struct SideView {
        QLabel* heading = nullptr;
        NumberPage* table = nullptr;
        HeadSide side = HeadSide::Key;
    };

    void makeChoices();
    void makeViews();
    SideView sideView(HeadSide side, const char* name);
    void layOut();
    void connectDocument();
    void forgetCell();
    void askOfThisCell();
    void ask();
    void read();
    void take(const Result<WhyReading>& reading);
    void showReading();
    void showMessage(const QString& message);
    std::size_t query() const;
    std::optional<StreamWriter> partAt(const SideView& side, int row) const;
    void lightHead(const std::optional<StreamWriter>& writer);
    void choosePart(const SideView& side, int row);
    void chooseDirection(std::size_t rank);
    void follow(int node);
    void explain(int node);

    Document& document_;
    WhyChoices* choices_ = nullptr;
    MarkupLabel* sentence_ = nullptr;
    SideView key_side_;
    SideView query_side_;
    TraceGraph* graph_ = nullptr;
    DetailTabs* details_ = nullptr;
    QWidget* content_ = nullptr; ///< tables and graph
    RemovalBar* removal_ = nullptr;
    QString empty_text_;
    bool is_stale_ = true; ///< what is shown is of an earlier question
    std::vector<TracePlace> followed_;
    WhyReading reading_;
    JobRunner worker_;
    JobRunner picturer_; ///< of patterns in tips, which nobody waits for
};

} // namespace headscope::ui
