#include "ui/views/pruning/orders_panel.h"

#include "core/io/atomic_file.h"
#include "ui/document/pruning_reading.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"
#include "ui/views/pages/export_place.h"
#include "ui/widgets/labels.h"

#include <QCheckBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSpinBox>

#include <utility>

namespace headscope::ui {
namespace {

constexpr int kMostRandom = 1000;
constexpr int kFirstRandom = 10;
constexpr std::size_t kLargestHeadList = 1'000'000; ///< bytes

/// Cheap ones that know something, and what they must beat.
bool isTickedFirst(OrderKind kind) {
    return kind == OrderKind::OutputNorm || kind == OrderKind::Gradient ||
           kind == OrderKind::Random;
}

} // namespace

OrdersPanel::OrdersPanel(Dialogs& dialogs, QWidget* parent) : QWidget(parent), dialogs_(dialogs) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(1, 1);
    for (const OrderKind kind : offeredOrders())
        addOrder(*grid, kind);
}

void OrdersPanel::addOrder(QGridLayout& grid, OrderKind kind) {
    const QString name = toQString(orderKindName(kind));
    auto* box = new QCheckBox(name, this);
    box->setObjectName(QStringLiteral("order_") + name);
    box->setToolTip(asTip(orderTip(kind)));
    box->setAccessibleDescription(orderTip(kind));
    box->setChecked(isTickedFirst(kind));
    boxes_[kind] = box;
    const int row = grid.rowCount();
    grid.addWidget(box, row, 0);
    grid.addWidget(explanation(kind), row, 1);
}

QWidget* OrdersPanel::explanation(OrderKind kind) {
    auto* line = new QWidget(this);
    auto* layout = new QHBoxLayout(line);
    layout->setContentsMargins(0, 0, 0, 0);
    if (kind == OrderKind::Random) {
        random_ = new QSpinBox(line);
        random_->setObjectName(QStringLiteral("randomOrders"));
        random_->setRange(1, kMostRandom);
        random_->setValue(kFirstRandom);
        random_->setToolTip(tr("How many random orders are drawn"));
        random_->setAccessibleName(random_->toolTip());
        layout->addWidget(random_);
    }
    if (kind == OrderKind::OwnList) {
        list_ = new QPushButton(tr("C&hoose …"), line);
        list_->setObjectName(QStringLiteral("chooseList"));
        list_->setToolTip(tr("A text file with heads such as 4.1, in the order in which they go"));
        list_->setAutoDefault(false);
        connect(list_, &QPushButton::clicked, this, &OrdersPanel::chooseList);
        layout->addWidget(list_);
    }
    auto* brief = new TextLabel(orderBrief(kind), line);
    brief->setToolTip(asTip(orderTip(kind)));
    brief->setForegroundRole(QPalette::PlaceholderText);
    layout->addWidget(brief, 1);
    return line;
}

void OrdersPanel::chooseList() {
    const QString path = dialogs_.textToOpen(this, exportFolder());
    if (path.isEmpty())
        return;
    auto text = readTextFile(path.toStdString(), kLargestHeadList);
    if (!text)
        return emit failed(toQString(text.error().message));
    list_file_ = path;
    list_text_ = *std::move(text);
    list_->setText(QFileInfo(path).fileName());
    boxes_[OrderKind::OwnList]->setChecked(true);
}

bool OrdersPanel::isTicked(OrderKind kind) const {
    return boxes_.at(kind)->isChecked();
}

Result<std::vector<OrderSpec>> OrdersPanel::orders(const ModelSpec& spec,
                                                   std::uint64_t seed) const {
    std::vector<OrderSpec> orders;
    for (const OrderKind kind : offeredOrders()) {
        if (!isTicked(kind))
            continue;
        if (kind == OrderKind::OwnList) {
            if (list_file_.isEmpty())
                return Error{ErrorCode::InvalidArgument,
                             tr("Choose the file of your own list, or untick it.").toStdString()};
            auto list =
                ownListOrder(list_text_, QFileInfo(list_file_).fileName().toStdString(), spec);
            if (!list)
                return list.error();
            orders.push_back(*std::move(list));
            continue;
        }
        const int count = kind == OrderKind::Random ? random_->value() : 1;
        for (int i = 0; i < count; ++i)
            orders.push_back({kind, seed + static_cast<std::uint64_t>(i)});
    }
    if (orders.empty())
        return Error{ErrorCode::InvalidArgument, tr("Tick at least one order.").toStdString()};
    return orders;
}

} // namespace headscope::ui
