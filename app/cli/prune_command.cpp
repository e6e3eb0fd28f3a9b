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
#include <map>
#include <memory>
#include <string>

namespace headscope::cli {

namespace {

constexpr std::size_t kWorstShown = 10;

/// What was finished before, with functions that keep what is finished now.
Result<std::map<std::string, PruningParts>> keptParts(PruningPartsFile& file, const ModelSpec& spec,
                                                      const PruningTexts& texts, bool resume,
                                                      Result<void>& written) {
    std::map<std::string, PruningParts> parts;
    if (resume) {
        auto read = file.read(spec);
        if (!read)
            return read.error();
        parts = *std::move(read);
    }
    if (auto begun = file.begin(parts); !begun)
        return begun.error();
    const auto note = [&written](Result<void> added) {
        if (!added)
            written = std::move(added);
    };
    for (const PruningDomain& domain : texts.domains) {
        PruningParts& of = parts[domain.name];
        of.on_order = [&file, note, text = domain.name](const PruningOrder& order) {
            note(file.add(text, order));
        };
        of.on_point = [&file, note, text = domain.name](const OrderSpec& order,
                                                        const CurvePoint& point) {
            note(file.add(text, order, point));
        };
    }
    return parts;
}

Result<DomainResults> measureCurves(const std::shared_ptr<const Model>& model,
                                    const PruningTexts& texts, const PruningQuestion& question,
                                    const PruneOptions& options) {
    const ProgressLine line;
    const Progress progress = withTimeLeft(line.progress());
    if (options.output.empty())
        return pruneDomains(model, texts, question, {}, progress);
    PruningPartsFile file(PruningPartsFile::pathFor(options.output),
                          curveQuestionText(*model, texts, options.words));
    Result<void> written;
    const auto parts = keptParts(file, model->spec, texts, options.resume, written);
    if (!parts)
        return parts.error();
    auto results = pruneDomains(model, texts, question, *parts, progress);
    if (results && !written)
        return written.error();
    return results;
}

Result<void> runCurves(const std::shared_ptr<const Model>& model, const PruneOptions& options) {
    if (!options.output.empty())
        if (auto checked = checkFolder(options.output); !checked)
            return checked;
    const auto question = readCurveQuestion(options, model->spec);
    if (!question)
        return question.error();
    const auto texts = [&] {
        const ProgressLine line;
        return readPruningTexts(model, options.words, line.progress());
    }();
    if (!texts)
        return texts.error();
    const auto results = measureCurves(model, *texts, *question, options);
    if (!results)
        return results.error();
    const Verdict verdict = verdictOf(*results, question->tolerance);
    const Provenance provenance = provenanceOf(*model);
    if (!options.output.empty()) {
        const Table table = pruningTable(*results, verdict, *model, *texts, provenance);
        if (auto written = writePruningCurves(options.output, table, *results); !written)
            return written;
        PruningPartsFile(PruningPartsFile::pathFor(options.output), "").remove();
        std::cout << "wrote " << options.output << "\n\n";
    }
    const HeadSet removed = headsOfVerdict(*results, verdict);
    const PruningDomain& nearest = texts->domains[verdict.nearest];
    std::vector<WorseToken> worst;
    if (!removed.empty()) {
        auto found =
            worstTokens(model, nearest.calibration, nearest.test, *question, removed, kWorstShown);
        if (!found)
            return found.error();
        worst = *std::move(found);
    }
    printTexts(*texts);
    if (options.output.empty())
        printShown(curvesTable(*results, verdict.nearest, verdict, *model, *texts, provenance));
    printVerdict(verdict, provenance);
    printShown(headsLeftTable(removed, *model, provenance));
    if (!removed.empty())
        printShown(worstTokensTable(worst, *model, provenance));
    return {};
}

Result<void> runGroupings(const std::shared_ptr<const Model>& model, const PruneOptions& options) {
    if (!options.output.empty())
        if (auto checked = checkFolder(options.output); !checked)
            return checked;
    const auto texts = readPruningPassages(model, options.words);
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
    if (auto checked = checkIsNoneOf(recipePathBeside(options.output), {&options.recipe, 1});
        !checked)
        return checked;
    const auto chosen = [&] {
        const ProgressLine line;
        const Progress progress = withTimeLeft(line.progress());
        return options.remove.empty()
                   ? cutByRecipe(model, words, options.recipe, progress)
                   : cutByOrder(model, words, *options.order, options.remove, progress);
    }();
    if (!chosen)
        return chosen.error();
    const auto texts = readPruningPassages(model, words);
    if (!texts)
        return texts.error();
    return saveAndReport(model, chosen->cut, options.output, texts->test, chosen->recipe);
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
