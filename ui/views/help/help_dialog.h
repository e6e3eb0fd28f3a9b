#pragma once

#include "ui/markup/markup.h"
#include "ui/views/help/key_row.h"

#include <QDialog>
#include <QList>
#include <QString>

namespace headscope::ui {

/// One page: what to do first, the keys, and a tour of the window.
class HelpDialog : public QDialog {
    Q_OBJECT

public:
    HelpDialog(const QList<KeyRow>& keys, const Markup& tour, QWidget* parent = nullptr);
};

/// Every head type with what it is, its formula and source, and the threshold it comes with; rich
/// text.
Markup typesHelp();

/// Shows that text.
class TypesHelpDialog : public QDialog {
    Q_OBJECT

public:
    explicit TypesHelpDialog(QWidget* parent = nullptr);
};

} // namespace headscope::ui
