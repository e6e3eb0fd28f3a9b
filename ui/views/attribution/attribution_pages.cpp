#include "ui/views/attribution/attribution_pages.h"

#include "ui/document/attribution_reading.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/tables/number_table.h"
#include "ui/views/pages/table_pages.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/labels.h"

#include <QColor>
#include <QHeaderView>
#include <QStyle>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace headscope::ui {

namespace {

constexpr int kValueColumn = 1;

} // namespace

AttributionPage::AttributionPage(QWidget* parent) : QWidget(parent) {
    sum_ = new TextLabel(this);
    sum_->setObjectName(QStringLiteral("attributionSum"));
    sum_->setWordWrap(true);
    sum_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    sum_->setToolTip(tr("Direct logit attribution: the changes that a part causes in later layers "
                        "are not included"));
    table_ = new NumberPage(partColumns(), kValueColumn, this);
    table_->setObjectName(QStringLiteral("attributionParts"));
    table_->view()->setAccessibleName(tr("Parts of the logit, strongest first"));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(sum_);
    layout->addWidget(table_, 1);
    connect(table_, &NumberPage::rowChosen, this, [this](int row) {
        const LogitPart& part = parts_[static_cast<std::size_t>(row)];
        if (part.kind == LogitPartKind::Head)
            emit headChosen(part.of);
    });
}

void AttributionPage::showAttribution(const RunResult& run, const LogitAttribution& attribution) {
    sum_->setText(attributionText(run, attribution));
    parts_ = strongestParts(attribution);
    QList<NumberTable::Row> rows;
    for (const LogitPart& part : parts_)
        rows.append(partRow(run, attribution, part));
    table_->setRows(std::move(rows));
    table_->show();
}

void AttributionPage::showMessage(const QString& message) {
    sum_->setText(message);
    parts_.clear();
    table_->setRows({});
    table_->hide();
}

QString depthName(std::size_t depth) {
    return depth == 0 ? LensTable::tr("embedding") : LensTable::tr("layer %1").arg(depth - 1);
}

void LensTable::setLens(std::shared_ptr<const RunResult> run,
                        std::shared_ptr<const LogitLens> lens) {
    beginResetModel();
    run_ = std::move(run);
    lens_ = std::move(lens);
    endResetModel();
}

int LensTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !lens_ ? 0 : static_cast<int>(lens_->question.ids.size());
}

int LensTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || !lens_ ? 0 : static_cast<int>(lens_->depths);
}

Markup LensTable::tip(const LensReading& reading) const {
    Markup rows;
    for (const Prediction& prediction : reading.top)
        rows += markup(u"<tr><td>%1&nbsp;&nbsp;</td><td align='right'>%2</td></tr>",
                       tokenText(*run_->full->model, prediction.id),
                       percentText(prediction.probability));
    return markup(u"<table>%1</table>%2", rows,
                  markup(tr("KL from the model's own prediction %1 nats<br>entropy %2 nats"),
                         numberText(reading.kl, 3), numberText(reading.entropy, 3)));
}

QVariant LensTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const LensReading& reading =
        lens_->at(static_cast<std::size_t>(index.column()), static_cast<std::size_t>(index.row()));
    const Prediction& best = reading.top.front();
    const QColor colour = colourAt(ColourMap::Viridis, best.probability);
    switch (role) {
    case Qt::DisplayRole:
        return tokenText(*run_->full->model, best.id);
    case Qt::ToolTipRole:
        return asTip(tip(reading));
    case Qt::BackgroundRole:
        return colour;
    case Qt::ForegroundRole:
        return readableOn(colour);
    case Qt::AccessibleDescriptionRole:
        return percentText(best.probability);
    default:
        return {};
    }
}

QVariant LensTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (!lens_)
        return {};
    if (orientation == Qt::Vertical) {
        const QString name =
            QStringLiteral("%1 %2").arg(QString::number(section), run_->shown_pieces[section]);
        if (role == Qt::ToolTipRole)
            return asTip(name);
        return role == Qt::DisplayRole ? name : QVariant();
    }
    if (role == Qt::ToolTipRole)
        return asTip(
            section == 0
                ? tr("What the embedding alone would predict")
                : tr("What the network would predict if it ended with layer %1").arg(section - 1));
    return role == Qt::DisplayRole ? depthName(static_cast<std::size_t>(section)) : QVariant();
}

