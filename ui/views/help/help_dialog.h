#pragma once

#include "ui/views/commands/commands.h"

#include <QDialog>

namespace headscope::ui {

/// One page: what to do first, and the keys.
class HelpDialog : public QDialog {
    Q_OBJECT

public:
    explicit HelpDialog(const QList<KeyRow>& keys, QWidget* parent = nullptr);
};

} // namespace headscope::ui
