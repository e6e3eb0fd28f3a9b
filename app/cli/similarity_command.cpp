#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/terminal.h"
#include "core/export/provenance.h"
#include "core/similarity/tables.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace headscope::cli {

namespace {

struct SimilarityOptions {
    ModelChoice model;
    PromptListOptions prompts;
    double below = 0.05;
    TableOptions table;
};

Result<SimilarityQuestion> readSimilarityQuestion(const Model& model,
                                                  const SimilarityOptions& options) {
    SimilarityQuestion question;
    question.repeats.bos = bosMode(options.prompts.bos);
    const auto prompts = readPrompts(model, options.prompts);
    if (!prompts)
        return prompts.error();
    for (const Prompt& prompt : *prompts)
        question.prompts.push_back(prompt.ids);
    return question;
}

Result<void> runSimilarity(const SimilarityOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const auto question = readSimilarityQuestion(**model, options);
    if (!question)
        return question.error();
    const auto similarity = [&] {
        const ProgressLine line;
        return compareHeads(*model, *question, line.progress());
    }();
    if (!similarity)
        return similarity.error();
    Provenance provenance = provenanceOf(**model);
    provenance.note = options.prompts.empty() ? similarity->repeats : options.prompts.described();
    std::vector<Table> shown{similarPairTable(*similarity, options.below, provenance)};
    if (Table clusters = clusterTable(*similarity, options.below); !clusters.rows.empty())
        shown.push_back(std::move(clusters));
    return deliverTable(options.table, similarityTable(*similarity, options.below, provenance),
                        shown);
}

} // namespace

Command similarityCommand(CLI::App& parent) {
    const auto options = std::make_shared<SimilarityOptions>();
    CLI::App* app = parent.add_subcommand("similarity",
                                          "Compare the patterns and outputs of all pairs of heads");
    addModelOption(*app, options->model);
    addPromptListOptions(
        *app, options->prompts,
        "Compare on this prompt; may be repeated. By default on repeated random tokens");
    app->add_option(
           "--below", options->below,
           "Pairs and clusters whose patterns are closer than this count as similar, in nats")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    addTableOptions(*app, options->table);
    app->parse_complete_callback([options] { checkTableUsage(options->table); });
    return {app, [options] { return runSimilarity(*options); }};
}

} // namespace headscope::cli
