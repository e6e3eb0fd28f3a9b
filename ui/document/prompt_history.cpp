#include "ui/document/prompt_history.h"

#include <QSettings>

#include <algorithm>
#include <chrono>

namespace headscope::ui {
namespace {

constexpr std::chrono::milliseconds kStays{2500}; ///< longer than between two words
constexpr qsizetype kMostPrompts = 50;
constexpr qsizetype kLongestPrompt = 20'000; ///< characters; longer texts lie in files

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

void PromptHistory::add(const QStringList& prompts) {
    prompts_ += prompts;
    prompts_.removeDuplicates();
    store();
}

void PromptHistory::store() {
    prompts_ = prompts_.first(std::min(kMostPrompts, prompts_.size()));
    QSettings().setValue(historyKey(), prompts_);
    emit changed();
}

} // namespace headscope::ui
