#pragma once

#include "ui/document/document.h"
#include "ui/views/pages/table_pages.h"

namespace headscope::ui {

class ScoreFilter;
class ScoreTable;

/// All heads × all scores: filtered, sorted and copied. The selected row is the document's head.
class ScoresPage : public TablePage {
    Q_OBJECT

public:
    explicit ScoresPage(Document& document, QWidget* parent = nullptr);

private:
    ScoresPage(Document& document, ScoreFilter* found, QWidget* parent);
    void setUpColumns();
    void setWidths();
    void addLabelledOnly();
    void showScores();
    void showSelection();
    void showWhatIsMissing();
    void selectCurrentHead();

    Document& document_;
    ScoreFilter* found_;
    ScoreTable& table_;
};

} // namespace headscope::ui
