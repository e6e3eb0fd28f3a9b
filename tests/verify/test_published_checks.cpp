#include "core/heads/head_type.h"
#include "core/model/random_model.h"
#include "core/verify/checks/published_checks.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/verify/check_access.h"

#include <QTest>

#include <limits>

namespace test_published_checks {

using namespace headscope;
using namespace headscope::test;

namespace {

/// Scores of a model of this shape; 0.01 where nothing else is said.
HeadScores flatScores(const PublishedModel& known) {
    HeadScores scores;
    scores.heads = {known.n_layers, known.n_heads};
    for (const HeadType& each : headTypes()) {
        scores.types.push_back(each.id);
        scores.measured_on.push_back({"made up", "with BOS", 1});
        for (const LayerHead head : scores.heads)
            scores.scores.push_back({head, each.id, 0.01});
    }
    return scores;
}

double& scoreOf(HeadScores& scores, const char* type, LayerHead head) {
    return const_cast<HeadScore&>(scores.at(*headTypeByKey(type), head)).score;
}

const PublishedModel& gpt2Small() {
    return publishedModels().front();
}

/// A random network of Pythia-70m's shape, with few tokens.
std::shared_ptr<const Model> randomPythia(const std::string& name) {
    ModelSpec spec = gpt2SmallShape(256);
    spec.family = "gpt_neox";
    spec.n_layers = 6;
    spec.n_heads = spec.n_kv_heads = 8;
    spec.d_model = 512;
    spec.d_mlp = 64;
    spec.d_vocab = 200;
    spec.attention_scale.resize(6);
    Model model = *headscope::randomModel(spec, 1);
    model.name = name;
    return std::make_shared<const Model>(std::move(model));
}

} // namespace

class TestPublishedChecks : public QObject {
    Q_OBJECT

private slots:
    void tableFitsItsModels() {
        for (const PublishedModel& known : publishedModels()) {
            QVERIFY(!known.names.empty() && !known.heads.empty());
            for (const PublishedHead& head : known.heads) {
                QVERIFY(head.head.layer < known.n_layers && head.head.head < known.n_heads);
                QVERIFY2(headTypeByKey(head.type), std::string(head.type).c_str());
                QVERIFY(!head.score || (*head.score > 0.0 && *head.score < 1.0));
            }
        }
    }

    void headsWithTheirTypePass() {
        HeadScores scores = flatScores(gpt2Small());
        for (const LayerHead head :
             {LayerHead{5, 5}, LayerHead{7, 10}, LayerHead{6, 9}, LayerHead{5, 1}, LayerHead{7, 2}})
            scoreOf(scores, "induction", head) = 0.85;
        for (const LayerHead head : {LayerHead{0, 1}, LayerHead{0, 10}, LayerHead{3, 0}})
            scoreOf(scores, "duplicate", head) = 0.6;
        const auto random = PublishedInput::RandomRepeats;
        auto checks = compareWithPublished(gpt2Small().heads, random, scores);
        QCOMPARE(checks.size(), 10u);
        QVERIFY2(failures(checks).empty(), failures(checks).c_str());

        scoreOf(scores, "induction", {6, 9}) = 0.2;
        scoreOf(scores, "induction", {5, 8}) = 0.8; // said not to be one
        scoreOf(scores, "duplicate", {3, 0}) = std::numeric_limits<double>::quiet_NaN();
        checks = compareWithPublished(gpt2Small().heads, random, scores);
        QCOMPARE(failures(checks), std::string("6.9 is induction: 0.200\n"
                                               "5.8 is not induction: 0.800\n"
                                               "3.0 is duplicate: nan\n"));
    }

    void halfIsEnoughOnNaturalText() {
        const auto natural = PublishedInput::NaturalText;
        HeadScores scores = flatScores(gpt2Small());
        scoreOf(scores, "previous", {4, 11}) = 0.49; // published .97
        scoreOf(scores, "previous", {2, 2}) = 0.28;  // published .57
        const auto checks = compareWithPublished(gpt2Small().heads, natural, scores);
        const Check& near = checkNamed(checks, "4.11 is previous");
        QVERIFY(near.outcome == Check::Passed);
        QCOMPARE(near.measured, std::string("0.490"));
        QVERIFY(near.expected.ends_with("(published 0.97)"));
        QVERIFY(checkNamed(checks, "2.2 is previous").outcome == Check::Failed);
    }

    void otherModelsAreLeftAlone() {
        const auto sample = require(publishedChecks(loadSample("gpt2-mini-6l")));
        QCOMPARE(sample.size(), 1u);
        QVERIFY(sample[0].outcome == Check::NotApplicable);
        const auto renamed = require(publishedChecks(randomPythia("my-finetune")));
        QCOMPARE(renamed.size(), 1u);
        QVERIFY(renamed[0].outcome == Check::NotApplicable);
        QVERIFY2(renamed[0].explanation.find("shape of Pythia-70m but the name my-finetune") !=
                     std::string::npos,
                 renamed[0].explanation.c_str());
    }

    void randomWeightsDoNotPass() {
        const auto checks = require(publishedChecks(randomPythia("Pythia-70M")));
        QVERIFY(checkNamed(checks, "2.5 is induction").outcome == Check::Failed);
        QVERIFY(checkNamed(checks, "Published heads on natural text").outcome ==
                Check::NotApplicable);
    }
};

const headscope::test::TestRegistration<TestPublishedChecks> registration;

} // namespace test_published_checks

#include "test_published_checks.moc"
