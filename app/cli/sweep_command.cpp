
#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/terminal.h"
#include "app/cli/work.h"
#include "core/ask/parameter.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/base/text.h"
#include "core/export/part_texts.h"
#include "core/export/provenance.h"
#include "core/export/table_files.h"
#include "core/interventions/metric_words.h"
#include "core/interventions/prompt_set.h"
#include "core/interventions/sweep.h"
#include "core/interventions/tables.h"
#include "core/io/atomic_file.h"
#include "core/model/model.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::cli {

namespace {

struct SweepOptions {
    PromptOptions prompt;
    MetricWords metric;
    std::string method = "exact";
    std::string ablation = "zero";
    std::string heads = "all";
    std::vector<std::string> with;
};

/// The question of the options, and where its numbers come from.
struct AskedSweep {
    SweepQuestion question;
    Provenance provenance;
};

/// Other prompts are given as the prompt is: as text or as ids.
Result<std::vector<TokenIds>> readReferences(const Model& model, const SweepOptions& options) {
    std::vector<TokenIds> references;
    for (const std::string& with : options.with) {
        PromptOptions other;
        (options.prompt.ids ? other.ids : other.text) = with;
        other.bos = options.prompt.bos;
        auto prompt = readPrompt(model, other);
        if (!prompt)
            return prompt.error();
        references.push_back(std::move(prompt->ids));
    }
    return references;
}

/// A mean over a part of the lines would be of another question than was asked.
Result<PromptSet> readWholeSet(const Model& model, const SweepOptions& options) {
    const std::filesystem::path path(*options.prompt.prompts);
    const auto text = readTextFile(path, kLargestPromptSetBytes);
    if (!text)
        return text.error();
    auto set = readPromptSet(model, *text, path.filename().string(), bosNamed(options.prompt.bos));
    if (set && !set->left_out.empty())
        return Error{ErrorCode::InvalidArgument,
                     "Line " + std::to_string(set->left_out.front().line) + " of " + path.string() +
                         " is no prompt of " + model.name + ": " + set->left_out.front().reason};
    return set;
}

struct AskedPrompts {
    std::vector<TokenIds> ids;
    Provenance provenance;
};

Result<AskedPrompts> readAsked(const Model& model, const SweepOptions& options) {
    if (options.prompt.prompts) {
        const auto set = readWholeSet(model, options);
        if (!set)
            return set.error();
        AskedPrompts asked{{}, provenanceOf(model)};
        for (const Prompt& prompt : set->prompts)
            asked.ids.push_back(prompt.ids);
        asked.provenance.note = counted(set->prompts.size(), "prompt") + " of " + set->name;
        return asked;
    }
    const auto prompt = readPrompt(model, options.prompt);
    if (!prompt)
        return prompt.error();
    return AskedPrompts{{prompt->ids}, provenanceOf(model, *prompt, {})};
}

/// --text to --prompts, --method, --ablation, --with, --heads and those of the metric.
void addSweepOptions(CLI::App& app, SweepOptions& options) {
    addPromptsOptions(app, options.prompt);
    app.add_option("--method", options.method,
                   "exact: one run for each ablated set of heads; gradient: a first-order "
                   "estimate of all of them by one backward pass, for --ablation zero")
        ->check(CLI::IsMember(methodChoices()))
        ->capture_default_str();
    app.add_option("--ablation", options.ablation,
                   "What replaces the output of the heads: zero, mean, resample, or zero with all "
                   "patterns as they are in the whole model (pattern-preserving)")
        ->check(CLI::IsMember(replacementChoices()))
        ->capture_default_str();
    app.add_option("--with", options.with,
                   "For resample: the other prompt, of the same length. For mean: a prompt to "
                   "average over instead of the prompt itself; may be repeated")
        ->allow_extra_args(false);
    app.add_option("--heads", options.heads,
                   "The heads to ablate one at a time (4.1,4.2), all, or kv-groups")
        ->capture_default_str();
    addMetricOptions(app, options.metric);
}

/// Refuses options that do not go together. Only for callbacks of CLI11.
void checkSweepUsage(const SweepOptions& options) {
    Asked metric;
    takeMetric(metric, options.metric, options.prompt.ids.has_value());
    refuseBroken(metricRules(), metric);
    const bool reads_others = options.ablation == "resample" || options.ablation == "mean";
    if (!options.with.empty() && !reads_others)
        refuseUsage("--with belongs to --ablation resample and mean.");
    if (options.method == "gradient" && options.ablation != "zero")
        refuseUsage("--method gradient estimates --ablation zero only.");
    if (options.method == "gradient" && options.metric.kind == "kl")
        refuseUsage("--method gradient cannot estimate --metric kl, whose slope is 0.");
    if (options.ablation == "resample" && options.with.size() != 1)
        refuseUsage("--ablation resample needs one other prompt: --with TEXT.");
    if (options.ablation == "resample" && options.prompt.prompts)
        refuseUsage("--ablation resample takes one prompt; leave --prompts out.");
    if (options.prompt.prompts && options.metric.kind == "loss" && options.metric.target &&
        !options.metric.position)
        refuseUsage("The loss of one --target needs the --position where it shall be predicted, "
                    "which differs from prompt to prompt; name it.");
}

/// Fails for a prompt that is not valid for this model, also for one in a file of prompts.
Result<AskedSweep> readSweep(const Model& model, const SweepOptions& options) {
    auto asked = readAsked(model, options);
    if (!asked)
        return asked.error();
    auto units = parseHeadSets(options.heads, model.spec);
    if (!units)
        return units.error();
    auto references = readReferences(model, options);
    if (!references)
        return references.error();
    const bool as_ids = options.prompt.ids.has_value() || !model.tokenizer;
    auto metric = readMetric(model, options.metric, asked->ids.front(), as_ids);
    if (!metric)
        return metric.error();
    SweepQuestion question;
    question.prompts = std::move(asked->ids);
    question.units = *std::move(units);
    question.references = *std::move(references);
    chooseSweepKind(question, options.ablation);
    question.metric = *std::move(metric);
    question.method = effectMethodNamed(options.method);
    asked->provenance.ablation = sweepText(question);
    return AskedSweep{std::move(question), std::move(asked->provenance)};
}

class SweepWork : public Work {
public:
    void addQuestion(CLI::App& app) override {
        addSweepOptions(app, options_);
        app.final_callback([this] { checkSweepUsage(options_); });
    }

