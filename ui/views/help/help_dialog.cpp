#include "ui/views/help/help_dialog.h"

#include <QDialogButtonBox>
#include <QKeySequence>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace headscope::ui {
namespace {

constexpr QSize kHelpSize{860, 460};

/// In the words of the system: "Strg+Z" where that is how the key is called.
QString nativeKeys(const QStringList& portable) {
    QStringList names;
    for (const QString& key : portable)
        names << QKeySequence(key, QKeySequence::PortableText)
                     .toString(QKeySequence::NativeText)
                     .toHtmlEscaped();
    return names.join(QStringLiteral(", "));
}

QString cellsOf(const KeyRow& row) {
    return QStringLiteral("<td><b>%1</b>&nbsp;&nbsp;</td><td>%2&nbsp;&nbsp;&nbsp;&nbsp;</td>")
        .arg(nativeKeys(row.keys), row.what.toHtmlEscaped());
}

/// The first half of the keys beside the second.
QString tableOf(const QList<KeyRow>& keys) {
    const qsizetype rows = (keys.size() + 1) / 2;
    QString table = QStringLiteral("<table cellpadding='2'>");
    for (qsizetype row = 0; row < rows; ++row) {
        table += QStringLiteral("<tr>") + cellsOf(keys[row]);
        if (row + rows < keys.size())
            table += cellsOf(keys[row + rows]);
        table += QStringLiteral("</tr>");
    }
    return table + QStringLiteral("</table>");
}

} // namespace

HelpDialog::HelpDialog(const QList<KeyRow>& keys, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("helpDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Headscope on one page"));
    resize(kHelpSize);
    auto* text = new QTextBrowser(this);
    text->setObjectName(QStringLiteral("helpText"));
    text->setFrameShape(QFrame::NoFrame);
    text->setHtml(
        tr("<p>Each square on the left is one attention head. Its letter says which type of head "
           "it is, its colour how clearly. Choose one: the middle shows what each token (row) "
           "attends to (columns), the right what the head is, what it reads and writes, and the "
           "effect of ablating it.</p>"
           "<p>A type is a label: a measured score that reaches its threshold. Scores are measured "
           "on repeated random tokens and sentences, or on your own prompt. With “Edit "
           "thresholds” the marks on the bars can be dragged.</p>"
           "<p>Every page, result and dialog can be copied as a command of headscope-cli or as "
           "Python (“Copy as”, or the keys below): what is pasted gives the very numbers "
           "again.</p>") +
        tableOf(keys));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(text);
    layout->addWidget(buttons);
}

} // namespace headscope::ui
