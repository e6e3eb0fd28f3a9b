#include "ui/views/export/export_repetition.h"

#include "core/export/run_calls.h"
#include "core/export/why_calls.h"
#include "ui/views/pages/table_export.h"

#include <QCoreApplication>

namespace headscope::ui {

namespace {

struct ExportCallText {
    Q_DECLARE_TR_FUNCTIONS(ExportCallText)
};

/// Fails where the file would hold something else than that of the window.
Result<Call> patternsOf(const Document& document, const ExportPlan& plan) {
    const RunResult& result = *plan.source.result;
    const LoadedModel loaded = loadedModel(document, result);
    if (plan.what == ExportWhat::AllHeads)
        return patternsCall(loaded, result.prompt, result.mask);
    if (plan.what == ExportWhat::Layer)
        return patternsCall(loaded, result.prompt, result.mask, {plan.head.layer});
    if (!result.mask.empty())
        return Error{ErrorCode::Unsupported,
                     ExportCallText::tr("With ablated heads a command writes whole layers: choose "
                                        "the numbers of the layer.")
                         .toStdString()};
    return patternCall(loaded, result.prompt, result.mask, plan.head);
}

} // namespace

Repetition exportRepetition(const Document& document, const ExportPlan& plan, const QString& path) {
    switch (plan.what) {
    case ExportWhat::Figure:
        return notRepeated(ExportCallText::tr("A command writes numbers, not pictures; choose "
                                              "numbers."));
    case ExportWhat::Scores:
        return writtenTo(repetitionOfScores(document), path);
    case ExportWhat::WhyParts:
        return writtenTo(repetitionOfWhy(document, *plan.view.why, std::nullopt), path);
    case ExportWhat::WhyTrace:
        return writtenTo(repetitionOfTrace(document, *plan.view.why), path);
    case ExportWhat::InsideSteps:
        return writtenTo(repetitionOfInside(document, *plan.view.inside), path);
    case ExportWhat::Head:
    case ExportWhat::Layer:
    case ExportWhat::AllHeads:
        break;
    }
    if (!plan.source.result || plan.source.other || plan.view.map != PatternMap::Attention)
        return notRepeated(ExportCallText::tr("A command writes the attention of one run, neither "
                                              "differences nor weighted patterns."));
    return writtenTo(repetitionOf(patternsOf(document, plan)), path);
}

} // namespace headscope::ui
