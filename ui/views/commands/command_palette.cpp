#include "ui/views/commands/command_palette.h"

#include "ui/widgets/labels.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPalette>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr QSize kPaletteSize{560, 400};

QString nameOf(const Command& command) {
    return plainText(command.caption ? command.caption() : command.text);
}

/// "Reset Zoom    Ctrl+0", and a tick before what is on.
QString rowText(const Command& command) {
    QString text = nameOf(command);
    if (command.checked && command.checked())
        text.prepend(QStringLiteral("✓ "));
    if (!command.keys.isEmpty())
        text += QStringLiteral("    ") + command.keys.first().toString(QKeySequence::NativeText);
    return text;
}

/// Every word occurs somewhere, in any order.
bool matches(const QString& text, const QStringList& words) {
    return std::ranges::all_of(
        words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

/// 3 when the name begins with what was typed, 2 when it has the words, 1 when name and keywords
/// have them together, 0 for no match.
int rankOf(const Command& command, const QString& text, const QStringList& words) {
    const QString name = nameOf(command);
    if (name.startsWith(text, Qt::CaseInsensitive))
        return 3;
    if (matches(name, words))
        return 2;
    return matches(name + QLatin1Char(' ') + command.keywords, words) ? 1 : 0;
}

} // namespace

CommandPalette::CommandPalette(const QList<Command>& commands, Document& document, QWidget* parent)
    : QDialog(parent), commands_(commands) {
    setObjectName(QStringLiteral("commandPalette"));
    setWindowTitle(tr("Commands"));
    setAttribute(Qt::WA_DeleteOnClose);
    search_ = new QLineEdit(this);
    search_->setObjectName(QStringLiteral("paletteSearch"));
    search_->setPlaceholderText(tr("Type a command"));
    search_->setAccessibleName(tr("Command"));
    search_->installEventFilter(this);
    list_ = new QListWidget(this);
    list_->setObjectName(QStringLiteral("paletteList"));
    list_->setAccessibleName(tr("Commands"));
    list_->setWordWrap(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    QPalette colours = list_->palette(); // what cannot be given is to be read all the same
    colours.setColor(QPalette::Disabled, QPalette::Text,
                     colours.color(QPalette::Active, QPalette::PlaceholderText));
    list_->setPalette(colours);
    for (const Command& command : commands_) {
        auto* row = new QListWidgetItem(rowText(command), list_);
        const QString refusal = refusalOf(command, document);
        if (refusal.isEmpty())
            continue;
        row->setText(QStringLiteral("%1 — %2").arg(nameOf(command), refusal));
        row->setFlags(Qt::NoItemFlags);
    }
    none_ = new TextLabel(this);
    none_->setObjectName(QStringLiteral("paletteNone"));
    none_->setWordWrap(true);
    none_->setAlignment(Qt::AlignTop);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(search_);
    layout->addWidget(none_, 1);
    layout->addWidget(list_, 1);
    connect(search_, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(search_, &QLineEdit::returnPressed, this, &CommandPalette::runCurrent);
    connect(list_, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
    filter({});
    resize(kPaletteSize);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp ||
            key == Qt::Key_PageDown)
            return QCoreApplication::sendEvent(list_, event);
    }
    return QDialog::eventFilter(watched, event);
}

void CommandPalette::filter(const QString& text) {
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    int best = -1;
    int best_rank = 0;
    bool any = false;
    for (int row = 0; row < list_->count(); ++row) {
        const bool can_be_given = list_->item(row)->flags().testFlag(Qt::ItemIsEnabled);
        const int rank = rankOf(commands_[row], text, words);
        const bool shown = rank > 0 && (can_be_given || !words.isEmpty());
        list_->setRowHidden(row, !shown);
        any |= shown;
        if (can_be_given && rank > best_rank) {
            best = row;
            best_rank = rank;
        }
    }
    list_->setCurrentRow(best);
    list_->setVisible(any);
    none_->setText(tr("No command matches “%1”.").arg(text));
    none_->setVisible(!any);
}

void CommandPalette::runCurrent() {
    const int row = list_->currentRow();
    if (row < 0)
        return;
    const auto act = commands_[row].act;
    close();
    act();
}

} // namespace headscope::ui
