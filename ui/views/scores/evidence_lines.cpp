#include "ui/views/scores/evidence_lines.h"

#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/tables/trust_text.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/widgets/labels.h"

#include <QGridLayout>

#include <cstddef>

namespace headscope::ui {

namespace {

constexpr int kColumns = 3;

} // namespace

EvidenceLines::EvidenceLines(const QString& key, QWidget* parent) : QWidget(parent) {
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setVerticalSpacing(0);
    layout->setHorizontalSpacing(4);
    word_ = new TextLabel(this);
    word_->setObjectName(QStringLiteral("word_%1").arg(key));
    layout->addWidget(word_, 0, 0, 1, kColumns);
    int place = 0;
    for (const TrustPart part : trustParts()) {
        auto* label = new TextLabel(this);
        label->setObjectName(
            QStringLiteral("trust_%1_%2").arg(key, toQString(trustPartName(part))));
        layout->addWidget(label, 1 + place / kColumns, place % kColumns);
        layout->setColumnStretch(place % kColumns, 1);
        parts_ << label;
        ++place;
    }
}

void EvidenceLines::setTrust(const LabelTrust* trust) {
    setVisible(trust != nullptr);
    if (trust == nullptr)
        return;
    const TrustWord word = trust->word();
    word_->setText(wordName(word));
    QFont font = word_->font();
    font.setBold(word == TrustWord::Cause);
    word_->setFont(font);
    word_->setForegroundRole(word == TrustWord::Untested || word == TrustWord::Description
                                 ? QPalette::PlaceholderText
                                 : QPalette::WindowText);
    setRichTip(word_, wide(markup(u"<b>%1</b><br>%2", wordName(word), wordMeaning(word))));
    for (std::size_t i = 0; i < trustParts().size(); ++i) {
        const TrustPart part = trustParts()[i];
        const Grade grade = trust->grade(part);
        TextLabel* const label = parts_[static_cast<qsizetype>(i)];
        label->setText(partMark(*trust, part));
        label->setAccessibleName(partGrade(*trust, part));
        label->setForegroundRole(grade == Grade::Untested || grade == Grade::NotAsked
                                     ? QPalette::PlaceholderText
                                     : QPalette::WindowText);
        setRichTip(label, partTip(*trust, part));
    }
}

} // namespace headscope::ui
