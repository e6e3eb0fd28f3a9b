#include "app/cli/command.h"
#include "app/cli/model_option.h"
#include "app/cli/terminal.h"
#include "app/cli/verify_work.h"
#include "app/cli/work_command.h"
#include "core/verify/verify.h"

#include <memory>

namespace headscope::cli {

namespace {

struct VerifyChoice {
    ModelChoice model;
    std::string reference;
    bool json = false;
};

Result<VerifyReport> verifyAsChosen(const VerifyChoice& options) {
    VerifyOptions chosen;
    chosen.date = reportDate();
    chosen.alone = true;
    if (!options.reference.empty())
        chosen.reference = options.reference;
    if (!options.model.path.empty()) {
        auto model = openModel(options.model);
        if (!model)
            return model.error();
        chosen.model = *std::move(model);
    }
    const ProgressLine line;
    return verify(chosen, line.progress());
}

Result<void> runVerify(const VerifyChoice& options) {
    const auto report = verifyAsChosen(options);
    if (!report)
        return report.error();
    return deliverReport(*report, options.json, {});
}

} // namespace

Command verifyCommand(CLI::App& parent) {
    const auto options = std::make_shared<VerifyChoice>();
    CLI::App* app = parent.add_subcommand(
        "verify", "Check the program on models whose scores are known, or check your own model");
    addModelOption(*app, options->model)->required(false);
    app->add_option(
        "--reference", options->reference,
        "File with outputs of the model as another program stored them (.h5, .safetensors)");
    app->add_flag("--json", options->json, "Print JSON");
    app->final_callback([options] {
        if (!options->reference.empty() && options->model.path.empty())
            refuseUsage("--reference needs the MODEL whose outputs it holds.");
    });
    return withWork({app, [options] { return runVerify(*options); }}, makeVerifyWork);
}

} // namespace headscope::cli
