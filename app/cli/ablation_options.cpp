#include "app/cli/ablation_options.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

void addAblationOptions(CLI::App& app, AblationOptions& options, const std::string& kind_names) {
    app.add_option("--ablate", options.heads, "The heads to ablate: 4.1,4.2");
    app.add_option(kind_names, options.kind,
                   "What replaces the output of ablated heads: zero or mean")
        ->check(CLI::IsMember({"zero", "mean"}))
        ->capture_default_str();
}

Result<HeadMask> readMask(const AblationOptions& options, const ModelSpec& spec) {
    return parseHeadMask(options.heads, spec,
                         options.kind == "mean" ? AblationKind::Mean : AblationKind::Zero);
}

} // namespace headscope::cli
