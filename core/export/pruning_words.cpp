#include "core/export/pruning_words.h"

#include "core/base/text.h"
#include "core/datasets/bundled.h"
#include "core/engine/head_mask.h"
#include "core/io/atomic_file.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kLargestList = 1'000'000;    ///< bytes
constexpr std::size_t kLargestRecipe = 10'000'000; ///< bytes
constexpr std::size_t kMostSeeds = 1000;

Error refused(std::string sentence) {
    return {ErrorCode::InvalidArgument, std::move(sentence)};
}

Result<OrderSpec> readList(const std::string& path, const ModelSpec& spec) {
    const auto text = readTextFile(path, kLargestList);
    if (!text)
        return text.error();
    return ownListOrder(*text, std::filesystem::path(path).filename().string(), spec);
}

Result<PassageSet> readTextSet(const Model& model, const std::filesystem::path& path,
                               const NamedText& bundled, const PassageOptions& passages) {
    if (path.empty())
        return readPassages(model, bundled, passages);
    const auto text = readTextFile(path, kLargestText);
    if (!text)
        return text.error();
    return readPassages(model, *text, path.filename().string(), passages);
}

template <class T>
Result<T> named(std::optional<T> found, const std::string& name, const std::string& known) {
    if (!found)
        return refused("\"" + name + "\" is none of " + known + ".");
    return *found;
}

Result<std::vector<ChoiceTaskKind>> readTasks(const std::vector<std::string>& names) {
    std::vector<std::string> keys;
    std::vector<ChoiceTaskKind> tasks;
    for (const ChoiceTaskKind kind : choiceTaskKinds()) {
        keys.emplace_back(choiceTaskKey(kind));
        if (std::ranges::find(names, keys.back()) != names.end())
            tasks.push_back(kind);
    }
    keys.emplace_back("none");
    for (const std::string& name : names)
        if (std::ranges::find(keys, name) == keys.end())
            return refused("\"" + name + "\" is no task; use some of " + join(keys, ", ") + ".");
    return tasks;
}

/// The orders of one part of a list, such as "random:10".
Result<std::vector<OrderSpec>> readOrder(const std::string& part, std::uint64_t seed,
                                         const ModelSpec& spec) {
    const std::size_t colon = part.find(':');
    const std::string rest = colon == std::string::npos ? "" : part.substr(colon + 1);
    const auto kind = orderKindNamed(part.substr(0, colon));
    const bool takes_rest = kind == OrderKind::Random || kind == OrderKind::OwnList;
    if (!kind || (!rest.empty() && !takes_rest))
        return refused("\"" + part + "\" is no order; use some of " + orderNames() + ".");
    if (kind == OrderKind::OwnList) {
        auto list = readList(rest, spec);
        if (!list)
            return list.error();
        return std::vector<OrderSpec>{*std::move(list)};
    }
    const auto count = rest.empty() ? 1 : parseNumber<std::size_t>(rest).value_or(0);
    if (count == 0 || count > kMostSeeds)
        return refused("\"" + part + "\" asks for no number of random orders from 1 to " +
                       std::to_string(kMostSeeds) + ".");
    std::vector<OrderSpec> orders;
    for (std::size_t i = 0; i < count; ++i)
        orders.push_back({*kind, seed + i});
    return orders;
}

Result<Recipe> readRecipeFile(const std::filesystem::path& path) {
    const auto text = readTextFile(path, kLargestRecipe);
    if (!text)
        return text.error();
    return readRecipe(*text, path.string());
}

} // namespace

std::string orderNames() {
    std::vector<std::string> names;
    for (const OrderKind kind : orderKinds())
        names.emplace_back(orderKindName(kind));
    return join(names, ", ");
}

Result<std::vector<OrderSpec>> readOrders(const std::string& text, std::uint64_t seed,
                                          const ModelSpec& spec) {
    std::vector<OrderSpec> orders;
    for (const std::string& part : split(text, ',')) {
        auto some = readOrder(part, seed, spec);
        if (!some)
            return some.error();
        std::ranges::move(*some, std::back_inserter(orders));
    }
    return orders;
}

Result<PruningQuestion> readPruningQuestion(const PruningWords& words, const ModelSpec& spec) {
    auto locked = parseHeads(words.protect, spec);
    if (!locked)
        return locked.error();
    const auto unit = named(pruningUnitNamed(words.unit), words.unit, "head, group and layer");
    if (!unit)
        return unit.error();
    const auto replacement =
        named(replacementNamed(words.ablation), words.ablation, "zero, mean and resample");
    if (!replacement)
        return replacement.error();
    const auto compensation = named(compensationNamed(words.compensate), words.compensate,
                                    "none, bias, ridge and rotation");
    if (!compensation)
        return compensation.error();
    auto tasks = readTasks(words.tasks);
    if (!tasks)
        return tasks.error();
    PruningQuestion question;
    question.unit = *unit;
    question.limits = {words.least, *std::move(locked)};
    question.replacement = *replacement;
    question.compensation = *compensation;
    question.points = words.points;
    question.tolerance = words.tolerance / 100.0;
    question.tasks = *std::move(tasks);
    return question;
}

