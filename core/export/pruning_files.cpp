#include "core/export/pruning_files.h"

#include "core/base/text.h"
#include "core/export/named_array.h"
#include "core/export/table_files.h"
#include "core/io/atomic_file.h"

#include <span>
#include <string>
#include <vector>

namespace headscope {

namespace {

/// "curves.random_3.loss", with the text "curves.stories.random_3.loss"
NamedArray curveArray(const std::string& text, const std::string& order, const std::string& key,
                      const std::vector<float>& values) {
    return {"curves." + text + replaceAll(replaceAll(order, ":", "_"), ".", "_") + "." + key,
            {values.size()},
            values};
}

void addCurveArrays(const std::string& text, const PruningResult& result,
                    std::vector<NamedArray>& arrays) {
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
        arrays.push_back(curveArray(text, order, "removed", heads));
        arrays.push_back(curveArray(text, order, "loss", loss));
        arrays.push_back(curveArray(text, order, "kl", divergence));
        arrays.push_back(curveArray(text, order, "agreement", agreement));
        for (const ChoiceReading& task : result.whole.choices) {
            std::vector<float> right;
            for (const CurvePoint& point : points)
                right.push_back(static_cast<float>(point.choice(task.kind)->right));
            arrays.push_back(curveArray(text, order, std::string(choiceTaskKey(task.kind)), right));
        }
    };
    add("whole", {&result.whole, 1});
    if (result.control)
        add("fitted", {&*result.control, 1});
    for (const PruningCurve& curve : result.curves)
        add(curve.order.spec.name(), curve.points);
}

std::vector<NamedArray> curveArrays(const DomainResults& results) {
    std::vector<NamedArray> arrays;
    for (const PruningResult& result : results.domains)
        addCurveArrays(results.domains.size() == 1 ? "" : result.text + ".", result, arrays);
    return arrays;
}

} // namespace

Result<void> writePruningCurves(const std::filesystem::path& path, const Table& table,
                                const DomainResults& results) {
    const auto format = arrayFormatOf(path);
    if (format != ArrayFormat::Hdf5)
        return writeTable(path, table);
    return writeArrays(path, *format, curveArrays(results), table.provenance);
}

std::filesystem::path recipePathBeside(const std::filesystem::path& model) {
    std::filesystem::path beside = model;
    return beside.replace_extension(".recipe.json");
}

Result<void> writeRecipe(const std::filesystem::path& path, const Recipe& recipe) {
    return writeFileAtomically(path, recordJson(recipeRecord(recipe)));
}

Result<SavedModel> saveWithRecipe(const std::shared_ptr<const Model>& model, const Cut& cut,
                                  const std::filesystem::path& output, const PassageSet& check_on,
                                  const Recipe& recipe, const Progress& progress,
                                  const std::stop_token& stop) {
    std::vector<TokenIds> prompts;
    for (const Passage& passage : check_on.passages)
        prompts.push_back(passage.ids);
    auto saved = saveSmallerModel(model, cut, output, prompts, progress, stop);
    if (!saved)
        return saved;
    if (auto written = writeRecipe(recipePathBeside(output), recipe); !written)
        return written.error();
    return saved;
}

} // namespace headscope