    std::vector<std::string> files() const override {
        std::vector<std::string> files;
        for (const auto& file : {options_.prompt.text_file, options_.prompt.prompts})
            if (file)
                files.push_back(*file);
        return files;
    }

    Result<WorkQuestion> prepare(std::shared_ptr<const Model> model) override {
        auto asked = readSweep(*model, options_);
        if (!asked)
            return asked.error();
        auto steps = SweepSteps::make(std::move(model), asked->question);
        if (!steps)
            return steps.error();
        provenance_ = std::move(asked->provenance);
        steps_.emplace(*std::move(steps));
        WorkQuestion question;
        // All that the numbers depend on but the weights, and in words.
        question.text = tableJson(sweepTable(steps_->merge({}), provenance_));
        for (const SweepStep& step : steps_->steps())
            question.units.push_back({step.name(), step.cost});
        return question;
    }

    Result<std::string> run(std::size_t unit, const Progress& progress) override {
        const std::size_t total = steps_->steps()[unit].units.size();
        std::size_t measured = 0;
        const auto part = steps_->run(unit, [&](std::size_t count) {
            measured += count;
            report(progress, static_cast<double>(measured) / static_cast<double>(total),
                   "ablations");
        });
        if (!part)
            return part.error();
        return sweepPartText(*part);
    }

    void addOutput(CLI::App& app) override {
        addTableOptions(app, table_);
        app.final_callback([this] { checkTableUsage(table_); });
    }
    Result<void> checkOutput() const override { return checkTableFolder(table_); }

    bool take(std::size_t unit, const WorkPart& part) override {
        auto read = readSweepPart(part.content, steps_->steps()[unit]);
        if (!read)
            return false;
        parts_.push_back(*std::move(read));
        return true;
    }

    Result<void> deliver(const std::vector<std::string>& machines) override {
        Table table = sweepTable(steps_->merge(parts_), provenance_);
        addMachines(table, machines);
        return deliverTable(table_, table);
    }

private:
    SweepOptions options_;
    TableOptions table_;
    std::optional<SweepSteps> steps_;
    Provenance provenance_;
    std::vector<SweepPart> parts_;
};

/// A sweep, in the steps of core/interventions/sweep.h.
std::unique_ptr<Work> makeSweepWork() {
    return std::make_unique<SweepWork>();
}

struct SweepCommand {
    ModelChoice model;
    SweepOptions asked;
    TableOptions table;
};

Result<void> runSweep(const SweepCommand& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const auto asked = readSweep(**model, options.asked);
    if (!asked)
        return asked.error();
    const auto result = [&] {
        const ProgressLine line;
        return sweepHeads(*model, asked->question, line.progress());
    }();
    if (!result)
        return result.error();
    return deliverTable(options.table, sweepTable(*result, asked->provenance));
}

} // namespace

Command sweepCommand(CLI::App& parent) {
    const auto options = std::make_shared<SweepCommand>();
    CLI::App* app =
        parent.add_subcommand("sweep", "Ablate each head by itself and measure the effect");
    addModelOption(*app, options->model)->required(false);
    addSweepOptions(*app, options->asked);
    addTableOptions(*app, options->table);
    app->final_callback([app, options] {
        requireModel(*app, options->model);
        checkSweepUsage(options->asked);
        checkTableUsage(options->table);
    });
    return withWork({app, [options] { return runSweep(*options); }}, makeSweepWork);
}

} // namespace headscope::cli
