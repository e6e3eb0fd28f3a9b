#include "ui/document/patch_reading.h"

#include "core/export/analysis_calls.h"
#include "core/export/provenance.h"
#include "core/interventions/activation_patching.h"
#include "core/interventions/tables.h"
#include "ui/document/attribution_reading.h"
#include "ui/tables/head_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::ui {
namespace {

struct PatchText {
    Q_DECLARE_TR_FUNCTIONS(PatchText)
};

/// The run that gives activations, and the one that gets them.
const RunResult& donorOf(const PatchAsk& ask) {
    return ask.into_b ? *ask.compared.result : *ask.compared.other;
}
const RunResult& recipientOf(const PatchAsk& ask) {
    return ask.into_b ? *ask.compared.other : *ask.compared.result;
}

const ModelSpec& specOf(const PatchAsk& ask) {
    return ask.compared.result->full->model->spec;
}

bool hasHook(const ModelSpec& spec, HookKind kind) {
    return std::ranges::any_of(hookPoints(spec),
                               [&](HookPoint point) { return point.kind == kind; });
}

bool isOfKvHeads(const PatchWhat& what) {
    return what.hook == HookKind::K || what.hook == HookKind::V;
}

Tensor gridOf(const PatchAsk& ask) {
    return Tensor({specOf(ask).n_layers, static_cast<std::size_t>(patchColumns(ask).size())},
                  std::numeric_limits<float>::quiet_NaN());
}

PatchQuestion activationsOf(const PatchAsk& ask) {
    PatchQuestion question;
    question.clean = donorOf(ask).prompt.ids;
    question.corrupted = recipientOf(ask).prompt.ids;
    question.hook = *ask.what.hook;
    question.by_position = ask.by == PatchBy::Position;
    question.by_head = ask.by == PatchBy::Head;
    question.metric = ask.metric;
    question.method = ask.method;
    return question;
}

PathQuestion pathsOf(const PatchAsk& ask) {
    PathQuestion question;
    question.original = recipientOf(ask).prompt.ids;
    question.other = donorOf(ask).prompt.ids;
    question.metric = ask.metric;
    if (ask.what.input)
        question.receivers = {{ask.receiver, *ask.what.input}};
    return question;
}

Result<PatchReading> readActivations(const PatchAsk& ask, const Progress& progress,
                                     const std::stop_token& stop) {
    const auto& model = ask.compared.result->full->model;
    const auto result = patchActivations(model, activationsOf(ask), progress, stop);
    if (!result)
        return result.error();
    PatchReading reading{
        ask,
        gridOf(ask),
        gridOf(ask),
        result->corrupted,
        result->clean,
        toQString(result->note()),
        patchTable(*result, model->spec, provenanceOf(*model, donorOf(ask).prompt, {}))};
    for (std::size_t i = 0; i < result->layers(); ++i)
        for (std::size_t column = 0; column < result->positions * result->heads; ++column) {
            const std::size_t layer = result->points[i].layer;
            const std::size_t index = i * result->positions * result->heads + column;
            reading.values(layer, column) = static_cast<float>(result->values[index]);
            reading.shares(layer, column) = static_cast<float>(result->normalised(index));
        }
    return reading;
}

Result<PatchReading> readPaths(const PatchAsk& ask, const Progress& progress,
                               const std::stop_token& stop) {
    const auto& model = ask.compared.result->full->model;
    const auto result = patchPaths(model, pathsOf(ask), progress, stop);
    if (!result)
        return result.error();
    PatchReading reading{ask,
                         gridOf(ask),
                         gridOf(ask),
                         result->original,
                         result->other,
                         toQString(result->note()),
                         pathTable(*result, provenanceOf(*model, recipientOf(ask).prompt, {}))};
    for (std::size_t i = 0; i < result->values.size(); ++i) {
        const LayerHead sender = result->question.senders[i];
        reading.values(sender.layer, sender.head) = static_cast<float>(result->values[i]);
        reading.shares(sender.layer, sender.head) = static_cast<float>(result->normalised(i));
    }
    return reading;
}

QString numberOf(double value) {
    return QString::number(value, 'f', 3);
}

} // namespace

QString donorName(const PatchAsk& ask) {
    return sideName(ask.into_b ? Side::A : Side::B);
}

QString recipientName(const PatchAsk& ask) {
    return sideName(ask.into_b ? Side::B : Side::A);
}

QList<PatchWhat> patchChoices(const ModelSpec& spec) {
    const QList<PatchWhat> all = {
        {PatchText::tr("Residual stream before the layer"), HookKind::ResidPre, {}},
        {PatchText::tr("Queries"), HookKind::Q, {}},
        {PatchText::tr("Keys"), HookKind::K, {}},
        {PatchText::tr("Values"), HookKind::V, {}},
        {PatchText::tr("Patterns"), HookKind::Pattern, {}},
        {PatchText::tr("Output of heads (z)"), HookKind::Z, {}},
        {PatchText::tr("Attention output"), HookKind::AttnOut, {}},
        {PatchText::tr("MLP output"), HookKind::MlpOut, {}},
        {PatchText::tr("Paths from heads to the logits"), {}, {}},
        {PatchText::tr("Paths to the queries of the selected head"), {}, AttentionInput::Q},
        {PatchText::tr("Paths to the keys of the selected head"), {}, AttentionInput::K},
        {PatchText::tr("Paths to the values of the selected head"), {}, AttentionInput::V}};
    QList<PatchWhat> there;
    std::ranges::copy_if(all, std::back_inserter(there), [&](const PatchWhat& what) {
        return !what.hook || hasHook(spec, *what.hook);
    });
    return there;
}

