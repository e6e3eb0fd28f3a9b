#pragma once

#include "core/export/call.h"

#include <QDialog>

class QTabWidget;

namespace headscope::ui {

/// What the open model is, and what was read from its file: the model card and the load report.
class ModelDialog : public QDialog {
    Q_OBJECT

public:
    enum class Page { Card, Report };

    ModelDialog(const LoadedModel& loaded, Page page, QWidget* parent = nullptr);

private:
    QWidget* makeCard(const Model& model);
    QWidget* makeReport(const Model& model);
};

} // namespace headscope::ui
