#include "ui/views/pages/dialog_parts.h"

#include "ui/tables/head_text.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/job_indicator.h"
#include "ui/views/pages/table_export.h"
#include "ui/widgets/elided_text.h"
#include "ui/widgets/labels.h"

#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QHBoxLayout>
#include <QPushButton>

namespace headscope::ui {
namespace {

constexpr char kExports[] = "exports"; ///< property of a button
constexpr int kBetweenFields = 10;
constexpr int kLeastBox = 64; ///< pixels

} // namespace

QLabel* addField(QHBoxLayout* row, const QString& name, QWidget* field) {
    auto* label = new TextLabel(name, field->parentWidget());
    label->setBuddy(field);
    row->addWidget(label);
    row->addWidget(field);
    if (auto* box = qobject_cast<QComboBox*>(field))
        letShrink(box);
    row->addSpacing(kBetweenFields);
    return label;
}

void letShrink(QComboBox* box) {
    box->setMinimumWidth(kLeastBox);
}

QPushButton* makeButton(const char* name, const QString& text, const QString& tip,
                        QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setObjectName(QString::fromLatin1(name));
    button->setToolTip(asTip(tip));
    button->setAutoDefault(false);
    return button;
}

void setExports(QPushButton* button) {
    button->setProperty(kExports, true);
}

QPushButton* exportButtonOf(const QWidget& page) {
    for (QPushButton* button : page.findChildren<QPushButton*>())
        if (button->isVisible() && button->property(kExports).toBool())
            return button;
    return nullptr;
}

void addKey(QWidget* widget, QKeySequence::StandardKey key, const std::function<void()>& act) {
    auto* action = new QAction(widget);
    action->setShortcuts(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    QObject::connect(action, &QAction::triggered, widget, act);
    widget->addAction(action);
}

void setRichTip(QWidget* widget, const Markup& text) {
    widget->setToolTip(asTip(wide(text)));
    widget->setAccessibleDescription(text.plainText());
}

JobFooter::JobFooter(QDialog* dialog) : QWidget(dialog) {
    jobs_ = new JobIndicator(this);
    again_ = new QPushButton(tr("Compute &Again"), this);
    again_->setObjectName(QStringLiteral("computeAgain"));
    again_->setToolTip(tr("Computes what is shown once more, as after Cancel"));
    auto* close = new QPushButton(tr("&Close"), this);
    close->setObjectName(QStringLiteral("closeDialog"));
    said_ = new ElidedLabel(this);
    said_->setObjectName(QStringLiteral("copySaid"));
    layout_ = new QHBoxLayout(this);
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->addWidget(jobs_);
    layout_->addWidget(said_, 1);
    for (QPushButton* button : {again_, close}) {
        button->setAutoDefault(false);
        layout_->addWidget(button);
    }
    connect(again_, &QPushButton::clicked, this, &JobFooter::againRequested);
    connect(close, &QPushButton::clicked, dialog, &QDialog::reject);
}

void JobFooter::watch(JobRunner* runner, const QString& name) {
    jobs_->watch(runner, name);
    connect(runner, &JobRunner::busyChanged, said_, &QLabel::clear);
}

void JobFooter::offer(CopyActions& copies) {
    layout_->insertWidget(layout_->indexOf(again_), copies.makeButton(this));
    connect(&copies, &CopyActions::said, said_,
            [this](const QString& text) { said_->setText(text.simplified()); });
}

void JobFooter::offer(TableExport& table) {
    layout_->insertWidget(layout_->indexOf(again_), table.button());
    watch(table.worker(), tr("Writing"));
    connect(&table, &TableExport::said, said_,
            [this](const QString& text) { said_->setText(text); });
}

} // namespace headscope::ui
