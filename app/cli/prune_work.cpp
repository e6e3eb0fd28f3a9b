#include "app/cli/prune_work.h"

#include "app/cli/command.h"
#include "app/cli/output_options.h"
#include "app/cli/prune_options.h"
#include "app/cli/terminal.h"
#include "core/base/text.h"
#include "core/export/convert_model.h"
#include "core/export/provenance.h"
#include "core/export/pruning_files.h"
#include "core/export/pruning_parts.h"
#include "core/pruning/gains.h"
#include "core/pruning/tables.h"
#include "core/pruning/verdict.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace headscope::cli {

namespace {

constexpr std::size_t kNameWidth = 15;

void printGain(const Gain& gain) {
    const std::string unit = gain.unit.empty() ? "" : " " + gain.unit;
    std::cout << gain.name + std::string(kNameWidth - gain.name.size(), ' ') << gain.before_text
              << " → " << gain.after_text << unit << " (" << gain.changeText() << ")\n";
}

void printGains(const std::shared_ptr<const Model>& whole, const SavedModel& saved,
                const PassageSet& test) {
    for (const Gain& gain : gains(costOf(*whole), costOf(*saved.model)))
        printGain(gain);
    if (const auto speed = speedGain(whole, saved.model, test))
        printGain(*speed);
}

/// The whole model's file may hold its numbers in fewer bytes than the smaller one's does.
void printPacking(const Model& whole, std::size_t bytes) {
    std::error_code failure;
    const auto whole_bytes = std::filesystem::file_size(whole.path, failure);
    if (failure || bytes <= whole_bytes || byteText(bytes) == byteText(whole_bytes))
        return;
    std::cout << "larger         than " << whole.path.filename().string() << ", "
              << byteText(whole_bytes)
              << (modelFormOf(whole.path) == ModelForm::Hdf5
                      ? ", whose numbers are packed\n"
                      : ", which holds each number in fewer bits\n");
}

} // namespace

namespace {

void printText(const std::string& what, const PassageSet& text) {
    std::cout << what << text.name << ": " << counted(text.documents, "document") << ", "
              << counted(text.passages.size(), "passage") << ", " << counted(text.tokens, "token")
              << '\n';
}

} // namespace

void printTexts(const PassageSet& calibration, const PassageSet& test) {
    printText("calibration  ", calibration);
    printText("test         ", test);
    std::cout << '\n';
}

void printTexts(const PruningTexts& texts) {
    for (const PruningDomain& domain : texts.domains) {
        printText("calibration  ", domain.calibration);
        printText("test         ", domain.test);
    }
    std::cout << '\n';
}

void printVerdict(const Verdict& verdict, const Provenance& provenance) {
    printShown(textsTable(verdict, provenance));
    printShown(verdictTable(verdict, provenance));
}

void printShown(const Table& table) {
    printTable(std::cout, table);
    std::cout << '\n';
}

HeadSet headsOfVerdict(const DomainResults& results, const Verdict& verdict) {
    const PruningResult& result = results.domains[verdict.nearest];
    const auto place = placeOfVerdict(result, verdict.headline());
    if (!place)
        return {};
    const PruningCurve& curve = result.curves[place->curve];
    return PruningResult::removedAt(curve, curve.points[place->point].units);
}

Result<void> saveAndReport(const std::shared_ptr<const Model>& model, const Cut& cut,
                           const std::filesystem::path& output, const PassageSet& test,
                           const Recipe& recipe) {
    const auto saved = [&] {
        const ProgressLine line;
        return saveWithRecipe(model, cut, output, test, recipe, line.progress());
    }();
    if (!saved)
        return saved.error();
    std::cout << "wrote " << output.string() << ", " << byteText(saved->bytes) << " (predicted "
              << byteText(saved->predicted_bytes) << "), and " << recipePathBeside(output).string()
              << '\n'
              << "removed        " << cut.removed.size() << " of " << model->spec.allHeads().size()
              << " heads\n"
              << "difference     " << numberText(saved->difference)
              << " of the largest logit from the masked model, after it was read back\n";
    printPacking(*model, saved->bytes);
    if (!saved->loader_reason.empty())
        std::cout << saved->loader_reason
                  << ": with transformers, open it by the load_model.py inside.\n";
    if (!saved->note.empty())
        std::cout << saved->note << '\n';
    printGains(model, *saved, test);
    return {};
}

namespace {

class PruneWork : public Work {
public:
    void addQuestion(CLI::App& app) override { addCurveQuestion(app, options_); }

