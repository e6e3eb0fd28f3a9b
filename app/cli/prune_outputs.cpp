#include "app/cli/prune_outputs.h"

#include "app/cli/terminal.h"
#include "app/cli/text_table.h"
#include "core/base/text.h"
#include "core/export/pruning_files.h"
#include "core/pruning/gains.h"

#include <iostream>
#include <string>

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
    printGain(speedGain(whole, saved.model, test));
}

} // namespace

void printTexts(const PassageSet& calibration, const PassageSet& test) {
    const auto line = [](const std::string& what, const PassageSet& text) {
        std::cout << what << text.name << ": " << counted(text.documents, "document") << ", "
                  << counted(text.passages.size(), "passage") << ", "
                  << counted(text.tokens, "token") << '\n';
    };
    line("calibration  ", calibration);
    line("test         ", test);
    std::cout << '\n';
}

void printShown(const Table& table) {
    printTable(std::cout, table);
    std::cout << '\n';
}

HeadSet headsOfVerdict(const PruningResult& result, const Verdict& verdict) {
    const auto place = placeOfVerdict(result, verdict);
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
    if (saved->needs_loader)
        std::cout << "Its layers differ in heads: with transformers, open it by the load_model.py "
                     "inside.\n";
    if (!saved->tokenizer_note.empty())
        std::cout << saved->tokenizer_note << '\n';
    printGains(model, *saved, test);
    return {};
}

} // namespace headscope::cli
