#include "ui/tables/head_text.h"

#include "ui/tables/core_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

struct HeadText {
    Q_DECLARE_TR_FUNCTIONS(HeadText)
};

Markup scoreRow(const HeadScore& score, std::size_t sequences) {
    return markup(u"<tr style='white-space:nowrap'><td>%1&nbsp;&nbsp;</td>"
                  "<td align='right'>%2&nbsp;&nbsp;</td><td>%3</td></tr>",
                  typeName(score), scoreText(score.score), baselineText(score, sequences));
}

} // namespace

QString toQString(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString headName(LayerHead head) {
    return QStringLiteral("L%1 H%2").arg(head.layer).arg(head.head);
}

QString headNames(const std::vector<LayerHead>& heads) {
    constexpr std::size_t kMostNames = 3;
    if (heads.size() > kMostNames)
        return HeadText::tr("%1 heads").arg(heads.size());
    QStringList names;
    for (const LayerHead head : heads)
        names << headName(head);
    return names.join(QStringLiteral(", "));
}

QString scoreText(double score) {
    return std::isnan(score) ? QStringLiteral("–") : QString::number(score, 'f', 2);
}

QString shortScoreText(double score) {
    QString text = scoreText(score);
    if (text == QStringLiteral("1.00"))
        return QStringLiteral("1");
    return std::fabs(score) < 1.0 ? text.remove(text.indexOf(QLatin1Char('0')), 1) : text;
}

QString groupedText(std::size_t count) {
    return QLocale(QLocale::English).toString(static_cast<qulonglong>(count));
}

QString percentText(double probability) {
    constexpr double kLeast = 0.1;
    const double percent = 100.0 * probability;
    if (percent < kLeast)
        return HeadText::tr("< 0.1 %");
    return HeadText::tr("%1 %").arg(QString::number(percent, 'f', percent < 10.0 ? 1 : 0));
}

QString durationText(double seconds) {
    if (seconds < 1.0)
        return HeadText::tr("%1 ms").arg(
            QString::number(1000.0 * seconds, 'f', seconds < 0.01 ? 1 : 0));
    if (seconds < 60.0)
        return HeadText::tr("%1 s").arg(QString::number(seconds, 'f', 1));
    const auto whole = qRound64(seconds);
    return HeadText::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
}

QString typeName(HeadTypeId id) {
    return toQString(headType(id).name).toLower();
}

QString typeName(const HeadScore& score) {
    return toQString(scoreName(score)).toLower();
}

QString groupName(TypeGroup group) {
    switch (group) {
    case TypeGroup::Position:
        return HeadText::tr("Which positions it looks for");
    case TypeGroup::Words:
        return HeadText::tr("Which words it looks for");
    case TypeGroup::Task:
        return HeadText::tr("What it does with names");
    case TypeGroup::Weights:
        return HeadText::tr("What its weights do");
    case TypeGroup::Spread:
        break;
    }
    return HeadText::tr("How it spreads");
}

QString inputName(InputKind input) {
    switch (input) {
    case InputKind::Sentences:
        return HeadText::tr("the bundled sentences");
    case InputKind::Names:
        return HeadText::tr("prompts of the indirect-object task");
    case InputKind::Needles:
        return HeadText::tr("sentences that come again in a text");
    case InputKind::Ordinals:
        return HeadText::tr("days, months, numbers and letters in order");
    case InputKind::Weights:
        return HeadText::tr("the weights alone");
    case InputKind::Distinct:
        return HeadText::tr("random tokens, none of them twice");
    case InputKind::Repeats:
        break;
    }
    return HeadText::tr("repeated random tokens");
}

QString ablationName(AblationKind kind) {
    return kind == AblationKind::Zero ? HeadText::tr("zero") : HeadText::tr("mean");
}

QString undefinedText(const HeadScores& scores, HeadTypeId type) {
    const bool is_defined_somewhere = std::ranges::any_of(
        scores.heads, [&](LayerHead head) { return !std::isnan(scores.at(type, head).score); });
    const TypeGroup group = headType(type).group;
    if (group == TypeGroup::Weights)
        return HeadText::tr("not defined for its weights");
    if (is_defined_somewhere)
        return HeadText::tr("gives such tokens too little to be judged");
    if (group == TypeGroup::Words)
        return HeadText::tr("needs sentences whose words are known");
    return HeadText::tr("nothing in this input to read it from");
}

QString baselineText(const HeadScore& score, std::size_t sequences) {
    if (std::isnan(score.score))
        return HeadText::tr("not defined here");
    QString baseline = HeadText::tr("baseline %1").arg(scoreText(score.baseline));
    if (!std::isnan(score.on_sentences))
        baseline = HeadText::tr("on sentences %1").arg(scoreText(score.on_sentences)) +
                   QStringLiteral(" · ") + baseline;
    if (sequences < 2)
        return baseline;
    return baseline + QStringLiteral(" · ") +
           HeadText::tr("95 % %1–%2").arg(scoreText(score.low), scoreText(score.high));
}

Markup readingMarkup(const HeadScore& score, std::size_t sequences) {
    return markup(u"%1<br>%2 %3", baselineText(score, sequences), scoreText(score.variant),
                  toQString(headType(score.type).variant));
}

QString controlText(const HeadType& type) {
    return type.control ? HeadText::tr("Control: %1.")
                              .arg(coreText(HeadText::tr("the same score") + QLatin1Char(' ') +
                                            toQString(type.control->what)))
                        : QString();
}

Markup typeTip(const HeadType& type) {
    Markup tip = markup(u"<b>%1</b><br>%2<br><i>%3</i>", toQString(type.name),
                        toQString(type.summary), toQString(type.formula));
    if (type.control)
        tip += markup(u"<br>%1", controlText(type));
    return tip;
}

QString labelText(const HeadScores& scores, LayerHead head, const Thresholds& thresholds) {
    QStringList parts;
    for (const HeadTypeId id : labels(scores, head, thresholds)) {
        const HeadScore& score = scores.at(id, head);
        parts << HeadText::tr("%1 %2 (baseline %3)")
                     .arg(typeName(score), scoreText(score.score), scoreText(score.baseline));
    }
    if (scores.naming() == Naming::OneText)
        return HeadText::tr("one text gives scores, and no type");
    return parts.isEmpty() ? HeadText::tr("no type") : parts.join(QStringLiteral(" · "));
}

QString missingHeadTooltip(const ModelSpec& spec, LayerHead head) {
    return (spec.absent.hasAttention(head.layer)
                ? HeadText::tr("%1 is not in the file.")
                : HeadText::tr("%1 was removed from this network."))
        .arg(headName(head));
}

Markup headTooltip(const ModelSpec& spec, const HeadScores* scores, LayerHead head,
                   const Thresholds& thresholds, const HeadMask& mask) {
    Markup text = markup(u"<b>%1</b>", headName(head));
    if (scores)
        text += markup(u" · %1", labelText(*scores, head, thresholds));
    if (mask.isAblated(head))
        text += markup(u"<br>%1", HeadText::tr("ablated: its output is replaced by %1")
                                      .arg(mask.heads().at(head) == AblationKind::Zero
                                               ? HeadText::tr("zeros")
                                               : HeadText::tr("its mean")));
    const std::vector<HeadTypeId> found =
        scores ? labels(*scores, head, thresholds) : std::vector<HeadTypeId>();
    if (!found.empty()) {
        Markup rows;
        for (const HeadTypeId id : found)
            rows += scoreRow(scores->at(id, head), scores->measuredOn(id).sequences);
        text += markup(u"<table>%1</table>", rows);
    }
    if (spec.n_kv_heads < spec.n_heads)
        text +=
            (found.empty() ? markup(u"<br>") : Markup()) +
            Markup(HeadText::tr("Reads keys and values of KV head %1, shared by %2 query heads.")
                       .arg(spec.kvHeadOf(head))
                       .arg(spec.headsPerGroup()));
    return text;
}

QString scoreInputText(const HeadScores& scores, const std::vector<HeadTypeId>& types) {
    const std::vector<MeasuredOn> inputs = scores.inputsOf(types);
    QStringList lines;
    for (const MeasuredOn& each : inputs) {
        QStringList names;
        for (const HeadTypeId id : types)
            if (scores.measuredOn(id) == each)
                names << typeName(id);
        lines << (inputs.size() == 1
                      ? HeadText::tr("Measured on %1, %2.")
                            .arg(coreText(toQString(each.input)), coreText(toQString(each.bos)))
                      : HeadText::tr("On %1, %2: %3.")
                            .arg(coreText(toQString(each.input)), coreText(toQString(each.bos)),
                                 names.join(QStringLiteral(", "))));
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace headscope::ui
