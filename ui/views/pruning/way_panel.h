#pragma once

#include "core/pruning/pruning_curve.h"
#include "ui/document/document.h"

#include <QWidget>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QSpinBox;
class QToolButton;

namespace headscope::ui {

/// What goes at a time, what stays, and what is done about heads that are gone.
class WayPanel : public QWidget {
    Q_OBJECT

public:
    explicit WayPanel(Document& document, QWidget* parent = nullptr);

    /// Everything but orders and points. Fails for protected heads that the network does not have.
    Result<PruningQuestion> question(const ModelSpec& spec) const;

private:
    void makeWhatGoes();
    void makeWhatStandsIn();
    void layOut();
    QComboBox* makeBox(const char* name, const QString& tip);
    QSpinBox* makeSpin(const char* name, const QString& tip, int most, int value);
    void showModel();
    void showSelection();
    void protectSelection();

    Document& document_;
    QComboBox* unit_ = nullptr;
    QLabel* unit_note_ = nullptr;
    QSpinBox* least_ = nullptr;
    QLineEdit* protected_ = nullptr;
    QToolButton* protect_ = nullptr;
    QComboBox* replacement_ = nullptr;
    QComboBox* compensation_ = nullptr;
};

} // namespace headscope::ui
