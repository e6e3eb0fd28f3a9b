#include "app/cli/command.h"
#include "app/cli/output_options.h"
#include "app/cli/prune_options.h"
#include "app/cli/prune_work.h"
#include "app/cli/terminal.h"
#include "app/cli/work.h"
#include "core/base/progress.h"
#include "core/export/provenance.h"
#include "core/export/pruning_files.h"
#include "core/export/pruning_parts.h"
#include "core/export/pruning_words.h"
#include "core/export/table_files.h"
#include "core/pruning/grouping_losses.h"
#include "core/pruning/tables.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace headscope::cli {

namespace {

constexpr std::size_t kWorstShown = 10;

Result<PruningResult> measureCurves(const std::shared_ptr<const Model>& model,
                                    const PruningPassages& texts, const PruningQuestion& question,
                                    const PruneOptions& options) {
    const PassageSet& calibration = texts.calibration;
    const PassageSet& test = texts.test;
    const ProgressLine line;
    const Progress progress = withTimeLeft(line.progress());
    if (options.output.empty())
        return pruneAndMeasure(model, calibration, test, question, {}, progress);
    PruningPartsFile file(PruningPartsFile::pathFor(options.output),
                          curveQuestionText(*model, texts, options.words));
    PruningParts parts;
    if (options.resume) {
        auto read = file.read(model->spec);
        if (!read)
            return read.error();
        parts = *std::move(read);
    }
    if (auto begun = file.begin(parts); !begun)
        return begun.error();
    Result<void> written;
    const auto note = [&written](Result<void> added) {
        if (!added)
            written = std::move(added);
    };
    parts.on_order = [&](const PruningOrder& order) { note(file.add(order)); };
    parts.on_point = [&](const OrderSpec& order, const CurvePoint& point) {
        note(file.add(order, point));
    };
    auto result = pruneAndMeasure(model, calibration, test, question, parts, progress);
    if (result && !written)
        return written.error();
    return result;
}

Result<void> runCurves(const std::shared_ptr<const Model>& model, const PruneOptions& options) {
    if (!options.output.empty())
        if (auto checked = checkFolder(options.output); !checked)
            return checked;
    const auto question = readCurveQuestion(options, model->spec);
    if (!question)
        return question.error();
    const auto texts = readPruningPassages(*model, options.words);
    if (!texts)
        return texts.error();
    const PassageSet& calibration = texts->calibration;
    const PassageSet& test = texts->test;
    const auto result = measureCurves(model, *texts, *question, options);
    if (!result)
        return result.error();
    const Verdict verdict = verdictOf(*result, options.tolerance / 100.0);
    const Provenance provenance = provenanceOf(*model);
    const Table table = pruningTable(*result, verdict, *model, calibration, test, provenance);
    if (!options.output.empty()) {
        if (auto written = writePruningCurves(options.output, table, *result); !written)
            return written;
        PruningPartsFile(PruningPartsFile::pathFor(options.output), "").remove();
        std::cout << "wrote " << options.output << "\n\n";
    }
    const HeadSet removed = headsOfVerdict(*result, verdict);
    const auto worst = worstTokens(model, calibration, test, *question, removed, kWorstShown);
    if (!worst)
        return worst.error();
    printTexts(calibration, test);
    if (options.output.empty())
        printShown(table);
    printShown(verdictTable(verdict, provenance));
    printShown(headsLeftTable(removed, *model, provenance));
    if (!removed.empty())
        printShown(worstTokensTable(*worst, *model, provenance));
    return {};
}

Result<void> runGroupings(const std::shared_ptr<const Model>& model, const PruneOptions& options) {
    if (!options.output.empty())
        if (auto checked = checkFolder(options.output); !checked)
            return checked;
    const auto texts = readPruningPassages(*model, options.words);
    if (!texts)
        return texts.error();
    const PassageSet& calibration = texts->calibration;
    const PassageSet& test = texts->test;
    const auto result = [&] {
        const ProgressLine line;
        return measureGroupings(model, calibration, test, withTimeLeft(line.progress()));
    }();
    if (!result)
        return result.error();
    const Table table = groupingTable(*result, calibration, test, provenanceOf(*model));
    printTexts(calibration, test);
    if (options.output.empty()) {
        printShown(table);
        return {};
    }
    if (auto written = writeTable(options.output, table); !written)
        return written;
    std::cout << groupingText(*result) << "\n\nwrote " << options.output << '\n';
    return {};
}

Result<void> writeSmaller(const std::shared_ptr<const Model>& model, const PruneOptions& options) {
    const PruningWords& words = options.words;
    const auto chosen = [&] {
        const ProgressLine line;
        const Progress progress = withTimeLeft(line.progress());
        return options.remove.empty()
                   ? cutByRecipe(model, words, options.recipe, progress)
                   : cutByOrder(model, words, *options.order, options.remove, progress);
    }();
    if (!chosen)
        return chosen.error();
    const auto test = readTest(*model, words);
    if (!test)
        return test.error();
    return saveAndReport(model, chosen->cut, options.output, *test, chosen->recipe);
}

Result<void> runPrune(const PruneOptions& options) {
    const auto model = openRunnable(options.model);
    if (!model)
        return model.error();
    if (options.group_queries)
        return runGroupings(*model, options);
    const bool measures = options.remove.empty() && options.recipe.empty();
    return measures ? runCurves(*model, options) : writeSmaller(*model, options);
}

} // namespace

Command pruneCommand(CLI::App& parent) {
    const auto options = std::make_shared<PruneOptions>();
    CLI::App* app = parent.add_subcommand(
        "prune", "Remove heads in several orders, measure what is lost, write a smaller model");
    addPruneOptions(*app, *options);
    app->final_callback([app, options] {
        requireModel(*app, options->model);
        checkPruneUsage(*options);
    });
    return withWork({app, [options] { return runPrune(*options); }}, makePruneWork);
}

} // namespace headscope::cli
