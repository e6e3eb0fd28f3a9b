#include "ui/models/head_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("HeadText", text);
}

QString scoreRow(const HeadScore& score, bool labelled) {
    const QString name = detectorName(score.detector).toHtmlEscaped();
    return QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align='right'>%2&nbsp;&nbsp;</td>"
                          "<td>%3</td></tr>")
        .arg(labelled ? QStringLiteral("<b>%1</b>").arg(name) : name, scoreText(score.score),
             tr("chance %1, 95 % interval %2–%3")
                 .arg(scoreText(score.chance), scoreText(score.low), scoreText(score.high)));
}

} // namespace

QString toQString(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString headName(LayerHead head) {
    return QStringLiteral("L%1 H%2").arg(head.layer).arg(head.head);
}

QString scoreText(double score) {
    return std::isnan(score) ? QStringLiteral("–") : QString::number(score, 'f', 2);
}

QString percentText(double probability) {
    const double percent = 100.0 * probability;
    if (percent < 1.0)
        return tr("< 1 %");
    return tr("%1 %").arg(QString::number(percent, 'f', 0));
}

QString detectorName(DetectorId id) {
    return toQString(detector(id).name).toLower();
}

QString ablationName(AblationKind kind) {
    return kind == AblationKind::Zero ? tr("zero") : tr("mean");
}

QString labelText(const HeadScores& scores, LayerHead head, const Thresholds& thresholds) {
    QStringList parts;
    for (const DetectorId id : labels(scores, head, thresholds)) {
        const HeadScore& score = scores.at(id, head);
        parts << tr("%1 %2 (chance %3)")
                     .arg(detectorName(id), scoreText(score.score), scoreText(score.chance));
    }
    return parts.isEmpty() ? tr("no type") : parts.join(QStringLiteral(" · "));
}

QString headTooltip(const ModelSpec& spec, const HeadScores* scores, LayerHead head,
                    const Thresholds& thresholds, const HeadMask& mask) {
    QString text = QStringLiteral("<b>%1</b>").arg(headName(head));
    if (scores)
        text += QStringLiteral(" · ") + labelText(*scores, head, thresholds).toHtmlEscaped();
    if (mask.isOff(head))
        text += QStringLiteral("<br>") +
                tr("switched off, its output is replaced by its %1")
                    .arg(mask.heads().at(head) == AblationKind::Zero ? tr("zero") : tr("mean"));
    if (scores) {
        const auto found = labels(*scores, head, thresholds);
        text += QStringLiteral("<table>");
        for (const DetectorId id : scores->detectors)
            text += scoreRow(scores->at(id, head),
                             std::find(found.begin(), found.end(), id) != found.end());
        text += QStringLiteral("</table>");
    }
    if (spec.n_kv_heads < spec.n_heads)
        text += tr("Reads keys and values of KV head %1, shared by %2 query heads.")
                    .arg(spec.kvHeadOf(head.head))
                    .arg(spec.headsPerGroup());
    return text;
}

QString scoreInputText(const HeadScores& scores) {
    return tr("Measured on %1, %2.").arg(toQString(scores.input), toQString(scores.bos));
}

} // namespace headscope::ui
