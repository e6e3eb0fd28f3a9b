#include "ui/views/scores/note_line.h"

#include "ui/document/document.h"
#include "ui/tables/head_text.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>

namespace headscope::ui {
namespace {

constexpr int kLongestNote = 2000; ///< characters

} // namespace

NoteLine::NoteLine(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
    bookmark_ = new QToolButton(this);
    bookmark_->setObjectName(QStringLiteral("headBookmark"));
    bookmark_->setCheckable(true);
    bookmark_->setAutoRaise(true);
    bookmark_->setAccessibleName(tr("Bookmark"));
    bookmark_->setToolTip(tr("Bookmarks this head (Ctrl+K); Head > Bookmarked Heads leads back"));
    text_ = new QLineEdit(this);
    text_->setObjectName(QStringLiteral("headNote"));
    text_->setMaxLength(kLongestNote);
    text_->setPlaceholderText(tr("Note on this head"));
    text_->setAccessibleName(tr("Note on this head"));
    text_->setToolTip(tr("Kept for this model, and saved with projects"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(bookmark_);
    layout->addWidget(text_, 1);
    connect(bookmark_, &QToolButton::clicked, this, &NoteLine::takeNote);
    connect(text_, &QLineEdit::textEdited, this, &NoteLine::takeNote);
    connect(&document_.selection(), &Selection::headChanged, this, &NoteLine::showNote);
    connect(&document_.notes(), &NoteBook::changed, this, &NoteLine::showNote);
    showNote();
}

void NoteLine::showNote() {
    setEnabled(document_.model() != nullptr);
    const HeadNote note = document_.notes().note(document_.selection().head());
    bookmark_->setChecked(note.is_bookmarked);
    bookmark_->setText(note.is_bookmarked ? QStringLiteral("★") : QStringLiteral("☆"));
    const QString text = toQString(note.text);
    if (text != text_->text()) // else the cursor would go to the end while it is typed
        text_->setText(text);
}

void NoteLine::takeNote() {
    document_.notes().setNote(document_.selection().head(),
                              {text_->text().toStdString(), bookmark_->isChecked()});
}

} // namespace headscope::ui
