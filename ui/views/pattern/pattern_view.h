#pragma once

#include "core/base/result.h"
#include "ui/document/document.h"
#include "ui/document/why_reading.h"
#include "ui/views/maps/head_pattern.h"
#include "ui/views/maps/pattern_maps.h"
#include "ui/views/pattern/pattern_controls.h"
#include "ui/views/pattern/shown_view.h"

#include <QWidget>

#include <memory>

class QLabel;
class QMenu;
class QStackedWidget;

namespace headscope::ui {

class AllHeadsView;
class Heatmap;
class InsidePage;
class TokenPage;
class WhyPage;

/// What heads look at: the pattern of the selected one as a heatmap, all heads side by side, the
/// chosen ones at the tokens, as text or as lines, why the selected head looks there, or what it
/// computes.
class PatternView : public QWidget {
    Q_OBJECT

public:
    explicit PatternView(Document& document, QWidget* parent = nullptr);

    const PatternSettings& settings() const { return controls_->settings(); }
    void setSettings(const PatternSettings& settings) { controls_->setSettings(settings); }
    PatternControls& controls() { return *controls_; }
    void showPage(PatternPage page);
    PatternPage page() const { return controls_->page(); }
    /// Map and page, and what the pages Why and Inside have read.
    ShownView shownView() const;
    void resetZoom();
    /// The heatmap of the selected head, whatever page is shown.
    const Heatmap& heatmap() const { return *heatmap_; }
    /// Whether the heatmap of the selected head is still being read.
    bool isReading() const { return worker_.isBusy(); }

    /// Writes the picture of the page, of all heads that of the selected one, as it is shown.
    Result<void> saveFigure(const QString& path) const;
    /// What the page Why shows of its cell beside the graph; nothing: both sides.
    std::optional<WhyDetail> whyDetail() const;
    /// Puts the same on the clipboard.
    Result<void> copyFigure() const;

signals:
    void pageAsked();       ///< somebody wants to see a page, perhaps the one that is shown
    void settingsChanged(); ///< of the patterns, the outline, or the page
    void whyChanged();      ///< what the page Why shows

protected:
    /// Offers the actions of this widget, and on the heatmap to lock the row under the pointer.
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// A pattern and what it belongs to.
    struct Shown {
        PatternSource source;
        LayerHead head;
        HeadPattern pattern;
        PatternMaps maps; ///< of the source before, until the pattern is read
    };

    void makePages();
    void connectControls();
    void connectDocument();
    void compute();
    /// Adds the pattern to the source and head asked for. On a worker thread.
    static Result<Shown> read(Shown asked, const PatternSettings& settings,
                              const std::stop_token& stop);
    void take(const Result<Shown>& shown);
    QString emptyText() const;
    void turnPage();
    bool showsTokens() const;
    bool isOfOneQuery() const;
    ValueScale scale() const;
    void showColours();
    void showPattern();
    void showFirstKey();
    QString notice() const;
    void showStale();
    void showCell(std::size_t query, std::size_t key);
    void showRow();
    void addRowAction(QMenu& menu);
    void addWhyAction(QMenu& menu);

    Document& document_;
    QLabel* stale_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    Heatmap* heatmap_ = nullptr;
    AllHeadsView* all_heads_ = nullptr;
    TokenPage* tokens_ = nullptr;
    WhyPage* why_ = nullptr;
    InsidePage* inside_ = nullptr;
    QLabel* cell_ = nullptr;
    PatternControls* controls_ = nullptr;
    Shown shown_;
    bool is_showing_ = false; ///< the heatmap gets its content
    QString running_;         ///< what is said while an earlier run is shown
    JobRunner worker_;
};

} // namespace headscope::ui
