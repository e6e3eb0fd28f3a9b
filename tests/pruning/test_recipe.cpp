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
    void otherVersionsAreRefused();
    void aHeadIsRemovedOnce();
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

void TestRecipe::otherVersionsAreRefused() {
    const auto model = loadFixture("gpt2");
    const std::string text = recordJson(recipeRecord(someRecipe(*model)));
    const std::size_t at = text.find("\"version\"");
    const auto with = [&](const std::string& version) {
        std::string changed = text;
        changed.replace(at, text.find('1', at) + 1 - at, version);
        return readRecipe(changed, "x.json");
    };
    QVERIFY(with("\"version\": 1"));
    const auto later = with("\"version\": 2");
    QVERIFY(!later);
    QCOMPARE(later.error().code, ErrorCode::Unsupported);
    QVERIFY(later.error().message.find("later version") != std::string::npos);
    for (const char* none :
         {"\"version\": 0", "\"version\": \"1\"", "\"version\": 1.5", "\"other\": 1"})
        QVERIFY2(!with(none), none);
}

void TestRecipe::aHeadIsRemovedOnce() {
    const auto model = loadFixture("gpt2");
    Recipe recipe = someRecipe(*model);
    recipe.heads = {{1, 2}, {0, 3}, {1, 2}};
    const auto read = readRecipe(recordJson(recipeRecord(recipe)), "x.json");
    QVERIFY(!read);
    QVERIFY2(read.error().message.find("removes head 1.2 twice") != std::string::npos,
             read.error().message.c_str());
}

const headscope::test::TestRegistration<TestRecipe> registration;

} // namespace test_recipe

#include "test_recipe.moc"