namespace {

constexpr int kDepthWidth = 92;

QTableView* makeView(const char* name, const QString& accessible_name, QWidget* parent) {
    auto* view = new QTableView(parent);
    view->setObjectName(QString::fromLatin1(name));
    view->setAccessibleName(accessible_name);
    view->setSelectionMode(QAbstractItemView::NoSelection);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setTabKeyNavigation(false);
    view->horizontalHeader()->setDefaultSectionSize(kDepthWidth);
    view->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    view->verticalHeader()->setDefaultSectionSize(view->fontMetrics().height() + 8);
    return view;
}

} // namespace

LensPage::LensPage(QWidget* parent) : QWidget(parent) {
    message_ = new TextLabel(this);
    message_->setObjectName(QStringLiteral("lensMessage"));
    message_->setWordWrap(true);
    followed_name_ = new TextLabel(this);
    followed_name_->setObjectName(QStringLiteral("lensFollowedName"));
    makeTables();
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(message_);
    layout->addWidget(view_, 1);
    layout->addWidget(followed_name_);
    layout->addWidget(followed_);
    showMessage(tr("The logit lens appears here when it has been read."));
}

void LensPage::makeTables() {
    view_ = makeView("lensTable", tr("Best token by position and depth"), this);
    view_->setToolTip(tr("The token that the network would predict if it ended at this depth, "
                         "brighter the more probable; a click chooses the position"));
    table_ = new LensTable(view_);
    view_->setModel(table_);
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (current.isValid())
                    emit positionChosen(static_cast<std::size_t>(current.row()));
            });
    followed_ = makeView("lensFollowed", tr("Probability and rank of the token by depth"), this);
    followed_->setFixedHeight(followed_->horizontalHeader()->sizeHint().height() +
                              2 * followed_->verticalHeader()->defaultSectionSize() +
                              followed_->style()->pixelMetric(QStyle::PM_ScrollBarExtent) + 6);
}

void LensPage::showLens(std::shared_ptr<const RunResult> run,
                        std::shared_ptr<const LogitLens> lens) {
    const int column = std::max(0, view_->currentIndex().column());
    run_ = std::move(run);
    lens_ = std::move(lens);
    table_->setLens(run_, lens_);
    view_->setCurrentIndex(table_->index(static_cast<int>(position_), column)); // keys go on there
    message_->setText(tr("What the network would predict if it ended at each depth, read by its "
                         "own final norm and unembedding."));
    showFollowed();
}

void LensPage::showPosition(std::size_t position) {
    position_ = position;
    showFollowed();
}

void LensPage::showMessage(const QString& message) {
    run_.reset();
    lens_.reset();
    table_->setLens(nullptr, nullptr);
    message_->setText(message);
    showFollowed();
}

void LensPage::showFollowed() {
    const bool follows = lens_ && position_ < lens_->question.ids.size();
    for (QWidget* widget : {static_cast<QWidget*>(view_), static_cast<QWidget*>(followed_name_),
                            static_cast<QWidget*>(followed_)})
        widget->setVisible(follows);
    delete followed_->model();
    if (!follows)
        return;
    followed_name_->setText(tr("Probability and rank of %1 at %2 %3")
                                .arg(tokenText(*run_->full->model, *lens_->question.token),
                                     QString::number(position_),
                                     run_->shown_pieces[static_cast<qsizetype>(position_)]));
    QList<NumberTable::Column> depths;
    NumberTable::Row probabilities;
    NumberTable::Row ranks;
    for (std::size_t depth = 0; depth < lens_->depths; ++depth) {
        const LensReading& reading = lens_->at(depth, position_);
        depths << NumberTable::Column{.name = depthName(depth)};
        probabilities << percentText(reading.probability);
        ranks << tr("rank %1").arg(reading.rank);
    }
    auto* table = new NumberTable(std::move(depths), followed_);
    table->setRows({probabilities, ranks});
    followed_->setModel(table);
    // Its columns are under those of the lens.
    followed_->verticalHeader()->setFixedWidth(view_->verticalHeader()->sizeHint().width());
}

} // namespace headscope::ui
