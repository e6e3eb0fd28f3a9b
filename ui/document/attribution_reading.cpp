#include "ui/document/attribution_reading.h"

#include "core/attribution/vocabulary_check.h"
#include "ui/tables/head_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace headscope::ui {
namespace {

struct Readout {
    Q_DECLARE_TR_FUNCTIONS(Readout)
};

constexpr int kLogitDecimals = 4;

/// The position that most of a head's part came from: "2 ·Mary 7.5523".
QString sourceName(const RunResult& run, const LogitAttribution& attribution, LayerHead head) {
    const auto source = [&](std::size_t key) {
        return static_cast<double>(attribution.sources(head.layer, head.head, key));
    };
    std::size_t largest = 0;
    for (std::size_t key = 1; key < attribution.question.ids.size(); ++key)
        if (std::fabs(source(key)) > std::fabs(source(largest)))
            largest = key;
    return QStringLiteral("%1  %2").arg(positionName(run, largest),
                                        numberText(source(largest), kLogitDecimals));
}

} // namespace

Result<PredictionAttribution> readPosition(const ReadoutQuestion& question,
                                           const std::stop_token& stop) {
    return attributePrediction(question.run->full->model,
                               {question.run->prompt.ids, question.position, question.token,
                                question.against, question.run->mask},
                               stop);
}

Result<LogitLens> readLens(const RunResult& run, TokenId token, const Progress& progress,
                           const std::stop_token& stop) {
    LensQuestion question;
    question.ids = run.prompt.ids;
    question.token = token;
    question.ablated = run.mask;
    return readLogitLens(run.full->model, question, {}, progress, stop);
}

std::size_t firstPosition(const RunResult& run) {
    return run.predicted_at.value_or(run.prompt.ids.size() - 1);
}

QString tokenText(const Model& model, TokenId token) {
    return toQString(displayOutput(model, token));
}

Result<TokenId> tokenOf(const Model& model, const QString& text) {
    QString typed = text;
    typed.replace(QChar(0x00b7), QLatin1Char(' '));
    if (model.tokenizer && !model.spec.predictsClasses())
        return tokenFromText(model, typed.toStdString());
    const auto ids = parseTokenIds(typed.toStdString());
    if (!ids)
        return ids.error();
    if (auto checked = checkToken(model, ids->front()); !checked)
        return checked.error();
    return ids->front();
}

QString partName(const LogitPart& part) {
    switch (part.kind) {
    case LogitPartKind::Head:
        return Readout::tr("head %1").arg(headName(part.of));
    case LogitPartKind::Mlp:
        return Readout::tr("MLP of layer %1").arg(part.of.layer);
    case LogitPartKind::Biases:
        return Readout::tr("biases of layer %1").arg(part.of.layer);
    default:
        return toQString(logitPartName(part.kind));
    }
}

QString attributionText(const RunResult& run, const LogitAttribution& attribution) {
    const LogitQuestion& question = attribution.question;
    const Model& model = *run.full->model;
    QString logit = Readout::tr("Logit of %1").arg(tokenText(model, question.token));
    if (question.against)
        logit += Readout::tr(" minus that of %1").arg(tokenText(model, *question.against));
    return Readout::tr("%1 at %2: %3. Its parts add up to %4.")
        .arg(logit, positionName(run, question.position),
             numberText(attribution.logit, kLogitDecimals),
             numberText(attribution.sum(), kLogitDecimals));
}

std::vector<LogitPart> strongestParts(const LogitAttribution& attribution) {
    std::vector<LogitPart> parts = attribution.parts;
    std::ranges::stable_sort(parts, std::greater(),
                             [](const LogitPart& part) { return std::fabs(part.value); });
    return parts;
}

QList<NumberTable::Column> partColumns() {
    return {{Readout::tr("Part"), Readout::tr("What writes into the residual stream"), 0, 0.0},
            {Readout::tr("Adds to the logit"),
             Readout::tr("What it writes at this position, read in the direction of the token, "
                         "with every norm held at its scale in this run"),
             kLogitDecimals, 0.0},
            {Readout::tr("Most of it from"),
             Readout::tr("The position whose value contributes most to this head, A[q, k]·v_k"), 0,
             0.0}};
}

NumberTable::Row partRow(const RunResult& run, const LogitAttribution& attribution,
                         const LogitPart& part) {
    return {partName(part), part.value,
            part.kind == LogitPartKind::Head ? sourceName(run, attribution, part.of) : QString()};
}

} // namespace headscope::ui
