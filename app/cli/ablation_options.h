#pragma once

#include "core/base/result.h"
#include "core/engine/head_mask.h"
#include "core/model/model_spec.h"

#include <string>

namespace CLI {
class App;
}

namespace headscope::cli {

/// Heads that are ablated while prompts run.
struct AblationOptions {
    std::string heads; ///< "4.1,4.2"
    std::string kind = "zero";
};

/// --ablate and --ablation; `kind_names` may give the latter a former name, too.
void addAblationOptions(CLI::App& app, AblationOptions& options,
                        const std::string& kind_names = "--ablation");

/// Fails for heads that this network does not have.
Result<HeadMask> readMask(const AblationOptions& options, const ModelSpec& spec);

} // namespace headscope::cli
