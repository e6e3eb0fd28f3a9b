#include "ui/views/model/model_dialog.h"

#include "core/export/run_calls.h"
#include "ui/markup/markup.h"
#include "ui/tables/model_tables.h"
#include "ui/tables/number_table.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/table_pages.h"
#include "ui/widgets/elided_text.h"
#include "ui/widgets/labels.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace headscope::ui {
namespace {

constexpr QSize kDialogSize{820, 640};

QLabel* textLabel(const QString& text) {
    auto* label = new TextLabel(text);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

} // namespace

ModelDialog::ModelDialog(const LoadedModel& loaded, Page page, QWidget* parent) : QDialog(parent) {
    const Model& model = loaded.model;
    setObjectName(QStringLiteral("modelDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Model %1").arg(asTitle(QString::fromStdString(model.name))));
    auto* tabs = new QTabWidget(this);
    tabs->setObjectName(QStringLiteral("modelTabs"));
    tabs->addTab(makeCard(model), tr("Model &card"));
    tabs->addTab(makeReport(model), tr("Load &report"));
    tabs->setCurrentIndex(static_cast<int>(page));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* copies = new CopyActions(this, [info = infoCall(loaded)] { return Calls{info}; });
    auto* said = new ElidedLabel(this);
    said->setObjectName(QStringLiteral("copySaid"));
    connect(copies, &CopyActions::said, said,
            [said](const QString& text) { said->setText(text.simplified()); });
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(said, 1);
    bottom->addWidget(copies->makeButton(this));
    bottom->addWidget(buttons);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(tabs);
    layout->addLayout(bottom);
    resize(kDialogSize);
}

QWidget* ModelDialog::makeCard(const Model& model) {
    const ModelCard card = modelCard(model);
    auto* page = new QWidget;
    auto* form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignLeft);
    for (const auto& [name, text] : cardLines(model, card)) {
        auto* label = new TextLabel(name);
        label->setForegroundRole(QPalette::PlaceholderText);
        form->addRow(label, textLabel(text));
    }
    auto* table = new NumberTable(matrixColumns());
    table->setRows(matrixRows(card));
    auto* matrices = new TablePage(table);
    matrices->setObjectName(QStringLiteral("matrixTable"));
    matrices->view()->horizontalHeader()->setStretchLastSection(false);
    matrices->view()->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    auto* layout = new QVBoxLayout(page);
    layout->addLayout(form);
    layout->addWidget(matrices, 1);
    return page;
}

QWidget* ModelDialog::makeReport(const Model& model) {
    auto* table = new NumberTable(reportColumns());
    table->setRows(reportRows(model.report));
    auto* page = new TablePage(table);
    page->setObjectName(QStringLiteral("reportTable"));
    return page;
}

} // namespace headscope::ui
