#include "ui/views/tokens/token_page.h"

#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/maps/pattern_content.h"
#include "ui/views/tokens/writing_line.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/elided_text.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/token_lines.h"
#include "ui/widgets/token_text.h"

#include <QEvent>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <utility>

namespace headscope::ui {
namespace {

QLabel* lineLabel(const char* name, QWidget* parent) {
    auto* label = new ElidedLabel(parent);
    label->setObjectName(QString::fromLatin1(name));
    return label;
}

/// "L4 H1 · induction 0.59 · attention sink 0.50"
Markup headMarkup(const Document& document, LayerHead head) {
    Markup text = markup(u"<b>%1</b>", headName(head));
    if (document.ablation().mask().isAblated(head))
        text += markup(u" · %1", TokenPage::tr("ablated"));
    const auto scores = document.headScorer().scores();
    if (!scores)
        return text;
    for (const HeadTypeId type : labels(*scores, head, document.thresholds()))
        text += markup(u" · %1 %2", typeName(scores->at(type, head)),
                       scoreText(scores->at(type, head).score));
    return text;
}

} // namespace

TokenPage::TokenPage(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
    makeViews();
    layOut();
    connectDocument();
}

void TokenPage::makeViews() {
    text_ = new TokenText(this);
    text_->setObjectName(QStringLiteral("tokenText"));
    text_->setAccessibleName(tr("Prompt as text"));
    lines_ = new TokenLines(this);
    lines_->setObjectName(QStringLiteral("tokenLines"));
    lines_->setAccessibleName(tr("Lines between tokens"));
    views_ = new QStackedWidget(this);
    for (TokenView* view : {static_cast<TokenView*>(text_), static_cast<TokenView*>(lines_)}) {
        views_->addWidget(view);
        connect(view, &TokenView::readingChanged, this, [this, view] {
            if (view == views_->currentWidget()) // the pointer leaves the other when pages turn
                showReading();
        });
        connect(view, &TokenView::tokenClicked, &document_.selection(), &Selection::toggleRow);
    }
    connect(lines_, &TokenView::scrolled, this, &TokenPage::showCaption);
}

void TokenPage::layOut() {
    heads_ = new MarkupLabel(this);
    heads_->setObjectName(QStringLiteral("tokenHeads"));
    heads_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    caption_ = lineLabel("tokenCaption", this);
    caption_->setForegroundRole(QPalette::PlaceholderText);
    words_ = lineLabel("tokenWords", this);
    writing_ = new WritingLine(this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(heads_);
    layout->addWidget(views_, 1);
    layout->addWidget(caption_);
    layout->addWidget(words_);
    layout->addWidget(writing_);
}

void TokenPage::connectDocument() {
    const auto ask = [this] {
        is_stale_ = true;
        read();
    };
    connect(&document_, &Document::modelChanged, this, ask);
    connect(&document_, &Document::shownChanged, this, ask);
    connect(&document_.selection(), &Selection::chosenChanged, this, ask);
    connect(&document_, &Document::labelsChanged, this, &TokenPage::showContent);
    connect(&document_.ablation(), &Ablation::changed, this, &TokenPage::showContent);
    connect(&document_.selection(), &Selection::lockedRowChanged, this, &TokenPage::showLocked);
}

TokenView& TokenPage::view() const {
    return *static_cast<TokenView*>(views_->currentWidget());
}

void TokenPage::turnTo(Kind kind) {
    views_->setCurrentWidget(kind == Kind::Text ? static_cast<QWidget*>(text_) : lines_);
    showContent();
}

void TokenPage::setSettings(const PatternSettings& settings) {
    settings_ = settings;
    is_stale_ = true;
    read();
}

void TokenPage::setDirection(TokenDirection direction) {
    text_->setDirection(direction);
    showReading();
}

void TokenPage::setEmptyText(const QString& text) {
    empty_text_ = text;
    if (!reading_.result())
        showContent();
}

void TokenPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    showContent();
    read();
}

void TokenPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && heads_)
        showHeads();
}

void TokenPage::read() {
    const PatternSource& source = document_.shown();
    if (!source.result) {
        worker_.cancel();
        reading_ = {};
        return showContent();
    }
    if (!isVisible() || !is_stale_)
        return;
    is_stale_ = false;
    worker_.start(
        [source, heads = document_.selection().chosen(), settings = settings_,
         known = reading_.maps](const Progress&, const std::stop_token& stop) {
            return readTokens(source, heads, settings, known, stop);
        },
        [this](const Result<TokenReading>& reading) { take(reading); });
}

void TokenPage::take(const Result<TokenReading>& reading) {
    reading_ = reading ? *reading : TokenReading();
    showContent();
    if (!reading)
        view().setEmpty(toQString(reading.error().message));
    emit firstKeyChanged();
}

void TokenPage::showContent() {
    if (!reading_.result())
        writing_->clearLine();
    if (!isVisible())
        return;
    if (reading_.result())
        view().setContent(tokenContent(reading_, settings_, document_));
    else
        view().setEmpty(empty_text_);
    showHeads();
    showCaption();
    showLocked();
}

void TokenPage::showHeads() {
    if (!reading_.result())
        return heads_->clear();
    if (reading_.heads.size() == 1)
        return heads_->setMarkup(headMarkup(document_, reading_.heads.front()));
    const QColor base = palette().color(QPalette::Base);
    Markup names;
    for (std::size_t i = 0; i < reading_.heads.size(); ++i)
        names += markup(u"<span style='color:%1'>●</span>&nbsp;<b>%2</b>&nbsp;&nbsp; ",
                        headColour(static_cast<int>(i), base).name(), headName(reading_.heads[i]));
    heads_->setMarkup(names);
}

void TokenPage::showCaption() {
    QStringList parts;
    if (reading_.result() && views_->currentWidget() == lines_) {
        parts << tr("lines from %1 % of full strength on").arg(100.0 * kLeastLineShare);
        const CellRange rows = lines_->rowsInSight();
        if (rows.size() < lines_->content().tokens())
            parts << tr("queries %1 to %2 of %3")
                         .arg(rows.begin)
                         .arg(rows.end - 1)
                         .arg(lines_->content().tokens());
    }
    if (reading_.result() && !leftOutText(reading_).isEmpty())
        parts << leftOutText(reading_);
    caption_->setText(parts.join(QStringLiteral(" · ")));
    caption_->setVisible(!parts.isEmpty());
}

void TokenPage::showLocked() {
    view().setCurrent(document_.selection().lockedRow());
    showReading();
}

void TokenPage::showReading() {
    const auto read = view().reading();
    const auto result = reading_.result();
    if (!result || !isVisible())
        return;
    if (!read) {
        words_->setText(tr("Point at a token to see its lines alone, click to keep them."));
        return writing_->setText(QString());
    }
    const auto other = view().hovered();
    const bool reads = read->direction == TokenDirection::Reads;
    const QString text = readingText(reading_, read->token, read->direction);
    words_->setText(
        view().current() && other && other != read->token
            ? pairText(reading_, reads ? read->token : *other, reads ? *other : read->token)
            : text);
    view().setReadingText(text);
    writing_->readAt(result, document_.selection().head(), read->token);
}

Result<void> TokenPage::saveFigure(const QString& path) const {
    if (!reading_.result() || is_stale_ || worker_.isBusy())
        return Error{ErrorCode::InvalidArgument,
                     tr("The heads are being read; try again in a moment.").toStdString()};
    return view().saveFigure(path, kFigureSize.width());
}

} // namespace headscope::ui