    std::vector<std::string> files() const override {
        std::vector<std::string> files = listFiles(options_.orders);
        for (const std::string& file : {options_.words.calibrate, options_.words.test})
            if (!file.empty())
                files.push_back(file);
        return files;
    }

    Result<WorkQuestion> prepare(std::shared_ptr<const Model> model) override {
        model_ = std::move(model);
        auto question = readCurveQuestion(options_, model_->spec);
        if (!question)
            return question.error();
        question_ = *std::move(question);
        auto texts = readPruningTexts(model_, options_.words);
        if (!texts)
            return texts.error();
        texts_ = *std::move(texts);
        for (const PruningDomain& domain : texts_.domains)
            if (auto apart = checkApart(domain.calibration, domain.test); !apart)
                return apart.error();
        const std::size_t units = pruningUnits(model_->spec, question_.unit).size();
        WorkQuestion asked{curveQuestionText(*model_, texts_, options_.words), {}};
        for (const PruningDomain& domain : texts_.domains)
            for (const OrderSpec& order : question_.orders)
                asked.units.push_back(
                    {texts_.domains.size() == 1 ? order.name() : domain.name + " " + order.name(),
                     question_.points +
                         static_cast<std::uint64_t>(std::llround(rankingCost(order.kind, units)))});
        found_.resize(texts_.domains.size());
        return asked;
    }

    Result<std::string> run(std::size_t unit, const Progress& progress) override {
        const PruningDomain& domain = texts_.domains[domainOf(unit)];
        PruningQuestion one = question_;
        one.orders = {orderOf(unit)};
        const auto measured =
            pruneAndMeasure(model_, domain.calibration, domain.test, one, {}, progress);
        if (!measured)
            return measured.error();
        return measuredOrderText({measured->whole, measured->control, measured->curves.front()});
    }

    void addOutput(CLI::App& app) override {
        app.add_option("-o,--output", output_, "Write the curves, FILE.json, FILE.csv or FILE.h5")
            ->required();
        app.final_callback([this] { checkCurveOutput(output_); });
    }
    Result<void> checkOutput() const override { return checkFolder(output_); }

    bool take(std::size_t unit, const WorkPart& part) override {
        auto measured = readMeasuredOrder(part.content, model_->spec);
        if (!measured || measured->curve.order.spec != orderOf(unit))
            return false;
        Found& found = found_[domainOf(unit)];
        if (unit % question_.orders.size() == 0) {
            found.whole = measured->whole;
            found.control = measured->control;
        }
        for (CurvePoint& point : measured->curve.points)
            found.parts.points.push_back({measured->curve.order.spec.name(), std::move(point)});
        found.parts.orders.push_back(std::move(measured->curve.order));
        return true;
    }

    Result<void> deliver(const std::vector<std::string>& machines) override {
        DomainResults results{{}, texts_.own_loss};
        for (std::size_t i = 0; i < found_.size(); ++i) {
            auto result = pruningFromParts(*model_, texts_.domains[i].test, question_,
                                           found_[i].whole, found_[i].control, found_[i].parts);
            if (!result)
                return result.error();
            result->text = texts_.domains[i].name;
            results.domains.push_back(*std::move(result));
        }
        const Verdict verdict = verdictOf(results, question_.tolerance);
        const Provenance provenance = provenanceOf(*model_);
        Table table = pruningTable(results, verdict, *model_, texts_, provenance);
        addMachines(table, machines);
        if (auto written = writePruningCurves(output_, table, results); !written)
            return written;
        std::cout << "wrote " << output_ << "\n\n";
        printTexts(texts_);
        printVerdict(verdict, provenance);
        printShown(headsLeftTable(headsOfVerdict(results, verdict), *model_, provenance));
        return {};
    }

private:
    /// What the parts of one text hold.
    struct Found {
        CurvePoint whole;
        std::optional<CurvePoint> control;
        PruningParts parts;
    };

    // Units go text by text, and in each order by order.
    std::size_t domainOf(std::size_t unit) const { return unit / question_.orders.size(); }
    const OrderSpec& orderOf(std::size_t unit) const {
        return question_.orders[unit % question_.orders.size()];
    }

    PruneOptions options_;
    std::string output_;
    std::shared_ptr<const Model> model_;
    PruningQuestion question_;
    PruningTexts texts_;
    std::vector<Found> found_; ///< as the texts
};

} // namespace

std::unique_ptr<Work> makePruneWork() {
    return std::make_unique<PruneWork>();
}

} // namespace headscope::cli
