#include "app/cli/model_option.h"

#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "core/loading/load_model.h"

namespace headscope::cli {

CLI::Option* addModelOption(CLI::App& app, ModelChoice& choice) {
    app.add_flag("--flip-square", choice.load.flip_square_matrices,
                 "Read square weight matrices transposed, compared with what 'info' says");
    app.add_flag(
        "--transpose-heads", choice.load.transpose_heads,
        "Read the matrices of single heads as [head, d_head, d_model] (old TransformerLens "
        "files), where d_head is d_model and no shape tells it");
    return app
        .add_option("MODEL", choice.path,
                    "Weight file (.h5, .safetensors, .gguf, .keras), index of shards, or folder")
        ->required();
}

void requireModel(const CLI::App& app, const ModelChoice& choice) {
    if (choice.path.empty() && app.get_subcommands().empty())
        refuseUsage("MODEL is required.");
}

Result<std::shared_ptr<const Model>> openModel(const ModelChoice& choice) {
    const ProgressLine line;
    return loadModel(choice.path, choice.load, line.progress());
}

} // namespace headscope::cli
