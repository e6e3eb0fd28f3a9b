#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "core/engine/engine.h"
#include "core/export/export_patterns.h"

#include <memory>

namespace headscope::cli {

namespace {

struct ExportOptions {
    ModelChoice model;
    PromptOptions prompt;
    PatternSelection selection;
    std::string output;
};

/// Fails for a layer or head that the model does not have.
Result<void> checkIndex(std::string_view what, std::optional<std::size_t> index, std::size_t count,
                        const Model& model) {
    if (!index || *index < count)
        return {};
    return Error{ErrorCode::InvalidArgument,
                 "There is no " + std::string(what) + " " + std::to_string(*index) + " in " +
                     model.name + "; choose 0 to " + std::to_string(count - 1) + "."};
}

/// Only the layers that the selection needs, and no logits.
Request requestFor(const PatternSelection& selection, const ModelSpec& spec) {
    Request request;
    request.logits = false;
    request.layers = selection.layer ? *selection.layer + 1 : spec.n_layers;
    return request;
}

Result<void> writePatterns(const std::shared_ptr<const Model>& model, const Prompt& prompt,
                           const ExportOptions& options) {
    const auto run = runModel(model, prompt.ids, requestFor(options.selection, model->spec));
    if (!run)
        return run.error();
    const std::vector<NamedArray> arrays = patternArrays(**run, options.selection);
    const auto written = writeArrays(options.output, *arrayFormatOf(options.output), arrays,
                                     provenanceOf(*model, prompt, {}));
    if (written)
        printWritten(options.output);
    return written;
}

Result<void> runExport(const ExportOptions& options) {
    if (const auto checked = checkFolder(options.output); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const ModelSpec& spec = (*model)->spec;
    if (const auto checked = checkIndex("layer", options.selection.layer, spec.n_layers, **model);
        !checked)
        return checked;
    if (const auto checked = checkIndex("head", options.selection.head, spec.n_heads, **model);
        !checked)
        return checked;
    if (options.selection.layer && options.selection.head)
        if (const auto exists =
                checkHead({*options.selection.layer, *options.selection.head}, spec);
            !exists)
            return exists;
    const auto prompt = readPrompt(**model, options.prompt);
    if (!prompt)
        return prompt.error();
    return writePatterns(*model, *prompt, options);
}

} // namespace

Command exportCommand(CLI::App& parent) {
    const auto options = std::make_shared<ExportOptions>();
    CLI::App* app = parent.add_subcommand("export", "Write attention patterns to a file");
    addModelOption(*app, options->model);
    addPromptOptions(*app, options->prompt);
    app->add_option("--layer", options->selection.layer, "Only this layer, from 0")
        ->check(CLI::NonNegativeNumber);
    app->add_option("--head", options->selection.head, "Only this head of the layer(s), from 0")
        ->check(CLI::NonNegativeNumber);
    app->add_option("-o,--output", options->output, "FILE.npz, .npy, .h5, .csv or .json")
        ->required()
        ->each([](const std::string& path) { requireArrayFormat(path); });
    return {app, [options] { return runExport(*options); }};
}

} // namespace headscope::cli
