#include "ui/document/remembered.h"

#include <QFileInfo>
#include <QSettings>

#include <algorithm>
#include <chrono>

namespace headscope::ui {

namespace {

constexpr qsizetype kMost = 10;

QString settingsKey() {
    return QStringLiteral("files/recent");
}

} // namespace

RecentFiles::RecentFiles(QObject* parent)
    : QObject(parent), paths_(QSettings().value(settingsKey()).toStringList()) {}

void RecentFiles::add(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    paths_.removeAll(absolute);
    paths_.prepend(absolute);
    paths_ = paths_.first(qMin(paths_.size(), kMost));
    store();
}

void RecentFiles::clear() {
    paths_.clear();
    store();
}

void RecentFiles::store() {
    QSettings().setValue(settingsKey(), paths_);
    emit changed();
}

namespace {

constexpr std::chrono::milliseconds kStays{2500}; ///< longer than between two words
constexpr qsizetype kMostPrompts = 50;
constexpr qsizetype kLongestPrompt = 20'000; ///< characters; longer texts are in files

QString historyKey() {
    return QStringLiteral("prompts/earlier");
}

} // namespace

PromptHistory::PromptHistory(QObject* parent)
    : QObject(parent), prompts_(QSettings().value(historyKey()).toStringList()) {
    pause_.setSingleShot(true);
    pause_.setInterval(kStays);
    connect(&pause_, &QTimer::timeout, this, &PromptHistory::takeUp);
}

void PromptHistory::follow(const QString& prompt) {
    now_ = prompt;
    pause_.start();
}

void PromptHistory::takeUp() {
    if (now_.trimmed().isEmpty() || now_.size() > kLongestPrompt || prompts_.value(0) == now_)
        return;
    prompts_.removeAll(now_);
    prompts_.prepend(now_);
    store();
}

QStringList PromptHistory::prompts() const {
    QStringList all = prompts_ + of_project_;
    all.removeDuplicates();
    return all.first(std::min(kMostPrompts, all.size()));
}

void PromptHistory::setProjectPrompts(const QStringList& prompts) {
    of_project_ = prompts;
    emit changed();
}

void PromptHistory::store() {
    prompts_ = prompts_.first(std::min(kMostPrompts, prompts_.size()));
    QSettings().setValue(historyKey(), prompts_);
    emit changed();
}

} // namespace headscope::ui
