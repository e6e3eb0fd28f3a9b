#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/terminal.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/engine/run_memory.h"
#include "core/export/model_info.h"
#include "core/model/layer_counts.h"
#include "core/model/model.h"
#include "core/model/prompt.h"
#include "core/model/tables.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headscope::cli {

namespace {

struct InfoOptions {
    ModelChoice model;
    TableOptions table;
};

/// What only a model that can be run has: how long its prompts are, and what they cost.
std::vector<Row> contextRows(const ModelSpec& spec, const ModelCard& card,
                             const std::string& weights, const std::string& per_token) {
    if (!spec.cannot_run.empty())
        return {{"memory", weights}, {"KV cache", per_token}};
    return {{"context", std::to_string(spec.n_ctx) + " tokens"},
            {"memory", weights + "; a run over a full context " +
                           byteText(runMemory(spec, spec.n_ctx).total())},
            {"KV cache",
             per_token + ", " + byteText(card.kv_bytes_full_context) + " for a full context"}};
}

/// "1200", or where layers differ "800 to 1200"
std::string layersText(const std::vector<LayerCount>& layers, std::size_t LayerCount::*count) {
    const auto [least, most] = rangeOf(layers, count);
    return std::to_string(least) + (least == most ? "" : " to " + std::to_string(most));
}

std::string summaryText(const Model& model, const ModelCard& card) {
    const LoadReport& report = model.report;
    const std::vector<LayerCount> layers = layerCounts(model);
    std::vector<Row> rows{
        {"model", model.name},
        {"architecture", card.architecture},
        {"attention", card.attention_kind},
        {"parameters", std::to_string(card.total_parameters) + ", per layer " +
                           layersText(layers, &LayerCount::parameters) + ", of these attention " +
                           layersText(layers, &LayerCount::attention)},
        {"BOS", bosRule(model).reason},
        {"config", report.config_source},
        {"tokenizer",
         report.tokenizer_source.empty() ? "none: prompts are token ids" : report.tokenizer_source},
        {"file", model.path.string()},
        {"sha256", model.sha256},
    };
    const auto context =
        contextRows(model.spec, card, byteText(report.weight_bytes) + " of weights",
                    byteText(card.kv_bytes_per_token) + " per token as float32" +
                        (model.spec.latent ? " of the " + byteText(card.mha_kv_bytes_per_token) +
                                                 " that keys and values of each head would take"
                                           : ""));
    rows.insert(rows.begin() + 4, context.begin(), context.end());
    if (!model.description.empty())
        rows.insert(rows.begin() + 1, {"description", model.description});
    if (!model.spec.cannot_run.empty())
        rows.insert(rows.begin() + 1, {"cannot be run", model.spec.cannot_run});
    return rowsText(std::move(rows));
}

/// What there is to say of the file beside its tensors; may be empty.
std::string notesText(const LoadReport& report) {
    std::vector<std::string> lines;
    if (!report.unused_config_keys.empty())
        lines.push_back("config keys without effect: " +
                        escapeControls(join(report.unused_config_keys, ", ")));
    for (const std::string& note : report.notes)
        lines.push_back("note: " + escapeControls(note));
    return join(lines, "\n");
}

/// For people: the model, its matrices, and what was read from where.
std::vector<Table> shownTables(const Model& model) {
    const ModelCard card = modelCard(model);
    const LoadReport& report = model.report;
    std::vector<Table> shown{matrixTable(card), usedTensorTable(report)};
    shown.front().caption = summaryText(model, card);
    if (!report.ignored.empty())
        shown.push_back(ignoredTensorTable(report));
    if (!report.missing.empty())
        shown.push_back(missingTensorTable(report));
    if (std::string notes = notesText(report); !notes.empty())
        shown.emplace_back().caption = std::move(notes);
    return shown;
}

Result<void> runInfo(const InfoOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    return deliverTable(options.table, modelTable(**model), shownTables(**model));
}

} // namespace

Command infoCommand(CLI::App& parent) {
    const auto options = std::make_shared<InfoOptions>();
    CLI::App* app = parent.add_subcommand("info", "Show what a weight file holds");
    addModelOption(*app, options->model);
    addTableOptions(*app, options->table);
    app->final_callback([options] { checkTableUsage(options->table); });
    return {app, [options] { return runInfo(*options); }};
}

} // namespace headscope::cli
