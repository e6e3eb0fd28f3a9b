#include "app/cli/prune_outputs.h"

#include "app/cli/terminal.h"
#include "app/cli/text_table.h"
#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/export/named_array.h"
#include "core/export/save_smaller_model.h"
#include "core/export/table_files.h"
#include "core/io/atomic_file.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>

namespace headscope::cli {

namespace {

constexpr std::size_t kCheckedPassages = 16;
constexpr std::size_t kKeyValueBytes = 2; ///< of a number in the usual KV cache, float16

/// "curves.random_3.loss"
NamedArray curveArray(const std::string& order, const std::string& key,
                      const std::vector<float>& values) {
    return {"curves." + replaceAll(replaceAll(order, ":", "_"), ".", "_") + "." + key,
            {values.size()},
            values};
}

std::vector<NamedArray> curveArrays(const PruningResult& result) {
    std::vector<NamedArray> arrays;
    const auto add = [&](const std::string& order, std::span<const CurvePoint> points) {
        std::vector<float> heads;
        std::vector<float> loss;
        std::vector<float> divergence;
        std::vector<float> agreement;
        for (const CurvePoint& point : points) {
            const MeanReading mean = meanOf(result, point.sums);
            heads.push_back(static_cast<float>(point.heads));
            loss.push_back(static_cast<float>(mean.loss));
            divergence.push_back(static_cast<float>(mean.divergence));
            agreement.push_back(static_cast<float>(mean.agreement));
        }
        arrays.push_back(curveArray(order, "removed", heads));
        arrays.push_back(curveArray(order, "loss", loss));
        arrays.push_back(curveArray(order, "kl", divergence));
        arrays.push_back(curveArray(order, "agreement", agreement));
    };
    const CurvePoint whole{0, 0, result.whole};
    add("whole", {&whole, 1});
    for (const PruningCurve& curve : result.curves)
        add(curve.order.spec.name(), curve.points);
    return arrays;
}

/// Tokens a second of one run over some passages, the best of three.
double tokensPerSecond(const std::shared_ptr<const Model>& model, const PassageSet& text) {
    std::vector<RunItem> items;
    std::size_t tokens = 0;
    for (const Passage& passage : text.passages) {
        if (items.size() == kCheckedPassages)
            break;
        tokens += passage.ids.size();
        items.emplace_back().ids = passage.ids;
    }
    Request request;
    request.keep_attention = false;
    double best = 0.0;
    for (int repeat = 0; repeat < 3; ++repeat) {
        const auto start = std::chrono::steady_clock::now();
        if (!runBatch(model, items, request))
            return 0.0;
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        best = std::max(best, static_cast<double>(tokens) / seconds);
    }
    return best;
}

std::string changeText(const std::string& what, double before, double after,
                       const std::string& shown_before, const std::string& shown_after) {
    return what + shown_before + " → " + shown_after + " (" +
           fixedText(100.0 * (after / before - 1.0), 1) + " %)\n";
}

void printGains(const std::shared_ptr<const Model>& whole, const SavedModel& saved,
                const PassageSet& test) {
    const ModelCost before = costOf(*whole);
    const ModelCost after = costOf(*saved.model);
    const auto number = [](std::size_t value) { return static_cast<double>(value); };
    std::cout << changeText("parameters     ", number(before.parameters), number(after.parameters),
                            std::to_string(before.parameters), std::to_string(after.parameters))
              << changeText("KV cache       ", number(before.kv_per_token),
                            number(after.kv_per_token),
                            byteText(kKeyValueBytes * before.kv_per_token),
                            byteText(kKeyValueBytes * after.kv_per_token) + " per token")
              << changeText("operations     ", before.flops_per_token, after.flops_per_token,
                            fixedText(before.flops_per_token / 1e6, 2) + " M",
                            fixedText(after.flops_per_token / 1e6, 2) + " M per token");
    const double slow = tokensPerSecond(whole, test);
    const double fast = tokensPerSecond(saved.model, test);
    std::cout << changeText("speed here     ", slow, fast, fixedText(slow, 0),
                            fixedText(fast, 0) + " tokens a second");
}

} // namespace

Result<void> writeCurves(const std::filesystem::path& path, const Table& table,
                         const PruningResult& result) {
    const auto format = arrayFormatOf(path);
    if (format != ArrayFormat::Hdf5)
        return writeTable(path, table);
    return writeArrays(path, *format, curveArrays(result), table.provenance);
}

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

Result<void> saveAndReport(const std::shared_ptr<const Model>& model, const Cut& cut,
                           const std::filesystem::path& output, const PassageSet& test,
                           const Recipe& recipe) {
    std::vector<TokenIds> check_on;
    for (const Passage& passage : test.passages)
        check_on.push_back(passage.ids);
    const auto saved = [&] {
        const ProgressLine line;
        return saveSmallerModel(model, cut, output, check_on, line.progress());
    }();
    if (!saved)
        return saved.error();
    std::filesystem::path beside = output;
    beside.replace_extension(".recipe.json");
    if (auto written = writeFileAtomically(beside, recordJson(recipeRecord(recipe))); !written)
        return written;
    std::cout << "wrote " << output.string() << ", " << byteText(saved->bytes) << " (predicted "
              << byteText(saved->predicted_bytes) << "), and " << beside.string() << '\n'
              << "removed        " << cut.removed.size() << " of " << model->spec.allHeads().size()
              << " heads\n"
              << "difference     " << numberText(saved->difference)
              << " of the largest logit from the masked model, after it was read back\n";
    if (!saved->tokenizer_note.empty())
        std::cout << saved->tokenizer_note << '\n';
    printGains(model, *saved, test);
    return {};
}

} // namespace headscope::cli
