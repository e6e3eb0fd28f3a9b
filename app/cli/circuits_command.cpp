#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/terminal.h"
#include "core/circuits/tables.h"
#include "core/export/provenance.h"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace headscope::cli {

namespace {

struct CircuitsOptions {
    ModelChoice model;
    bool composition = false;
    bool copying = false;
    std::string ov;
    std::size_t top = 10;
    std::optional<Offset> offset;
    std::optional<CompositionKind> kind;
    TableOptions table;
};

void checkCircuitsUsage(const CircuitsOptions& options) {
    checkTableUsage(options.table);
    const int modes =
        (options.composition ? 1 : 0) + (options.copying ? 1 : 0) + (options.ov.empty() ? 0 : 1);
    if (modes != 1)
        refuseUsage("Give exactly one of --composition, --copying and --ov L.H.");
    if (options.offset && !options.composition)
        refuseUsage("--offset belongs to --composition.");
    if (options.kind && !options.composition)
        refuseUsage("--kind belongs to --composition.");
}

Provenance circuitProvenance(const Model& model, const FoldedWeights& weights) {
    Provenance provenance = provenanceOf(model);
    provenance.note = weights.note;
    return provenance;
}

Result<void> runComposition(const Model& model, const FoldedWeights& weights,
                            const CircuitsOptions& options) {
    const auto scores = [&] {
        const ProgressLine line;
        return compositionScores(weights, options.offset, line.progress());
    }();
    if (!scores)
        return scores.error();
    const std::vector<CompositionEdge> edges = strongestEdges(*scores, options.top, options.kind);
    const Provenance provenance = circuitProvenance(model, weights);
    Table table = compositionTable(*scores, edges, provenance);
    if (weights.spec().positions == PositionKind::Rotary && !scores->offset)
        table.caption +=
            "\nQ- and K-composition of rotary positions are not defined without --offset.";
    return deliverTable(options.table, table);
}

Result<void> runCopying(const Model& model, const FoldedWeights& weights,
                        const CircuitsOptions& options) {
    const auto copying = [&] {
        const ProgressLine line;
        return measureCopying(weights, options.top, line.progress());
    }();
    if (!copying)
        return copying.error();
    return deliverTable(options.table, copyingTable(*copying, circuitProvenance(model, weights)));
}

Result<void> runDirections(const Model& model, const FoldedWeights& weights,
                           const CircuitsOptions& options) {
    const auto head = parseHead(options.ov, model.spec);
    if (!head)
        return head.error();
    auto directions = ovDirections(weights, *head, options.top, kTokensPerDirection);
    if (!directions)
        return directions.error();
    const HeadDirections of{model, *head, *std::move(directions), weights.vocabularyGap()};
    const Provenance provenance = circuitProvenance(model, weights);
    const Table grid = directionGrid(of, provenance);
    return deliverTable(options.table, directionTable(of, provenance), {&grid, 1});
}

Result<void> runCircuits(const CircuitsOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const FoldedWeights weights = foldWeights(*model);
    if (options.composition)
        return runComposition(**model, weights, options);
    if (options.copying)
        return runCopying(**model, weights, options);
    return runDirections(**model, weights, options);
}

} // namespace

Command circuitsCommand(CLI::App& parent) {
    constexpr int kMostRows = 100'000'000;
    const auto options = std::make_shared<CircuitsOptions>();
    CLI::App* app = parent.add_subcommand(
        "circuits", "Read OV and QK circuits from the weights, without a run");
    addModelOption(*app, options->model);
    app->add_flag("--composition", options->composition,
                  "Q-, K- and V-composition: how strongly heads write to those of later layers");
    app->add_flag("--copying", options->copying,
                  "Which heads copy, that is, raise the tokens they attend to: eigenvalues of the "
                  "OV circuit, and accuracy");
    app->add_option("--ov", options->ov,
                    "What head L.H reads and writes, by the singular directions of its OV circuit");
    app->add_option("--top", options->top,
                    "How many edges, heads or directions to list, strongest first")
        ->check(CLI::Range(1, kMostRows))
        ->capture_default_str();
    app->add_option("--offset", options->offset,
                    "Query position minus key position, for composition with rotary positions");
    app->add_option("--kind", options->kind,
                    "Composition of this kind alone: q, k or v, what of the later head is fed")
        ->transform(CLI::CheckedTransformer(std::map<std::string, CompositionKind>{
            {"q", CompositionKind::Q}, {"k", CompositionKind::K}, {"v", CompositionKind::V}}));
    addTableOptions(*app, options->table);
    app->final_callback([options] { checkCircuitsUsage(*options); });
    return {app, [options] { return runCircuits(*options); }};
}

} // namespace headscope::cli
