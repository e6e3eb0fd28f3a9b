#include "app/cli/run_summary.h"

#include "app/cli/terminal.h"
#include "core/base/text.h"

#include <algorithm>

namespace headscope::cli {

namespace {

constexpr std::size_t kPredictions = 5;

std::string tokensText(const Prompt& prompt) {
    std::vector<std::string> shown;
    for (const std::string& piece : prompt.pieces)
        shown.push_back(displayPiece(piece));
    return join(shown, " ");
}

std::string predictionsText(const Model& model, const RunSummary& summary) {
    std::vector<std::string> parts;
    for (const Prediction& prediction : summary.predictions)
        parts.push_back(displayOutput(model, prediction.id) + " " +
                        fixedText(prediction.probability * 100.0, 1) + " %");
    return join(parts, ", ");
}

/// What is predicted where.
std::string predictionTitle(const ModelSpec& spec, std::size_t position) {
    if (spec.predictsNextToken())
        return "next token";
    return (spec.predictsClasses() ? "classes at " : "mask at ") + std::to_string(position);
}

std::string auditText(const HookAudit& hook) {
    std::string text = "fired " + std::to_string(hook.fired) + " ×";
    if (hook.editor)
        text += ", changed " + std::to_string(hook.changed_elements) + " numbers by up to " +
                fixedText(hook.max_change, 3);
    return text;
}

List tokenList(const Prompt& prompt) {
    List tokens;
    for (std::size_t i = 0; i < prompt.ids.size(); ++i) {
        Record token{{"id", prompt.ids[i]}, {"piece", prompt.pieces[i]}};
        if (!prompt.segments.empty())
            token.push_back({"segment", prompt.segments[i]});
        tokens.push_back(std::move(token));
    }
    return tokens;
}

List predictionList(const Model& model, const RunSummary& summary) {
    List predictions;
    for (const Prediction& prediction : summary.predictions)
        predictions.push_back(Record{{"id", prediction.id},
                                     {"logit", prediction.logit},
                                     {"piece", outputPiece(model, prediction.id)},
                                     {"position", *summary.predicted_position},
                                     {"probability", prediction.probability}});
    return predictions;
}

List auditList(const std::vector<HookAudit>& audit) {
    List hooks;
    for (const HookAudit& hook : audit)
        hooks.push_back(Record{{"changed_elements", hook.changed_elements},
                               {"editor", hook.editor},
                               {"fired", hook.fired},
                               {"hook", hook.glob},
                               {"max_change", hook.max_change}});
    return hooks;
}

} // namespace

RunSummary summarize(const Run& run, const Prompt& prompt, std::vector<HookAudit> audit,
                     std::string ablation) {
    RunSummary summary{prompt, std::move(audit), std::move(ablation), {}, {}, {}};
    if (run.logits.empty())
        return summary;
    const ModelSpec& spec = run.model->spec;
    if (spec.predictsNextToken())
        summary.loss = meanNextTokenLoss(run.logits, run.ids);
    summary.predicted_position = predictedPosition(spec, run.ids);
    if (summary.predicted_position)
        summary.predictions = topPredictions(run.logits, *summary.predicted_position, kPredictions);
    return summary;
}

void printSummary(std::ostream& out, const Run& run, const RunSummary& summary) {
    std::vector<Row> rows{
        {"model", run.model->name},
        {"tokens", std::to_string(run.positions()) + ": " + tokensText(summary.prompt)},
        {"BOS", summary.prompt.bos_reason}};
    if (std::string segments = segmentsText(*run.model, summary.prompt); !segments.empty())
        rows.push_back({"segments", std::move(segments)});
    rows.push_back({"ablated", summary.ablation});
    if (summary.loss)
        rows.push_back({"loss", fixedText(*summary.loss, 4) + " nats per token"});
    if (!summary.predictions.empty())
        rows.push_back({predictionTitle(run.model->spec, *summary.predicted_position),
                        predictionsText(*run.model, summary)});
    rows.push_back({"time", fixedText(run.seconds * 1000.0, 1) + " ms"});
    printRows(out, rows);

    std::vector<Row> hooks;
    for (const HookAudit& hook : summary.audit)
        hooks.push_back({hook.glob, auditText(hook)});
    printRows(out, hooks);
}

Record summaryRecord(const Run& run, const RunSummary& summary) {
    const Prompt& prompt = summary.prompt;
    return {{"ablation", summary.ablation},
            {"audit", auditList(summary.audit)},
            {"bos", Record{{"added", prompt.has_bos}, {"reason", prompt.bos_reason}}},
            {"loss", summary.loss},
            {"model", Record{{"name", run.model->name}, {"sha256", run.model->sha256}}},
            {"predictions", predictionList(*run.model, summary)},
            {"tokens", tokenList(prompt)}};
}

} // namespace headscope::cli
