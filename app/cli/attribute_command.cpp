#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/terminal.h"
#include "core/attribution/tables.h"
#include "core/base/text.h"
#include "core/export/provenance.h"
#include "core/interventions/metric_words.h"
#include "core/interventions/tables.h"

#include <CLI/CLI.hpp>

#include <limits>
#include <memory>

namespace headscope::cli {

namespace {

struct AttributeOptions {
    ModelChoice model;
    PromptOptions prompt;
    std::string token;
    std::optional<std::string> against;
    std::optional<std::size_t> position;
    std::string backup_of;
    AblationOptions ablation;
    TableOptions table;
};

Result<PredictionQuestion>
readAttributionQuestion(const Model& model, const AttributeOptions& options, const Prompt& prompt) {
    const bool as_ids = options.prompt.ids.has_value();
    const auto token = readToken(model, options.token, as_ids);
    if (!token)
        return token.error();
    const auto position = options.position ? Result<std::size_t>(*options.position)
                                           : predictingPosition(model.spec, prompt.ids);
    if (!position)
        return position.error();
    PredictionQuestion question;
    question.ids = prompt.ids;
    question.position = *position;
    question.token = *token;
    if (options.against) {
        const auto against = readToken(model, *options.against, as_ids);
        if (!against)
            return against.error();
        question.against = *against;
    }
    return question;
}

Result<void> attribute(const std::shared_ptr<const Model>& model, const AttributeOptions& options,
                       const PredictionQuestion& question, const Prompt& prompt) {
    PredictionQuestion ablated = question;
    auto mask = readMask(options.ablation, model->spec);
    if (!mask)
        return mask.error();
    ablated.ablated = *std::move(mask);
    const auto read = attributePrediction(model, ablated);
    if (!read)
        return read.error();
    if (!read->attribution)
        return read->attribution.error();
    const Provenance provenance = provenanceOf(*model, prompt, ablated.ablated);
    const Table table = attributionTable(*read->attribution, *model, provenance);
    const Table shown = strongestFirst(table, "value");
    return deliverTable(options.table, table, {&shown, 1});
}

std::string backupText(const Model& model, const BackupResult& result,
                       const Provenance& provenance) {
    const BackupQuestion& question = result.question;
    return model.name + ": " + logitText(model, question.prompts.front(), provenance) + ": " +
           fixedText(result.full_logit, 4) + ", with " + headSetText(question.ablated) +
           " ablated (" + std::string(ablationKindName(question.kind)) + ") " +
           fixedText(result.ablated_logit, 4) + "; direct effects of later heads:";
}

Result<void> compareAblated(const std::shared_ptr<const Model>& model,
                            const AttributeOptions& options, const PredictionQuestion& question,
                            const Prompt& prompt) {
    BackupQuestion backup;
    backup.prompts = {{question.ids, question.position, *question.token, question.against}};
    backup.kind = options.ablation.kind == "mean" ? AblationKind::Mean : AblationKind::Zero;
    const auto mask = parseHeadMask(options.backup_of, model->spec, backup.kind);
    if (!mask)
        return mask.error();
    for (const auto& [head, kind] : mask->heads())
        backup.ablated.push_back(head);
    const auto result = measureBackup(model, backup);
    if (!result)
        return result.error();
    const Provenance provenance = provenanceOf(*model, prompt, *mask);
    Table shown = backupTable(
        *result, backupHeads(*result, -std::numeric_limits<double>::infinity()), provenance);
    shown.caption = backupText(*model, *result, provenance);
    return deliverTable(options.table, backupTable(*result, provenance), {&shown, 1});
}

Result<void> runAttribute(const AttributeOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const auto prompt = readPrompt(**model, options.prompt);
    if (!prompt)
        return prompt.error();
    const auto question = readAttributionQuestion(**model, options, *prompt);
    if (!question)
        return question.error();
    return options.backup_of.empty() ? attribute(*model, options, *question, *prompt)
                                     : compareAblated(*model, options, *question, *prompt);
}

} // namespace

Command attributeCommand(CLI::App& parent) {
    const auto options = std::make_shared<AttributeOptions>();
    CLI::App* app = parent.add_subcommand(
        "attribute",
        "Direct logit attribution: what each head, MLP, embedding and bias adds to a logit");
    addModelOption(*app, options->model);
    addPromptOptions(*app, options->prompt);
    app->add_option("--token", options->token, "The token whose logit is attributed")->required();
    app->add_option("--against", options->against,
                    "Attribute the difference to the logit of this token instead");
    app->add_option("--position", options->position,
                    "The position where the logit is read; by default the last");
    app->add_option("--backup-of", options->backup_of,
                    "4.1,4.2: compare the whole model with one in which these heads are ablated, "
                    "and show which heads' direct effect rises (backup heads)");
    addAblationOptions(*app, options->ablation);
    addTableOptions(*app, options->table);
    app->final_callback([options] {
        checkTableUsage(options->table);
        if (!options->backup_of.empty() && !options->ablation.heads.empty())
            refuseUsage("--backup-of compares the whole model with one in which heads are "
                        "ablated; --ablate reads only the latter. Give one of them.");
    });
    return {app, [options] { return runAttribute(*options); }};
}

} // namespace headscope::cli
