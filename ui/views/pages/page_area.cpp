#include "ui/views/pages/page_area.h"

#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QKeyEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QStyle>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::ui {

/// It scrolls where it has too little room, and while the focus is inside, its keys go before those
/// of the window.
class PageArea::Frame : public QScrollArea {
public:
    explicit Frame(QDialog* analysis) : as_window_(analysis->size()) {
        setFrameShape(QFrame::NoFrame);
        analysis->setAttribute(Qt::WA_Moved); // else a dialog looks for a place on the screen
        setWidget(analysis);
        analysis->show();
    }

    /// Null once it was deleted, until the area hears of it.
    QDialog* analysis() const { return static_cast<QDialog*>(widget()); }
    QSize sizeAsWindow() const { return as_window_; }
    Widths widths() const {
        if (analysis() == nullptr)
            return {};
        const int least =
            analysis()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width();
        return {least, std::max(least, as_window_.width())};
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        fit();
        QScrollArea::resizeEvent(event);
    }

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched == widget() && event->type() == QEvent::LayoutRequest)
            fit();
        return QScrollArea::eventFilter(watched, event);
    }

    bool event(QEvent* event) override {
        if (event->type() == QEvent::ShortcutOverride &&
            actionOf(static_cast<const QKeyEvent&>(*event)) != nullptr) {
            event->accept(); // so that it comes as a key press
            return true;
        }
        return QScrollArea::event(event);
    }

    void keyPressEvent(QKeyEvent* key) override {
        if (QAction* action = actionOf(*key))
            action->trigger();
        else
            QScrollArea::keyPressEvent(key);
    }

private:
    /// A resizable widget of a QScrollArea would get the height that its wrapped texts would like,
    /// and scroll although it could do with less.
    void fit() {
        if (analysis() == nullptr)
            return;
        const QSize least = analysis()->minimumSizeHint();
        QSize room = maximumViewportSize();
        if (least.width() > room.width())
            room.rheight() -= horizontalScrollBar()->sizeHint().height();
        if (least.height() > room.height())
            room.rwidth() -= verticalScrollBar()->sizeHint().width();
        analysis()->resize(room.expandedTo(least));
    }

    /// The action with this key, of the focused widget or of a widget around it.
    QAction* actionOf(const QKeyEvent& key) const {
        const QKeySequence pressed(key.keyCombination());
        for (QWidget* at = QApplication::focusWidget(); at && at != this; at = at->parentWidget())
            for (QAction* action : at->actions())
                if (action->shortcuts().contains(pressed))
                    return action;
        return nullptr;
    }

    QSize as_window_;
};

PageArea::PageArea(QWidget* patterns, const QString& title, QWidget* parent)
    : QWidget(parent), patterns_(patterns), title_(title) {
    splitter_ = new QSplitter(Qt::Horizontal, this);
    splitter_->setObjectName(QStringLiteral("pagesSplitter"));
    splitter_->setChildrenCollapsible(false);
    groups_ = {makeGroup("pages", tr("Pages")), makeGroup("pagesBeside", tr("Pages beside"))};
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter_);
    addTab(groups_[0], patterns_, title_);
    showGroups();
    connect(qApp, &QApplication::focusChanged, this,
            [this](QWidget*, QWidget* now) { followFocus(now); });
}

QTabWidget* PageArea::makeGroup(const char* name, const QString& title) {
    auto* group = new QTabWidget(splitter_);
    group->setObjectName(QString::fromLatin1(name));
    group->tabBar()->setAccessibleName(title);
    group->setDocumentMode(true);
    group->setMovable(true);
    group->setTabsClosable(true);
    group->setElideMode(Qt::ElideRight);
    group->setUsesScrollButtons(true);
    connect(group, &QTabWidget::tabCloseRequested, this,
            [group](int index) { frameAt(*group, index)->analysis()->reject(); });
    connect(group, &QTabWidget::currentChanged, this, &PageArea::changed);
    connect(group, &QTabWidget::tabBarClicked, this,
            [this, group] { followFocus(group->tabBar()); });
    splitter_->addWidget(group);
    return group;
}

