#include "ui/views/commands/tour.h"

#include <QCoreApplication>
#include <QKeySequence>
#include <QStringList>

#include <algorithm>

namespace headscope::ui {

namespace {

struct TourText {
    Q_DECLARE_TR_FUNCTIONS(TourText)
};

QList<TourStop> patternStops() {
    return {
        {QStringLiteral("actionOneHead"),
         TourText::tr("Queries are rows, keys are columns. A click locks a row, and the wheel "
                      "zooms. Where the first key takes more than half of the attention, it is "
                      "left out, and grey bars show its share; “Hide first key” brings it back. In "
                      "models with "
                      "learned sinks, such as GPT-OSS, grey bars show what these take.")},
        {QStringLiteral("actionText"),
         TourText::tr("The prompt is running text. It is tinted by what the word under the pointer "
                      "looks at, or by what looks at it.")},
        {QStringLiteral("actionLines"),
         TourText::tr("Lines join each token with the tokens it looks at. Choose more heads with "
                      "Ctrl, Shift or by dragging in the grid: each has a colour.")},
        {QStringLiteral("actionWhy"),
         TourText::tr("The page splits the attention score of one query and key exactly into what "
                      "embeddings, heads and MLPs wrote. In its graph, a click on a head follows "
                      "it and a double click explains it. “Measure Without It” removes a part and "
                      "measures what is left.")},
        {QStringLiteral("actionInside"),
         TourText::tr("Follows one query through the head, from the stream to the logits: query, "
                      "key and value, scores, softmax, weighted sum and W_O. Point at a number to "
                      "see how it comes about; the temperature of the softmax is a what-if.")},
        {QStringLiteral("actionWriteOn"),
         TourText::tr("The model continues the prompt, also with ablated heads.")},
    };
}

QList<TourStop> ablationStops() {
    return {
        {QStringLiteral("actionTestEffect"),
         TourText::tr("Ablates the head and ten other heads near it, compares the losses and says "
                      "in a word what it found. “Find its backups” names the heads that make up "
                      "for it. In the grid, a dot marks a head that is needed, a bar one that "
                      "interferes, and a ring one of which neither was found.")},
        {QStringLiteral("actionTestLabels"),
         TourText::tr("Asks of each label whether it is specific, transfers to other input and is "
                      "stable, and whether the model needs the head. The results are kept for the "
                      "next time this model is opened.")},
        {QStringLiteral("actionAblateHead"),
         TourText::tr("The strip under the prompt shows the loss, the predictions and the KL "
                      "divergence before and after. “Difference” in the list of maps shows which "
                      "patterns changed. A cross in the strip restores a head.")},
        {QStringLiteral("actionCompare"),
         TourText::tr("A second prompt or model appears below the first. Tokens that differ are "
                      "framed, and every page shows A, B or B − A. If tokens are aligned wrongly, "
                      "click the token of A and Ctrl+click the matching one of B.")},
        {QStringLiteral("actionPatch"),
         TourText::tr("Shows which activations of A, or which paths from head to head, make B "
                      "predict what A predicts.")},
    };
}

QList<TourStop> analysisStops() {
    return {
        {QStringLiteral("actionPromptSet"),
         TourText::tr("Runs hundreds of prompts: a file, pasted lines or bundled sentences. A "
                      "table shows the loss of each prompt, what the ablated heads change in it, "
                      "and what the selected head does there. A row can be opened as the prompt.")},
        {QStringLiteral("actionExamples"),
         TourText::tr("Scans a text once for all heads and shows where in it the selected head "
                      "looks most strongly, in the median, or at random. Folders written by "
                      "HeadVis can be opened, too.")},
        {QStringLiteral("actionAttribution"),
         TourText::tr("Splits the logit of a token into what each part of the network adds, and "
                      "shows the prediction at each depth.")},
        {QStringLiteral("actionCircuits"),
         TourText::tr("Reads from the weights what heads copy, and which head feeds which.")},
        {QStringLiteral("actionSimilarity"),
         TourText::tr("Compares all pairs of heads and groups those that do the same.")},
        {QStringLiteral("actionPrune"),
         TourText::tr(
             "Removes heads in several orders and draws what each cut costs on a text that "
             "was not used to choose them, beside random orders. A verdict says how many "
             "heads can go. The smaller model is written for Headscope, transformers or "
             "llama.cpp.")},
    };
}

QList<TourStop> keepingStops() {
    return {
        {QStringLiteral("actionPageAcross"),
         TourText::tr("Each analysis is a page beside the patterns. This puts two pages side by "
                      "side.")},
        {QStringLiteral("actionExport"),
         TourText::tr("Writes the figure as SVG, PDF or PNG, or the numbers as npz, npy, HDF5, CSV "
                      "or JSON.")},
        {QStringLiteral("actionReport"),
         TourText::tr(
             "Writes what the window shows as one HTML page, with the commands that repeat "
             "the numbers. The page has no script and loads nothing.")},
        {QStringLiteral("actionSaveHistory"),
         TourText::tr("Writes all that was done in the window as a shell or Python script.")},
        {QStringLiteral("actionBookmark"),
         TourText::tr("The star and a line of text stay with the head.")},
        {QStringLiteral("actionSaveProject"),
         TourText::tr(
             "Keeps model, prompt, ablated heads, thresholds, notes and pages in one file, "
             "which opens like a model even if the model's file was moved. After a crash "
             "the next start offers to restore what was open.")},
    };
}

Markup stopOf(const Command& command, const QString& text) {
    QStringList keys;
    for (const QKeySequence& key : command.keys)
        keys << key.toString(QKeySequence::NativeText);
    const QString name = plainText(command.text);
    return markup(u"<li style=\"margin-bottom: 5px\"><b>%1</b>: %2</li>",
                  keys.isEmpty()
                      ? name
                      : QStringLiteral("%1 (%2)").arg(name, keys.join(QStringLiteral(", "))),
                  text);
}

} // namespace

QList<TourStop> tourStops() {
    return patternStops() + ablationStops() + analysisStops() + keepingStops();
}

Markup tour(const QList<Command>& commands) {
    Markup stops;
    for (const TourStop& stop : tourStops()) {
        const auto command = std::ranges::find(commands, stop.command, &Command::id);
        if (command != commands.end())
            stops += stopOf(*command, stop.text);
    }
    return markup(u"<h3>%1</h3><ul>%2</ul>", TourText::tr("A tour of the window"), stops);
}

} // namespace headscope::ui
