#pragma once

#include "core/trust/measure_trust.h"
#include "ui/document/document.h"
#include "ui/tables/number_table.h"

#include <QWidget>

class QPushButton;

namespace headscope::ui {

class NumberPage;
class TextLabel;

/// All labels with what is known of each: its word, and mark and figure of each part. The selected
/// row is that of the document's head.
class LabelsPage : public QWidget {
    Q_OBJECT

public:
    explicit LabelsPage(Document& document, QWidget* parent = nullptr);

    void copySelection() const;
    QWidget* view() const; ///< its table

private:
    void showLabels();
    void showHead();

    Document& document_;
    NumberPage* table_ = nullptr;
    QPushButton* test_ = nullptr;
    TextLabel* summary_ = nullptr;
    int row_ = -1; ///< of the label that was chosen; −1: none
};

} // namespace headscope::ui
