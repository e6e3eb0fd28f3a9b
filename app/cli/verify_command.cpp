
#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/terminal.h"
#include "app/cli/work.h"
#include "core/base/text.h"
#include "core/export/part_texts.h"
#include "core/export/verify_report.h"
#include "core/io/atomic_file.h"
#include "core/verify/report.h"
#include "core/verify/verify.h"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace headscope::cli {

namespace {

/// "2026-01-31T12:00:00Z": now, or what SOURCE_DATE_EPOCH says, so that reports can be compared.
std::string reportDate() {
    std::time_t seconds = std::time(nullptr);
    if (const char* const said = std::getenv("SOURCE_DATE_EPOCH"))
        seconds = parseNumber<std::time_t>(said).value_or(seconds);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    std::array<char, 32> text;
    const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return {text.data(), size};
}

/// Prints the report or, where `output` is not empty, writes it: JSON for FILE.json, else text.
/// Fails where a check did, and where something speaks against the model.
Result<void> deliverReport(const VerifyReport& report, bool json, const std::string& output) {
    const bool as_json = json || std::filesystem::path(output).extension() == ".json";
    const std::string text = as_json ? verifyJson(report) : verifyText(report);
    if (!output.empty()) {
        if (auto written = writeFileAtomically(output, text); !written)
            return written;
        std::cout << "wrote " << output << '\n';
    } else if (json) {
        printData(text);
    } else {
        std::cout << text;
    }
    if (report.passed())
        return {};
    if (const std::size_t failed = report.count(Check::Failed); failed != 0)
        return Error{ErrorCode::Mismatch, counted(failed, "check") + " failed."};
    return Error{ErrorCode::Mismatch, "The model is not verified: " +
                                          counted(report.count(Check::NotVerified), "check") +
                                          " found that it may not be what its file says."};
}

class VerifyWork : public Work {
public:
    bool needsModel() const override { return false; }

    void addQuestion(CLI::App& app) override {
        app.add_option("--reference", reference_,
                       "File with outputs of the model as another program stored them (.h5, "
                       ".safetensors)")
            ->check(CLI::ExistingFile);
    }

    std::vector<std::string> files() const override {
        return reference_.empty() ? std::vector<std::string>() : std::vector{reference_};
    }

    Result<WorkQuestion> prepare(std::shared_ptr<const Model> model) override {
        if (!reference_.empty() && !model)
            return Error{ErrorCode::InvalidArgument,
                         "--reference needs the MODEL whose outputs it holds."};
        options_.model = std::move(model);
        options_.alone = true;
        if (!reference_.empty())
            options_.reference = reference_;
        WorkQuestion question;
        if (options_.model)
            question.text = options_.model->sha256 + " " + join(options_.model->report.notes, " ");
        for (std::string& name : verifySections(options_))
            question.units.push_back({std::move(name)});
        return question;
    }

    Result<std::string> run(std::size_t unit, const Progress& progress) override {
        VerifyReport report = emptyReport(options_);
        auto section = verifySection(options_, unit, progress);
        if (!section)
            return section.error();
        report.sections.push_back(*std::move(section));
        return sectionPartText(report);
    }

    void addOutput(CLI::App& app) override {
        app.add_flag("--json", json_, "Print JSON");
        app.add_option("-o,--output", output_,
                       "Write FILE.json, or text to any other FILE, instead of printing");
    }
    Result<void> checkOutput() const override {
        return output_.empty() ? Result<void>() : checkFolder(output_);
    }

    bool take(std::size_t unit, const WorkPart& part) override {
        auto read = readSectionPart(part.content);
        if (!read || read->sections.front().name != verifySections(options_)[unit])
            return false;
        parts_.push_back(*std::move(read));
        return true;
    }

    Result<void> deliver(const std::vector<std::string>& /*machines*/) override {
        options_.date = reportDate();
        VerifyReport report = emptyReport(options_);
        report.blas.clear();
        report.kernels.clear();
        for (VerifyReport& part : parts_) {
            addMachine(report.blas, part.blas);
            addMachine(report.kernels, part.kernels);
            report.threads = part.threads;
            report.sections.push_back(std::move(part.sections.front()));
        }
        return deliverReport(report, json_, output_);
    }

private:
    /// Each machine that took part, once.
    static void addMachine(std::string& machines, const std::string& machine) {
        if (machines.find(machine) == std::string::npos)
            machines += (machines.empty() ? "" : " and ") + machine;
    }

    std::string reference_;
    bool json_ = false;
    std::string output_;
    VerifyOptions options_;
    std::vector<VerifyReport> parts_;
};

/// A verification, each section a unit.
std::unique_ptr<Work> makeVerifyWork() {
    return std::make_unique<VerifyWork>();
}

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
           "File with outputs of the model as another program stored them (.h5, .safetensors)")
        ->type_name(kFileType);
    app->add_flag("--json", options->json, "Print JSON");
    app->final_callback([options] {
        if (!options->reference.empty() && options->model.path.empty())
            refuseUsage("--reference needs the MODEL whose outputs it holds.");
    });
    return withWork({app, [options] { return runVerify(*options); }}, makeVerifyWork);
}

} // namespace headscope::cli
