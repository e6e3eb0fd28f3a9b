#pragma once

#include "core/heads/head_type.h"
#include "ui/document/document.h"

#include <QList>
#include <QWidget>

#include <map>

class QLabel;
class QPushButton;

namespace headscope::ui {

class ScoreRow;

/// All scores of the selected head with their thresholds, and what they were measured on.
class TypesPanel : public QWidget {
    Q_OBJECT

public:
    explicit TypesPanel(Document& document, QWidget* parent = nullptr);

private:
    QLabel* makeHeading(TypeGroup group);
    void showScores();

    Document& document_;
    QLabel* title_ = nullptr;
    std::map<TypeGroup, QLabel*> headings_;
    QList<ScoreRow*> rows_;
    QLabel* input_ = nullptr;
    QPushButton* reset_ = nullptr;
};

} // namespace headscope::ui