PageArea::Frame* PageArea::frameAt(const QTabWidget& group, int index) {
    return dynamic_cast<Frame*>(group.widget(index));
}

PageArea::Frame* PageArea::frameOf(const QDialog* analysis) const {
    for (const QTabWidget* group : groups_)
        for (int i = 0; i < group->count(); ++i)
            if (Frame* frame = frameAt(*group, i); frame && frame->analysis() == analysis)
                return frame;
    return nullptr;
}

QTabWidget* PageArea::groupOf(const QWidget* tab) const {
    return groups_[groups_[0]->indexOf(tab) >= 0 ? 0 : 1];
}

void PageArea::setTitle(QTabWidget& group, int index, const QString& title) {
    const QString text = textOfTitle(title);
    group.setTabToolTip(index, asTip(text));
    group.setTabText(index, asCaption(text));
}

/// The patterns cannot be closed.
void PageArea::addTab(QTabWidget* group, QWidget* tab, const QString& title) {
    const int index = group->addTab(tab, QString());
    setTitle(*group, index, title);
    if (tab == patterns_) {
        auto* no_button = new QWidget; // as high as one, so that tabs beside it are level
        no_button->setFixedSize(0, style()->pixelMetric(QStyle::PM_TabCloseIndicatorHeight));
        const auto side = static_cast<QTabBar::ButtonPosition>(
            style()->styleHint(QStyle::SH_TabBar_CloseButtonPosition));
        group->tabBar()->setTabButton(index, side, no_button);
    }
    group->setCurrentIndex(index);
}

void PageArea::open(QDialog* analysis, const QString& command) {
    if (!isOpen(analysis)) {
        pages_.push_back({analysis, command, analysis->windowFlags()});
        connect(analysis, &QDialog::finished, this, [this, analysis] { forget(analysis); });
        connect(analysis, &QWidget::windowTitleChanged, this,
                [this, analysis] { showTitle(*analysis); });
        // Queued: its tab cannot go while it is being taken out of it.
        connect(analysis, &QObject::destroyed, this, &PageArea::forgetDeleted,
                Qt::QueuedConnection);
        if (!has_windows_)
            embed(pages_.back());
    }
    bringUp(*analysis);
    emit changed();
}

std::vector<PageArea::Page>::const_iterator PageArea::find(const QDialog* analysis) const {
    return std::ranges::find_if(pages_,
                                [analysis](const Page& page) { return page.analysis == analysis; });
}

bool PageArea::isOpen(const QDialog* analysis) const {
    return find(analysis) != pages_.end();
}

void PageArea::embed(const Page& page) {
    addTab(groups_[active_], new Frame(page.analysis), page.analysis->windowTitle());
    showGroups();
}

void PageArea::takeOut(const Page& page) {
    Frame* frame = frameOf(page.analysis);
    if (frame == nullptr)
        return;
    frame->takeWidget();
    page.analysis->setParent(window(), page.flags);
    page.analysis->resize(frame->sizeAsWindow());
    page.analysis->setAttribute(Qt::WA_Moved, false); // so that it comes over this window
    QTabWidget* group = groupOf(frame);
    group->removeTab(group->indexOf(frame));
    frame->deleteLater();
    showGroups();
}

void PageArea::bringUp(QDialog& analysis) {
    if (Frame* frame = frameOf(&analysis)) {
        groupOf(frame)->setCurrentWidget(frame);
        followFocus(frame);
        focusCurrent();
    } else {
        analysis.show();
        analysis.raise();
        analysis.activateWindow();
    }
}

/// Where it was when the page was in front before, else on the page itself.
void PageArea::focusCurrent() {
    QWidget* page = current() ? current() : patterns_;
    QWidget* last = page->focusWidget();
    (last ? last : page)->setFocus(Qt::OtherFocusReason);
}

