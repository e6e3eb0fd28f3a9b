#include "ui/document/pruning_texts.h"

#include <utility>

namespace headscope::ui {

Result<PruningTexts> readPruningTexts(const Model& model, const PruningTextQuestion& question) {
    PassageOptions options =
        withinContext({question.length, question.calibration_tokens, question.seed}, model);
    auto calibration = readPassages(model, question.calibration, options);
    if (!calibration)
        return calibration.error();
    PruningTexts texts{*std::move(calibration), {}, options};
    options.most_tokens = question.test_tokens;
    auto test = readPassages(model, question.test, options);
    if (!test)
        return test.error();
    texts.test = *std::move(test);
    if (auto apart = checkApart(texts.calibration, texts.test); !apart)
        return apart.error();
    return texts;
}

} // namespace headscope::ui