Result<double> readShare(const std::string& text, const ModelSpec& spec) {
    const bool percent = text.ends_with('%');
    const std::string digits = percent ? text.substr(0, text.size() - 1) : text;
    double value = 0.0;
    const auto [end, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const auto heads = static_cast<double>(spec.allHeads().size());
    const double share = percent ? value / 100.0 : value / heads;
    if (failure != std::errc() || end != digits.data() + digits.size() || !(share > 0.0) ||
        share > 1.0)
        return refused("\"" + text +
                       "\" is no share of the heads; write 30% or a number from 1 to " +
                       std::to_string(spec.allHeads().size()) + ".");
    return share;
}

PassageOptions calibrationOptions(const PruningWords& words, const Model& model) {
    return withinContext({words.length, words.calibrate_tokens, words.seed}, model);
}

namespace {

PassageOptions testOptions(const PruningWords& words, const Model& model) {
    PassageOptions passages = calibrationOptions(words, model);
    passages.most_tokens = words.test_tokens;
    return passages;
}

bool namesFiles(const PruningWords& words) {
    return !words.calibrate.empty() || !words.test.empty();
}

Result<void> checkTexts(const PruningWords& words) {
    if (namesFiles(words) && !words.domains.empty())
        return refused("Texts are given as files or by the names of bundled ones, not both.");
    return {};
}

} // namespace

Result<PruningPassages> readPruningPassages(const std::shared_ptr<const Model>& model,
                                            const PruningWords& words,
                                            const std::stop_token& stop) {
    if (auto good = checkTexts(words); !good)
        return good.error();
    const PassageOptions passages = calibrationOptions(words, *model);
    if (words.domains.size() > 1)
        return refused("One text is read here; name one of them.");
    if (words.domains.size() == 1) {
        auto texts = pruningDomains(
            model, {words.domains, passages, testOptions(words, *model), false}, {}, stop);
        if (!texts)
            return texts.error();
        PruningDomain& domain = texts->domains.front();
        return PruningPassages{std::move(domain.calibration), std::move(domain.test)};
    }
    auto calibration = readTextSet(*model, words.calibrate, bundledCalibration(), passages);
    if (!calibration)
        return calibration.error();
    auto test = readTextSet(*model, words.test, bundledTest(), testOptions(words, *model));
    if (!test)
        return test.error();
    return PruningPassages{*std::move(calibration), *std::move(test)};
}

Result<PruningTexts> readPruningTexts(const std::shared_ptr<const Model>& model,
                                      const PruningWords& words, const Progress& progress,
                                      const std::stop_token& stop) {
    if (auto good = checkTexts(words); !good)
        return good.error();
    const PassageOptions passages = calibrationOptions(words, *model);
    if (!namesFiles(words))
        return pruningDomains(model, {words.domains, passages, testOptions(words, *model)},
                              progress, stop);
    auto texts = readPruningPassages(model, words, stop);
    if (!texts)
        return texts.error();
    return pruningTextsOf(model, std::move(texts->calibration), std::move(texts->test), passages,
                          progress, stop);
}

Result<CutByRecipe> cutByOrder(const std::shared_ptr<const Model>& model, const PruningWords& words,
                               const std::string& order, const std::string& remove,
                               const Progress& progress, const std::stop_token& stop) {
    auto question = readPruningQuestion(words, model->spec);
    if (!question)
        return question.error();
    auto orders = readOrders(order, words.seed, model->spec);
    if (!orders)
        return orders.error();
    question->orders = *std::move(orders);
    const auto share = readShare(remove, model->spec);
    if (!share)
        return share.error();
    const auto texts = readPruningPassages(model, words, stop);
    if (!texts)
        return texts.error();
    const PassageSet& calibration = texts->calibration;
    auto chosen = chooseCut(model, calibration, *question, *share, progress, stop);
    if (!chosen)
        return chosen.error();
    Recipe recipe =
        recipeFor(*model, chosen->cut.removed, chosen->order.spec.name(), question->compensation,
                  calibration, calibrationOptions(words, *model));
    return CutByRecipe{std::move(chosen->cut), std::move(recipe)};
}

namespace {

/// The text that a recipe names, unless the user gives a file.
Result<PassageSet> calibrationOf(const std::shared_ptr<const Model>& model, const Recipe& recipe,
                                 const PruningWords& words, const std::stop_token& stop) {
    if (words.calibrate.empty()) {
        auto named = calibrationNamed(model, recipe.calibration_name, recipe.passages, stop);
        if (!named)
            return named.error();
        if (*named)
            return **std::move(named);
    }
    return readTextSet(*model, words.calibrate, bundledCalibration(), recipe.passages);
}

} // namespace

Result<CutByRecipe> cutByRecipe(const std::shared_ptr<const Model>& model,
                                const PruningWords& words, const std::filesystem::path& path,
                                const Progress& progress, const std::stop_token& stop) {
    auto recipe = readRecipeFile(path);
    if (!recipe)
        return recipe.error();
    const auto heads = recipeHeads(*recipe, *model);
    if (!heads)
        return heads.error();
    const auto calibration = calibrationOf(model, *recipe, words, stop);
    if (!calibration)
        return calibration.error();
    if (auto same = checkCalibration(*recipe, *calibration); !same)
        return same.error();
    auto cut = compensatedCut(model, *calibration, *heads, recipe->compensation, progress, stop);
    if (!cut)
        return cut.error();
    return CutByRecipe{*std::move(cut), *std::move(recipe)};
}

} // namespace headscope