QString patchRefusal(const PatternSource& compared) {
    if (!compared.other)
        return PatchText::tr("Patching needs two prompts: write the second one under the first "
                             "(Ctrl+Shift+B).");
    const RunResult& a = *compared.result;
    const RunResult& b = *compared.other;
    if (a.full->model != b.full->model)
        return PatchText::tr("A and B are different models; activations are patched between two "
                             "prompts of one model.");
    if (a.prompt.ids.size() != b.prompt.ids.size())
        return PatchText::tr("A has %1 tokens and B %2; activations are put in place token for "
                             "token, so make them equally many.")
            .arg(a.prompt.ids.size())
            .arg(b.prompt.ids.size());
    if (a.prompt.ids == b.prompt.ids)
        return PatchText::tr("A and B are the same prompt, so there is nothing to restore; change "
                             "a word of B.");
    if (a.full->model->spec.output == OutputHead::None)
        return PatchText::tr("This model has no unembedding, so no effect can be measured.");
    return {};
}

Metric suggestedMetric(const PatternSource& compared) {
    const auto& of_a = compared.result->watched_full->predictions;
    const auto& of_b = compared.other->watched_full->predictions;
    Metric metric;
    if (of_a.size() < 2 || of_b.empty()) {
        metric.kind =
            compared.result->watched_full->token_losses.empty() ? MetricKind::Kl : MetricKind::Loss;
        return metric;
    }
    metric.kind = MetricKind::LogitDifference;
    metric.token = of_a.front().id;
    metric.other = of_b.front().id != metric.token ? of_b.front().id : of_a[1].id;
    return metric;
}

Result<PatchReading> readPatch(const PatchAsk& ask, const Progress& progress,
                               const std::stop_token& stop) {
    return ask.what.hook ? readActivations(ask, progress, stop) : readPaths(ask, progress, stop);
}

Result<Call> patchCallOf(const LoadedModel& loaded, const PatchAsk& ask) {
    const Prompt& donor = donorOf(ask).prompt;
    const Prompt& recipient = recipientOf(ask).prompt;
    return ask.what.hook ? patchCall(loaded, {donor, recipient}, activationsOf(ask))
                         : pathCall(loaded, {recipient, donor}, pathsOf(ask));
}

QStringList patchColumns(const PatchAsk& ask) {
    if (ask.by == PatchBy::Position)
        return ask.compared.labels();
    const ModelSpec& spec = specOf(ask);
    const bool of_groups = isOfKvHeads(ask.what) && spec.n_kv_heads < spec.n_heads;
    QStringList columns;
    for (std::size_t head = 0; head < (of_groups ? spec.n_kv_heads : spec.n_heads); ++head)
        columns << (of_groups ? PatchText::tr("KV %1").arg(head) : QString::number(head));
    return columns;
}

QString metricTitle(const Model& model, const Metric& metric) {
    switch (metric.kind) {
    case MetricKind::LogitDifference:
        return PatchText::tr("logit of %1 − %2")
            .arg(tokenText(model, metric.token), tokenText(model, metric.other));
    case MetricKind::Probability:
        return PatchText::tr("probability of %1").arg(tokenText(model, metric.token));
    case MetricKind::Loss:
        return PatchText::tr("loss");
    case MetricKind::Kl:
        break;
    }
    return PatchText::tr("KL divergence");
}

QString patchTitle(const PatchAsk& ask) {
    QString what = ask.what.name;
    if (ask.what.input)
        what = PatchText::tr("%1 %2").arg(what, headName(ask.receiver));
    return PatchText::tr("%1, from %2 into %3 · %4")
        .arg(what, donorName(ask), recipientName(ask),
             metricTitle(*ask.compared.result->full->model, ask.metric));
}

QString patchCellText(const PatchReading& reading, std::size_t layer, std::size_t column) {
    const PatchAsk& ask = reading.asked;
    const QString place =
        ask.by == PatchBy::Position
            ? PatchText::tr("layer %1 · %2 %3")
                  .arg(QString::number(layer), QString::number(column),
                       patchColumns(ask)[static_cast<qsizetype>(column)])
            : PatchText::tr("layer %1 · head %2")
                  .arg(QString::number(layer), patchColumns(ask)[static_cast<qsizetype>(column)]);
    const auto value = static_cast<double>(reading.values(layer, column));
    if (std::isnan(value))
        return place + QStringLiteral(" · ") + PatchText::tr("nothing to patch here");
    const auto share = static_cast<double>(reading.shares(layer, column));
    return place + QStringLiteral(" · ") +
           (std::isnan(share)
                ? numberOf(value)
                : PatchText::tr("%1 of the way from %2 (%3) to %4 (%5): %6")
                      .arg(numberOf(share), recipientName(ask), numberOf(reading.from),
                           donorName(ask), numberOf(reading.to), numberOf(value)));
}

} // namespace headscope::ui
