#include "ui/tables/trust_text.h"

#include "ui/tables/core_text.h"
#include "ui/tables/head_text.h"

namespace headscope::ui {

QString wordName(TrustWord word) {
    return coreText(toQString(trustWordName(word)));
}

QString wordMeaning(TrustWord word) {
    return coreText(toQString(trustWordMeaning(word)));
}

QString partName(TrustPart part) {
    return coreText(toQString(trustPartName(part)));
}

QString partMark(const LabelTrust& label, TrustPart part) {
    return toQString(gradeMark(label.grade(part))) + QLatin1Char(' ') + partName(part);
}

QString partGrade(const LabelTrust& label, TrustPart part) {
    return QStringLiteral("%1: %2").arg(partName(part),
                                        coreText(toQString(gradeName(label.grade(part)))));
}

Markup partTip(const LabelTrust& label, TrustPart part) {
    return wide(markup(u"<b>%1</b><br>%2<br><i>%3</i>", partGrade(label, part),
                       coreText(toQString(trustSentence(label, part))),
                       coreText(toQString(trustPartMeaning(part)))));
}

QString labelWithWord(const LabelTrust& label) {
    const QString text =
        QStringLiteral("%1 %2").arg(typeName(label.score), scoreText(label.score.score));
    return claimsCause(label.score.type)
               ? QStringLiteral("%1 (%2)").arg(text, wordName(label.word()))
               : text;
}

} // namespace headscope::ui
