#include "ui/views/export/report_values.h"

#include "core/attribution/head_writing.h"
#include "core/export/export_patterns.h"
#include "core/export/provenance.h"
#include "core/export/run_calls.h"
#include "core/heads/head_type.h"
#include "core/io/atomic_file.h"
#include "core/model/model.h"
#include "core/model/prompt.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"
#include "ui/views/ablation/ablation_text.h"
#include "ui/views/export/report_heads.h"
#include "ui/views/maps/what_is_read.h"
#include "ui/views/prompt/prompt_text.h"
#include "ui/views/tokens/writing_line.h"
#include "ui/widgets/token_strip.h"

#include <QCoreApplication>
#include <QStringList>

#include <string>
#include <utility>
#include <vector>

namespace headscope::ui {

namespace {

struct PromptReportText {
    Q_DECLARE_TR_FUNCTIONS(PromptReportText)
};

/// Why the prompt has said nothing.
Error noRun(const Document& document) {
    const std::string& cannot_run = document.model()->spec.cannot_run;
    if (!cannot_run.empty())
        return {ErrorCode::NotFound, cannot_run};
    const QString error = document.promptRunner().error();
    return {ErrorCode::NotFound,
            (error.isEmpty() ? PromptReportText::tr("The prompt has not been run yet.") : error)
                .toStdString()};
}

QString bosText(const Prompt& prompt) {
    return (prompt.has_bos ? PromptReportText::tr("The prompt starts with BOS. %1")
                           : PromptReportText::tr("The prompt does not start with BOS. %1"))
        .arg(toQString(prompt.bos_reason));
}

/// The loss of the whole model and, where heads are ablated, of the model with them ablated.
QString meanLossText(const RunResult& result) {
    if (result.mask.empty() || !result.full_loss || !result.masked_loss)
        return lossText(result);
    return PromptReportText::tr("Loss %1 nats per token in the whole model, %2 with heads ablated "
                                "(%3)")
        .arg(lossNumber(*result.full_loss), lossNumber(*result.masked_loss),
             signedNats(*result.masked_loss - *result.full_loss));
}

QString predictionCaption(const RunResult& result) {
    const Model& model = *result.full->model;
    if (model.spec.predictsClasses())
        return PromptReportText::tr("Most probable classes, read at position %1")
            .arg(*result.predicted_at);
    return model.spec.causal ? PromptReportText::tr("Most probable next tokens")
                             : PromptReportText::tr("Most probable tokens at position %1")
                                   .arg(*result.predicted_at);
}

Result<Table> predictionTable(const RunResult& result) {
    const Model& model = *result.full->model;
    if (!result.predicted_at)
        return Error{ErrorCode::NotFound, noPredictionText(model).toStdString()};
    const auto column = [](const char* key, const QString& title) {
        return Column{.key = key, .title = title.toStdString()};
    };
    const auto token = [&model](TokenId id) { return shownOutput(model, id).toStdString(); };
    Table table;
    table.caption = predictionCaption(result).toStdString();
    table.columns = {column("token", PromptReportText::tr("token"))};
    if (result.mask.empty()) {
        table.columns.push_back(column("probability", PromptReportText::tr("probability")));
        for (const Prediction& prediction : result.predictions)
            table.rows.push_back({token(prediction.id), prediction.probability});
        return table;
    }
    table.columns.push_back(column("before", PromptReportText::tr("whole model")));
    table.columns.push_back(column("after", PromptReportText::tr("heads ablated")));
    table.columns.push_back(column("change", PromptReportText::tr("change")));
    for (const PredictionChange& change : result.prediction_changes)
        table.rows.push_back(
            {token(change.id), change.before, change.after, change.after - change.before});
    return table;
}

/// "2 heads ablated: L4 H1, L4 H2. …": which heads, how, and what that does to the outputs.
std::vector<std::string> ablationSentences(const RunResult& result) {
    const HeadMask& mask = result.mask;
    if (mask.empty())
        return {};
    QStringList names;
    for (const auto& ablated : mask.heads())
        names << headName(ablated.first);
    const bool is_zero = mask.heads().begin()->second == AblationKind::Zero;
    std::vector<std::string> sentences{
        PromptReportText::tr("%1: %2. Outputs of ablated heads are replaced by %3.")
            .arg(ablatedText(mask), names.join(QStringLiteral(", ")),
                 is_zero ? PromptReportText::tr("zeros")
                         : PromptReportText::tr("their means over the prompt"))
            .toStdString()};
    if (result.divergence)
        sentences.push_back(
            (isDivergenceOfLastToken(result)
                 ? PromptReportText::tr("KL divergence from the whole model where its prediction "
                                        "is read: %1 nats.")
                 : PromptReportText::tr("KL divergence from the whole model, mean over the "
                                        "positions of the prompt: %1 nats."))
                .arg(lossNumber(*result.divergence))
                .toStdString());
    return sentences;
}

} // namespace

Result<ReportPrompt> reportPrompt(const Document& document) {
    const auto result = document.promptRunner().result();
    if (!result)
        return noRun(document);
    ReportPrompt part{promptText(result->prompt),
                      bosText(result->prompt).toStdString(),
                      {},
                      {},
                      predictionTable(*result),
                      ablationSentences(*result)};
    for (const TokenChip& chip : tokenChips(*result))
        part.tokens.push_back({chip.text.toStdString(), chip.special});
    if (const QString unknown = unknownText(*result); !unknown.isEmpty())
        part.outcome.push_back(unknown.toStdString());
    part.outcome.push_back(meanLossText(*result).toStdString());
    return part;
}

namespace {

struct ReportText {
    Q_DECLARE_TR_FUNCTIONS(ReportText)
};

std::vector<ReportFact> modelFacts(const Model& model) {
    const ModelCard card = modelCard(model);
    const auto fact = [](const QString& name, const std::string& value) {
        return ReportFact{name.toStdString(), value};
    };
    std::vector<ReportFact> facts{
        fact(ReportText::tr("Architecture"), card.architecture),
        fact(ReportText::tr("Parameters"), groupedText(card.total_parameters).toStdString()),
        fact(ReportText::tr("Tokenizer"),
             model.tokenizer ? std::string(model.tokenizer->kind())
                             : ReportText::tr("none: prompts are token ids").toStdString()),
        fact(ReportText::tr("SHA-256"), model.sha256),
        fact(ReportText::tr("Written by"), "Headscope " + provenanceOf(model).app_version)};
    if (!model.description.empty())
        facts.insert(facts.begin(), fact(ReportText::tr("Description"), model.description));
    return facts;
}

/// Adds the line, which holds wherever the file of the model is; nothing where there is none.
void addRepeating(std::vector<ReportCommand>& commands, const QString& purpose,
                  const Result<Call>& call) {
    if (call)
        commands.push_back({purpose.toStdString(), shellLine(*call, ModelNaming::ShortName)});
}

void addScoresCommand(std::vector<ReportCommand>& commands, const LoadedModel& loaded,
                      const Document& document) {
    const auto& result = document.promptRunner().result();
    switch (document.headScorer().effectiveSource()) {
    case ScoreSource::RandomRepeats:
        addRepeating(commands, ReportText::tr("Types and scores of all heads:"),
                     scoresCall(loaded));
        return;
    case ScoreSource::Prompt:
        if (result)
            addRepeating(
                commands,
                result->mask.empty()
                    ? ReportText::tr("Types and scores of all heads on the prompt:")
                    : ReportText::tr("Types and scores of all heads on the prompt, in the whole "
                                     "model; those above were measured with heads ablated:"),
                scoresCall(loaded, {&result->prompt, 1}));
        return;
    case ScoreSource::PromptSet:
        return; // which file it came from is not known
    }
}

/// What repeats a run; `which` says which run it is.
void addRunCommands(std::vector<ReportCommand>& commands, const LoadedModel& loaded,
                    const RunResult& result, LayerHead head, const QString& which) {
    addRepeating(commands, ReportText::tr("Loss and predictions%1, no head ablated:").arg(which),
                 runCall(loaded, result.prompt, {}));
    if (!result.mask.empty())
        addRepeating(commands,
                     ReportText::tr("Loss and predictions%1, with heads ablated:").arg(which),
                     runCall(loaded, result.prompt, result.mask));
    if (loaded.model.spec.hasHead(head))
        addRepeating(commands,
                     (result.mask.empty()
                          ? ReportText::tr("Attention of %1%2, query by key:")
                          : ReportText::tr("Attention of the layer of %1%2 with heads ablated, "
                                           "by head, query and key:"))
                         .arg(headName(head), which),
                     patternCall(loaded, result.prompt, result.mask, head));
}

std::vector<ReportCommand> commandsFor(const Document& document) {
    const LoadedModel loaded{*document.model(), document.loadOptions()};
    std::vector<ReportCommand> commands;
    if (const auto& result = document.promptRunner().result())
        addRunCommands(commands, loaded, *result, document.selection().head(), {});
    addScoresCommand(commands, loaded, document);
    const PatternSource& source = document.shown();
    const auto& b = source.other ? source.other : source.side == Side::B ? source.result : nullptr;
    if (b) {
        const Model& model = *b->full->model;
        const bool is_same = &model == &loaded.model;
        addRunCommands(commands, {model, is_same ? loaded.options : LoadOptions()}, *b,
                       document.selection().head(), ReportText::tr(" of B"));
    }
    return commands;
}

std::vector<ReportFact> movedThresholds(const Thresholds& thresholds) {
    std::vector<ReportFact> moved;
    for (const HeadType& type : headTypes())
        if (const double threshold = thresholds.of(type.id); threshold != type.threshold)
            moved.push_back(
                {std::string(type.name), ReportText::tr("%1 in place of %2")
                                             .arg(scoreText(threshold), scoreText(type.threshold))
                                             .toStdString()});
    return moved;
}

ReportSource sourceOf(const Document& document) {
    ReportSource source{commandsFor(document), movedThresholds(document.thresholds()),
                        document.model()->report.notes};
    if (document.loadOptions().flip_square_matrices)
        source.notes.push_back(
            ReportText::tr("Square weight matrices were read transposed.").toStdString());
    return source;
}

/// What the head writes, in a sentence, or why that is not known.
Result<std::string> writingOf(const ReportDraft& draft, const std::stop_token& stop) {
    const auto& model = draft.result->full->model;
    const auto writing = HeadWriting::read(
        model, {draft.result->prompt.ids, {draft.head}, draft.result->mask}, stop);
    if (!writing && writing.error().code == ErrorCode::Cancelled)
        return writing.error();
    if (!writing)
        return ReportText::tr("What %1 writes cannot be read: %2")
            .arg(headName(draft.head), toQString(writing.error().message))
            .toStdString();
    return writesText(*model, draft.head, writing->strongest(0, draft.query, kMostWritten))
        .toStdString();
}

} // namespace

ReportDraft reportDraft(Document& document, const PatternView& pattern) {
    const Model& model = *document.model();
    ReportDraft draft{{model.name, modelFacts(model), reportPrompt(document),
                       reportHead(document, pattern), reportGrid(document), sourceOf(document)},
                      nullptr,
                      document.selection().head(),
                      0};
    if (const auto query = readQuery(document)) {
        draft.result = document.shown().result;
        draft.query = *query;
    }
    return draft;
}

QString reportName(const Document& document) {
    const std::string what = "report";
    const Model& model = *document.model();
    const LayerHead head = document.selection().head();
    const auto& result = document.promptRunner().result();
    return toQString(result ? patternFileName(provenanceOf(model, result->prompt, result->mask),
                                              {head.layer, head.head}, "", what)
                            : model.name + "_" + what);
}

Result<void> writeReport(ReportDraft draft, const QString& path, const std::stop_token& stop) {
    if (draft.result && draft.report.head) {
        const auto writing = writingOf(draft, stop);
        if (!writing)
            return writing.error();
        draft.report.head->readings.push_back(*writing);
    }
    return writeFileAtomically(path.toStdU16String(), reportHtml(draft.report));
}

} // namespace headscope::ui
