#pragma once

#include "core/heads/head_type.h"
#include "ui/document/document.h"

#include <QList>
#include <QWidget>

#include <map>

class QCheckBox;
class QLabel;
class QPushButton;

namespace headscope::ui {

class ScoreRow;

/// The scores of the selected head: of the types that it has, or of all; their thresholds, which
/// can be opened for editing; and what they were measured on. Both choices are kept for the next
/// start.
class TypesPanel : public QWidget {
    Q_OBJECT

public:
    explicit TypesPanel(Document& document, QWidget* parent = nullptr);

private:
    QCheckBox* makeChoice(const char* name, const QString& text, const QString& tip);
    QLabel* makeHeading(TypeGroup group);
    void showScores();
    void showThresholds();

    Document& document_;
    QLabel* title_ = nullptr;
    QCheckBox* all_ = nullptr;
    QCheckBox* edit_ = nullptr;
    std::map<TypeGroup, QLabel*> headings_;
    QList<ScoreRow*> rows_;
    QLabel* input_ = nullptr;
    QPushButton* reset_ = nullptr;
};

} // namespace headscope::ui
