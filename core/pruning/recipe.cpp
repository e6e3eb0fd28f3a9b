#include "core/pruning/recipe.h"

#include "core/io/sealed_json.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace headscope {

namespace {

constexpr std::string_view kFormat = "headscope-recipe";
constexpr std::uint64_t kVersion = 1;

std::optional<LayerHead> headNamedTwice(HeadSet heads) {
    std::ranges::sort(heads);
    const auto twice = std::ranges::adjacent_find(heads);
    return twice == heads.end() ? std::nullopt : std::optional(*twice);
}

std::string textOf(const JsonValue& value) {
    const std::string* const text = value.text();
    return text ? *text : "";
}

} // namespace

std::optional<HeadSet> headsFromJson(const JsonValue& list) {
    if (!list.isArray())
        return std::nullopt;
    HeadSet heads;
    for (const JsonValue& element : list.elements()) {
        const bool pair = element.isArray() && element.size() == 2;
        const auto layer = pair ? element.element(0).whole() : std::nullopt;
        const auto head = pair ? element.element(1).whole() : std::nullopt;
        if (!layer || !head)
            return std::nullopt;
        heads.push_back({*layer, *head});
    }
    return heads;
}

Recipe recipeFor(const Model& model, const HeadSet& removed, const std::string& order,
                 Compensation compensation, const PassageSet& calibration,
                 const PassageOptions& passages) {
    Recipe recipe;
    recipe.model_name = model.name;
    recipe.model_sha256 = model.sha256;
    recipe.order = order;
    recipe.heads = removed;
    recipe.compensation = compensation;
    recipe.calibration_name = calibration.name;
    recipe.calibration_hash = calibration.hash;
    recipe.passages = passages;
    return recipe;
}

Record recipeRecord(const Recipe& recipe) {
    List heads;
    for (const LayerHead head : recipe.heads)
        heads.emplace_back(List{head.layer, head.head});
    return {{"format", kFormat},
            {"version", kVersion},
            {"model", Record{{"name", recipe.model_name}, {"sha256", recipe.model_sha256}}},
            {"order", recipe.order},
            {"heads", std::move(heads)},
            {"compensation", compensationName(recipe.compensation)},
            {"calibration", Record{{"name", recipe.calibration_name},
                                   {"hash", recipe.calibration_hash},
                                   {"length", recipe.passages.length},
                                   {"tokens", recipe.passages.most_tokens},
                                   {"seed", recipe.passages.seed}}}};
}

Result<Recipe> readRecipe(std::string_view text, const std::string& source) {
    constexpr JsonLimits kLimits{8, 1'000'000, true};
    const auto document = readForeignJson(text, kLimits);
    if (!document)
        return aboutText(document.error(), source, "give the recipe beside a smaller model");
    const JsonValue root = document->root();
    const auto heads = headsFromJson(root.member("heads"));
    const auto compensation = compensationNamed(textOf(root.member("compensation")));
    const auto version = root.member("version").whole();
    const bool is_recipe = textOf(root.member("format")) == kFormat;
    if (is_recipe && version && *version > kVersion)
        return Error{ErrorCode::Unsupported,
                     source + " was written by a later version of Headscope (recipe version " +
                         std::to_string(*version) + "); use it with that one."};
    if (!is_recipe || !version || *version == 0 || !heads || !compensation)
        return Error{ErrorCode::Malformed,
                     source +
                         " is no recipe of a smaller model; give the .recipe.json beside one."};
    if (const auto twice = headNamedTwice(*heads))
        return Error{ErrorCode::Malformed, source + " is damaged: it removes head " +
                                               headText(*twice) +
                                               " twice; give the recipe as it was written."};
    const JsonValue model = root.member("model");
    const JsonValue calibration = root.member("calibration");
    Recipe recipe;
    recipe.model_name = textOf(model.member("name"));
    recipe.model_sha256 = textOf(model.member("sha256"));
    recipe.order = textOf(root.member("order"));
    recipe.heads = *heads;
    recipe.compensation = *compensation;
    recipe.calibration_name = textOf(calibration.member("name"));
    recipe.calibration_hash = textOf(calibration.member("hash"));
    recipe.passages.length = calibration.member("length").whole().value_or(0);
    recipe.passages.most_tokens = calibration.member("tokens").whole().value_or(0);
    recipe.passages.seed = calibration.member("seed").whole().value_or(0);
    return recipe;
}

Result<HeadSet> recipeHeads(const Recipe& recipe, const Model& model) {
    if (recipe.model_sha256 != model.sha256)
        return Error{ErrorCode::Mismatch,
                     "The recipe was made for another model, " + recipe.model_name +
                         " with the SHA-256 " + recipe.model_sha256.substr(0, 12) + "…; " +
                         model.name + " has " + model.sha256.substr(0, 12) + "…."};
    for (const LayerHead head : recipe.heads)
        if (!model.spec.hasHead(head))
            return Error{ErrorCode::NotFound, "The recipe removes head " + headText(head) +
                                                  ", which " + model.name + " does not have."};
    return recipe.heads;
}

Result<void> checkCalibration(const Recipe& recipe, const PassageSet& calibration) {
    if (recipe.compensation == Compensation::None || recipe.calibration_hash == calibration.hash)
        return {};
    return Error{ErrorCode::Mismatch,
                 "The recipe's compensation was found on " + recipe.calibration_name +
                     " with the hash " + recipe.calibration_hash + ", but " + calibration.name +
                     " has " + calibration.hash + "; give the same text, cut in the same way."};
}

} // namespace headscope
