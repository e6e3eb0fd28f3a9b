#include "core/export/table_files.h"
#include "core/pruning/recipe.h"
#include "tests/pruning/pruning_cases.h"
#include "tests/support/runner.h"

#include <QTest>

namespace test_recipe {

using namespace headscope;
using namespace headscope::test;

namespace {

Recipe someRecipe(const Model& model) {
    Recipe recipe;
    recipe.model_name = model.name;
    recipe.model_sha256 = model.sha256;
    recipe.order = "gradient";
    recipe.heads = {{1, 2}, {0, 3}};
    recipe.compensation = Compensation::Ridge;
    recipe.calibration_name = "a.txt";
    recipe.calibration_hash = "0123456789abcdef";
    recipe.passages = {64, 4096, 7};
    return recipe;
}

} // namespace

class TestRecipe : public QObject {
    Q_OBJECT

private slots:
    void readsBack();
    void headsOfACutNetworkKeepTheirNumbers();
    void saysWhatWasDone();
    void refusals();
};

void TestRecipe::readsBack() {
    const auto model = loadFixture("gpt2");
    const Recipe recipe = someRecipe(*model);
    const Recipe found = require(readRecipe(recordJson(recipeRecord(recipe)), "a.recipe.json"));
    QCOMPARE(found.model_name, recipe.model_name);
    QCOMPARE(found.model_sha256, recipe.model_sha256);
    QCOMPARE(found.order, recipe.order);
    QCOMPARE(found.heads, recipe.heads);
    QCOMPARE(found.compensation, recipe.compensation);
    QCOMPARE(found.calibration_name, recipe.calibration_name);
    QCOMPARE(found.calibration_hash, recipe.calibration_hash);
    QCOMPARE(found.passages.length, 64u);
    QCOMPARE(found.passages.most_tokens, 4096u);
    QCOMPARE(found.passages.seed, 7u);
    QCOMPARE(require(recipeHeads(found, *model)), recipe.heads);
}

void TestRecipe::headsOfACutNetworkKeepTheirNumbers() {
    const auto whole = loadFixture("gpt2");
    const auto model = require(smallerModel(*whole, {{{0, 0}}, {}}));
    Recipe recipe = someRecipe(*model);
    QCOMPARE(require(recipeHeads(recipe, *model)), recipe.heads);
    recipe.heads = {{0, 0}};
    QVERIFY(recipeHeads(recipe, *model)
                .error()
                .message.starts_with("The recipe removes head 0.0, which gpt2 does not have."));
}

void TestRecipe::saysWhatWasDone() {
    const auto whole = loadFixture("gpt2");
    const auto model = require(smallerModel(*whole, {{{0, 0}}, {}}));
    const PassageSet calibration = randomPassages(*model, 2, 12, 1);
    const Recipe recipe =
        recipeFor(*model, {{0, 1}, {1, 2}}, "weight", Compensation::Bias, calibration, {12, 24, 1});
    QCOMPARE(recipe.heads, HeadSet({{0, 1}, {1, 2}}));
    QCOMPARE(require(recipeHeads(recipe, *model)), recipe.heads);
    QVERIFY(checkCalibration(recipe, calibration));
    QCOMPARE(recipe.passages.most_tokens, 24u);
}

void TestRecipe::refusals() {
    const auto model = loadFixture("gpt2");
    Recipe recipe = someRecipe(*model);
    PassageSet text;
    text.name = "b.txt";
    text.hash = "fedcba9876543210";
    QVERIFY(checkCalibration(recipe, text).error().message.find("give the same text") !=
            std::string::npos);
    recipe.compensation = Compensation::None;
    QVERIFY(checkCalibration(recipe, text));
    recipe.model_sha256 = std::string(64, 'a');
    QVERIFY(recipeHeads(recipe, *model)
                .error()
                .message.starts_with("The recipe was made for another model"));
    for (const char* bad : {"", "[]", "{\"format\": \"headscope-recipe\"}",
                            "{\"format\": \"headscope-recipe\", \"heads\": [[1]], "
                            "\"compensation\": \"none\"}",
                            "{\"format\": \"headscope-recipe\", \"heads\": [], "
                            "\"compensation\": \"magic\"}"})
        QVERIFY2(readRecipe(bad, "x.json").error().message.starts_with("x.json"), bad);
}

const headscope::test::TestRegistration<TestRecipe> registration;

} // namespace test_recipe

#include "test_recipe.moc"