void PageArea::forget(QDialog* analysis) {
    const auto found = find(analysis);
    if (found == pages_.end())
        return;
    analysis->disconnect(this);
    const bool was_in_front = current() == analysis;
    takeOut(*found);
    pages_.erase(found);
    if (was_in_front)
        focusCurrent();
    emit changed();
}

void PageArea::forgetDeleted() {
    std::erase_if(pages_, [](const Page& page) { return page.analysis.isNull(); });
    while (const Frame* emptied = frameOf(nullptr))
        delete emptied;
    showGroups();
    emit changed();
}

void PageArea::showTitle(const QDialog& analysis) {
    if (const Frame* frame = frameOf(&analysis)) {
        QTabWidget* group = groupOf(frame);
        setTitle(*group, group->indexOf(frame), analysis.windowTitle());
    }
}

void PageArea::followFocus(QWidget* now) {
    for (std::size_t i = 0; i < groups_.size(); ++i)
        if (now && groups_[i]->isAncestorOf(now) && active_ != i) {
            active_ = i;
            emit changed();
        }
}

/// A group without pages is not there, and the patterns alone need no tab.
void PageArea::showGroups() {
    const int tabs = groups_[0]->count() + groups_[1]->count();
    for (QTabWidget* group : groups_) {
        group->setVisible(group->count() > 0);
        group->tabBar()->setVisible(tabs > 1);
    }
    if (groups_[active_]->count() == 0)
        active_ = 1 - active_;
}

QDialog* PageArea::current() const {
    const Frame* frame = frameAt(*groups_[active_], groups_[active_]->currentIndex());
    return frame ? frame->analysis() : nullptr;
}

void PageArea::showPatterns() {
    const QDialog* analysis = current();
    groupOf(patterns_)->setCurrentWidget(patterns_);
    followFocus(patterns_);
    if (analysis)
        focusCurrent();
}

void PageArea::step(int by) {
    QTabWidget* group = groups_[active_];
    group->setCurrentIndex((group->currentIndex() + by + group->count()) % group->count());
    focusCurrent();
}

void PageArea::closeCurrent() {
    if (QDialog* analysis = current())
        analysis->reject();
}

void PageArea::closeAll() {
    for (const Page& page : std::vector(pages_))
        page.analysis->reject();
}

void PageArea::moveAcross() {
    QWidget* tab = groups_[active_]->currentWidget();
    const QDialog* analysis = current();
    groups_[active_]->removeTab(groups_[active_]->currentIndex());
    active_ = 1 - active_;
    addTab(groups_[active_], tab, analysis ? analysis->windowTitle() : title_);
    showGroups();
    splitter_->setSizes({splitter_->width(), splitter_->width()}); // in equal parts
    focusCurrent();
    emit changed();
}

void PageArea::setWindows(bool has_windows) {
    if (has_windows_ == has_windows)
        return;
    has_windows_ = has_windows;
    for (const Page& page : pages_) {
        if (has_windows) {
            takeOut(page);
            page.analysis->show();
        } else {
            page.analysis->hide();
            embed(page);
        }
    }
    if (!has_windows)
        window()->activateWindow();
    emit changed();
}

PageArea::Widths PageArea::widths() const {
    if (groups_[1 - active_]->count() == 0 && current() == nullptr)
        return {};
    Widths both;
    for (const QTabWidget* group : groups_) {
        if (group->count() == 0)
            continue;
        const Frame* frame = frameAt(*group, group->currentIndex());
        const int patterns = patterns_->minimumSizeHint().width();
        const Widths one = frame ? frame->widths() : Widths{patterns, patterns};
        both.least += one.least;
        both.good += one.good;
    }
    return both;
}

QStringList PageArea::layoutText() const {
    QStringList commands;
    for (const Page& page : pages_) {
        const Frame* frame = frameOf(page.analysis);
        const bool is_beside = frame && groupOf(frame) == groups_[1];
        commands << (is_beside ? page.command + QStringLiteral(" +") : page.command);
    }
    return commands;
}

} // namespace headscope::ui
