#include "ui/document/repetition.h"

#include "core/export/analysis_calls.h"
#include "core/export/run_calls.h"
#include "core/export/why_calls.h"
#include "ui/tables/head_text.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>

#include <optional>
#include <utility>

namespace headscope::ui {
namespace {

struct RepetitionText {
    Q_DECLARE_TR_FUNCTIONS(RepetitionText)
};

QString put(const Result<std::string>& text) {
    if (!text)
        return toQString(text.error().message);
    QGuiApplication::clipboard()->setText(toQString(*text));
    return RepetitionText::tr("Copied: %1").arg(toQString(*text).trimmed());
}

Repetition notYetRun() {
    return notRepeated(RepetitionText::tr("The prompt has not run yet."));
}

/// Whether the head is compared with the heads that a command would choose, which knows no other
/// thresholds than the usual ones.
bool isUsual(const AblationEffectQuestion& asked, const HeadScores& scores, ScoreSource source) {
    const AblationEffectQuestion usual = source == ScoreSource::RandomRepeats
                                             ? effectQuestions(scores, asked.head).front()
                                             : effectQuestion(scores, asked.head);
    return asked.same_type == usual.same_type && asked.labels == usual.labels;
}

} // namespace

LoadedModel loadedModel(const Document& document) {
    return {*document.model(), document.loadOptions()};
}

LoadedModel loadedModel(const Document& document, const RunResult& result) {
    const auto& model = result.full->model;
    return {*model, model == document.model() ? document.loadOptions() : LoadOptions()};
}

Repetition repetitionOf(const Result<Call>& call) {
    return call ? Repetition(Calls{*call}) : Repetition(call.error());
}

Repetition notRepeated(const QString& reason) {
    return Error{ErrorCode::Unsupported, reason.toStdString()};
}

Repetition repetitionOfRun(const Document& document) {
    const PatternSource& source = document.shown();
    Calls calls;
    for (const auto& result : {source.result, source.other}) {
        if (!result)
            continue;
        auto call = runCall(loadedModel(document, *result), result->prompt, result->mask);
        if (!call)
            return call.error();
        calls.push_back(*std::move(call));
    }
    return calls.empty() ? notYetRun() : Repetition(std::move(calls));
}

Repetition repetitionOfScores(const Document& document) {
    const auto& result = document.promptRunner().result();
    if (!document.model() || !document.headScorer().scores())
        return notRepeated(RepetitionText::tr("The scores are not measured yet."));
    switch (document.headScorer().effectiveSource()) {
    case ScoreSource::RandomRepeats:
        return Calls{scoresCall(loadedModel(document))};
    case ScoreSource::Prompt:
        if (!result)
            return notYetRun();
        if (!result->mask.empty())
            return notRepeated(RepetitionText::tr("No command scores heads while some are ablated; "
                                                  "restore them."));
        return Calls{scoresCall(loadedModel(document), {&result->prompt, 1})};
    case ScoreSource::PromptSet:
        break;
    }
    return notRepeated(RepetitionText::tr("Scores over a set of prompts come with the command of "
                                          "the window Prompt Set, one head and type at a time."));
}

Repetition repetitionOfEffect(const Document& document) {
    const AblationEffect* effect =
        document.model() ? document.effectTester().effect(document.selection().head()) : nullptr;
    const auto scores = document.headScorer().scores();
    if (!effect || !scores)
        return notRepeated(
            RepetitionText::tr("The effect of ablating this head is not measured yet."));
    const ScoreSource source = document.headScorer().effectiveSource();
    if (!isUsual(effect->question, *scores, source))
        return notRepeated(RepetitionText::tr(
            "The other heads that a head is compared with depend on the thresholds, and commands "
            "use the default ones; reset the thresholds and measure again."));
    const auto& result = document.promptRunner().result();
    if (source == ScoreSource::RandomRepeats)
        return repetitionOf(effectCall(loadedModel(document), effect->question, {}));
    if (source == ScoreSource::Prompt && result && result->mask.empty())
        return repetitionOf(
            effectCall(loadedModel(document), effect->question, {&result->prompt, 1}));
    return notRepeated(
        source == ScoreSource::Prompt
            ? RepetitionText::tr("No command scores heads while some are ablated; restore them.")
            : RepetitionText::tr("The labels come from a set of prompts, and no command measures "
                                 "effects on such a set."));
}

Repetition repetitionOfLabels(const Document& document) {
    if (!document.model() || !document.headScorer().scores())
        return notRepeated(RepetitionText::tr("The scores are not measured yet."));
    if (document.headScorer().effectiveSource() != ScoreSource::RandomRepeats)
        return notRepeated(RepetitionText::tr(
            "Labels are tested on what their types are defined by, and these are read from text "
            "of yours."));
    if (document.thresholds() != Thresholds())
        return notRepeated(RepetitionText::tr(
            "Commands label heads by the default thresholds; reset the thresholds."));
    return Calls{trustCall(loadedModel(document))};
}

Repetition repetitionOfWhy(const Document& document, const WhyReading& reading,
                           std::optional<WhyDetail> detail) {
    const RunResult& result = *reading.result;
    const LoadedModel loaded = loadedModel(document, result);
    const ExplainedCell explained{loaded, result.prompt, result.mask, reading.parts.question};
    if (!detail || *detail == WhyDetail::Pairs)
        return repetitionOf(scorePartsCall(explained));
    if (*detail == WhyDetail::Directions)
        return repetitionOf(scoreSignalsCall(explained, kWordedDirections));
    if (*detail == WhyDetail::Tokens)
        return repetitionOf(weightTokensCall(explained));
    return repetitionOf(scoreDimensionsCall(explained, *detail == WhyDetail::AllKeys));
}

Repetition repetitionOfRemoval(const Document& document, const WhyReading& reading,
                               const RemovalQuestion& question, std::optional<std::size_t> rank) {
    const RunResult& result = *reading.result;
    const LoadedModel loaded = loadedModel(document, result);
    return repetitionOf(
        removalCall({loaded, result.prompt, result.mask, reading.parts.question}, question, rank));
}

Repetition repetitionOfTrace(const Document& document, const WhyReading& reading) {
    const RunResult& result = *reading.result;
    const LoadedModel loaded = loadedModel(document, result);
    return repetitionOf(traceCall({loaded, result.prompt, result.mask, reading.parts.question},
                                  reading.trace.question));
}

Repetition repetitionOfInside(const Document& document, const InsideReading& reading) {
    const RunResult& result = *reading.result;
    return repetitionOf(insideCall(loadedModel(document, result), result.prompt, result.mask,
                                   reading.steps.question));
}

QString copyAsCommand(const Repetition& repetition) {
    return put(repetition ? Result<std::string>(shellLines(*repetition)) : repetition.error());
}

QString copyAsPython(const Repetition& repetition) {
    return put(repetition ? Result<std::string>(pythonLines(*repetition)) : repetition.error());
}

} // namespace headscope::ui
