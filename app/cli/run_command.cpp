#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/run_summary.h"
#include "app/cli/terminal.h"
#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/engine/head_mask.h"
#include "core/engine/hooks.h"
#include "core/export/table_files.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <map>
#include <memory>
#include <string>

namespace headscope::cli {

namespace {

struct RunOptions {
    ModelChoice model;
    PromptOptions prompt;
    std::string hooks;
    AblationOptions ablation;
    std::string output;
    bool json = false;
};

/// Whether a point is left out unless it is asked for: the points that globs must spell out (copies
/// of the residual per head, and the outputs of norms, which are hook_normalized with gain and
/// bias), and one more copy of the residual.
bool isLargeCopy(const ModelSpec& spec, HookPoint point) {
    return !hookMatches(spec, "*", point) || point.kind == HookKind::MlpIn;
}

/// The array of logits is no hook but may be named among them.
constexpr std::string_view kLogits = "logits";

Result<void> checkHooks(const RunOptions& options, const Model& model) {
    const auto globs = split(options.hooks, ',');
    const bool asks = std::ranges::find(globs, kLogits) != globs.end();
    if (asks && model.spec.output == OutputHead::None)
        return Error{ErrorCode::Unsupported, model.name + " has no unembedding, so there are no "
                                                          "logits to write."};
    return {};
}

void addCaptures(HookSet& hooks, const std::string& globs, const ModelSpec& spec) {
    if (!globs.empty()) {
        for (std::string& glob : split(globs, ','))
            if (glob != kLogits)
                hooks.capture(std::move(glob));
        return;
    }
    for (const HookPoint point : hookPoints(spec))
        if (!isLargeCopy(spec, point))
            hooks.capture(point);
}

/// "input_ids", "token_type_ids" where the network knows segments, "logits" when there are any, and
/// what was captured in the order of the names.
std::vector<NamedArray> runArrays(const Run& run, const Prompt& prompt) {
    std::vector<NamedArray> arrays{namedArray("input_ids", run.ids)};
    if (!prompt.segments.empty())
        arrays.push_back(
            namedArray("token_type_ids", TokenIds(prompt.segments.begin(), prompt.segments.end())));
    if (!run.logits.empty())
        arrays.push_back(namedArray("logits", run.logits));
    std::map<std::string, const Tensor*> by_name;
    for (const auto& [point, value] : run.captured)
        by_name.emplace(hookName(run.model->spec, point), &value);
    for (const auto& [name, value] : by_name)
        arrays.push_back(namedArray(name, *value));
    return arrays;
}

/// The ablations and what --hooks named; hooks captured by default are left out.
std::vector<HookAudit> askedAudit(const Run& run, const RunOptions& options) {
    std::vector<HookAudit> asked;
    for (const HookAudit& hook : run.audit)
        if (hook.editor || !options.hooks.empty())
            asked.push_back(hook);
    return asked;
}

Result<void> finish(const Run& run, const Prompt& prompt, const HeadMask& mask,
                    const RunOptions& options) {
    const Provenance provenance = provenanceOf(*run.model, prompt, mask);
    if (!options.output.empty()) {
        auto written = writeArrays(options.output, *arrayFormatOf(options.output),
                                   runArrays(run, prompt), provenance);
        if (!written)
            return written;
    }
    const RunSummary summary =
        summarize(run, prompt, askedAudit(run, options), provenance.ablation);
    if (options.json) {
        printData(recordJson(summaryRecord(run, summary)));
        return {};
    }
    printSummary(std::cout, run, summary);
    if (!options.output.empty())
        printWritten(options.output);
    return {};
}

Result<void> runPrompt(const RunOptions& options) {
    if (!options.output.empty())
        if (auto checked = checkFolder(options.output); !checked)
            return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const ModelSpec& spec = (*model)->spec;
    const auto mask = readMask(options.ablation.heads, options.ablation.kind, spec);
    if (!mask)
        return mask.error();
    if (auto checked = checkHooks(options, **model); !checked)
        return checked;
    const auto prompt = readPrompt(**model, options.prompt);
    if (!prompt)
        return prompt.error();

    HookSet hooks;
    addAblation(hooks, *mask, spec); // first, so that captures see its effect
    if (!options.output.empty() || !options.hooks.empty())
        addCaptures(hooks, options.hooks, spec);
    Request request;
    request.logits = spec.output != OutputHead::None;
    const auto result = runModel(*model, prompt->ids, request, hooks);
    if (!result)
        return result.error();
    return finish(**result, *prompt, *mask, options);
}

} // namespace

Command runCommand(CLI::App& parent) {
    const auto options = std::make_shared<RunOptions>();
    CLI::App* app = parent.add_subcommand("run", "Run a prompt and write its activations");
    addModelOption(*app, options->model);
    addPromptOptions(*app, options->prompt);
    app->add_option("--hooks", options->hooks,
                    "The hooks to write, as TransformerLens names with * and ?, separated by "
                    "commas, and logits; by default those that TransformerLens caches by default");
    addAblationOptions(*app, options->ablation);
    app->add_option("-o,--output", options->output, "FILE.npz, .h5, .json or .csv")
        ->each([](const std::string& path) { requireArrayFormat(path); });
    app->add_flag("--json", options->json, "Print the summary as JSON");
    return {app, [options] { return runPrompt(*options); }};
}

} // namespace headscope::cli
