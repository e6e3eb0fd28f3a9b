// What users ask for in words: metrics, tokens and sets of heads.

#include "core/interventions/metric_words.h"
#include "core/interventions/sweep.h"
#include "core/model/prompt.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

namespace test_metric_words {

using namespace headscope;
using namespace headscope::test;

class TestMetricWords : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        model_ = loadSample("gpt2-mini-6l");
        mary_ = require(tokenFromText(*model_, " Mary"));
        john_ = require(tokenFromText(*model_, " John"));
    }

    void tokensAreFoundByTextAndById() {
        const Metric by_text = require(read({"logit-diff", {" Mary", " John"}, {}, 3}, false));
        QCOMPARE(by_text.kind, MetricKind::LogitDifference);
        QCOMPARE(by_text.token, mary_);
        QCOMPARE(by_text.other, john_);
        QCOMPARE(by_text.position, std::optional<std::size_t>(3));
        const Metric by_id = require(
            read({"logit-diff", {std::to_string(mary_), std::to_string(john_)}, {}, {}}, true));
        QCOMPARE(by_id.token, mary_);
        QCOMPARE(by_id.other, john_);
        QCOMPARE(by_id.position, std::nullopt);
    }

    void aLossMayHaveATarget() {
        const Metric all = require(read({}, false));
        QCOMPARE(all.kind, MetricKind::Loss);
        QVERIFY(all.targets.empty());
        const Metric last = require(read({"loss", {}, " Mary", {}}, false));
        QCOMPARE(last.targets.size(), std::size_t{1});
        QCOMPARE(last.targets.front().position, prompt_.size() - 1);
        QCOMPARE(last.targets.front().token, mary_);
        QCOMPARE(require(read({"loss", {}, " Mary", 1}, false)).targets.front().position,
                 std::size_t{1});
    }

    void whatDoesNotFitIsRefused_data() {
        QTest::addColumn<MetricWords>("words");
        QTest::addColumn<std::string>("named");
        QTest::newRow("no such metric") << MetricWords{"love", {}, {}, {}} << std::string("love");
        QTest::newRow("no tokens")
            << MetricWords{"logit-diff", {}, {}, {}} << std::string("two tokens");
        QTest::newRow("tokens nobody reads")
            << MetricWords{"loss", {" Mary", " John"}, {}, {}} << std::string("logit-diff");
        QTest::newRow("no target")
            << MetricWords{"probability", {}, {}, {}} << std::string("needs its target");
        QTest::newRow("target nobody reads")
            << MetricWords{"kl", {}, " Mary", {}} << std::string("probability and loss");
        QTest::newRow("several tokens")
            << MetricWords{"probability", {}, " Mary and John", {}} << std::string("Mary and John");
    }
    void whatDoesNotFitIsRefused() {
        QFETCH(MetricWords, words);
        QFETCH(std::string, named);
        const auto metric = read(words, false);
        QVERIFY(!metric);
        QVERIFY2(metric.error().message.find(named) != std::string::npos,
                 metric.error().message.c_str());
    }

    void anIdIsANumber() {
        QVERIFY(!read({"probability", {}, " Mary", {}}, true));
        QCOMPARE(require(readToken(*model_, "7", true)), TokenId{7});
    }

    void setsOfHeadsHaveNames() {
        const ModelSpec& spec = model_->spec;
        QCOMPARE(require(parseHeadSets("all", spec)), singleHeads(spec));
        QCOMPARE(require(parseHeadSets("4.1,0.3", spec)),
                 (std::vector<HeadSet>{{{0, 3}}, {{4, 1}}}));
        QVERIFY(!parseHeadSets("9.9", spec));
        const auto shared = loadSample("llama-mini-gqa-4l");
        const auto groups = require(parseHeadSets("kv-groups", shared->spec));
        QCOMPARE(groups, kvGroups(shared->spec));
        QCOMPARE(groups.size(), std::size_t{8});
        QCOMPARE(groups.front().size(), std::size_t{4});
    }

private:
    Result<Metric> read(const MetricWords& words, bool as_ids) const {
        return readMetric(*model_, words, prompt_, as_ids);
    }

    std::shared_ptr<const Model> model_;
    TokenIds prompt_{0, 5, 6, 7};
    TokenId mary_ = 0;
    TokenId john_ = 0;
};

const TestRegistration<TestMetricWords> registration;

} // namespace test_metric_words

#include "test_metric_words.moc"
