#include "app/cli/command.h"
#include "app/cli/model_option.h"
#include "app/cli/terminal.h"
#include "core/export/verify_report.h"
#include "core/verify/verify.h"

#include <array>
#include <ctime>
#include <iostream>
#include <memory>

namespace headscope::cli {

namespace {

struct VerifyChoice {
    ModelChoice model;
    std::string reference;
    bool json = false;
};

/// "2026-01-31T12:00:00Z"
std::string now() {
    const std::time_t seconds = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    std::array<char, 32> text;
    const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return {text.data(), size};
}

Result<VerifyReport> verifyAsChosen(const VerifyChoice& options) {
    VerifyOptions chosen;
    chosen.date = now();
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
    if (options.json)
        printData(verifyJson(*report));
    else
        std::cout << verifyText(*report);
    if (report->passed())
        return {};
    const std::size_t failed = report->count(Check::Failed);
    return Error{ErrorCode::Mismatch,
                 std::to_string(failed) + (failed == 1 ? " check" : " checks") + " failed."};
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
    return {app, [options] { return runVerify(*options); }};
}

} // namespace headscope::cli
