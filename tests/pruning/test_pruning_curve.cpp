// Curves, what is stated of them, and the parts of them that an earlier run has left.

#include "core/engine/loss.h"
#include "core/export/pruning_parts.h"
#include "core/pruning/pruning_curve.h"
#include "core/pruning/tables.h"
#include "core/pruning/verdict.h"
#include "tests/pruning/pruning_cases.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stop_token>

namespace test_pruning_curve {

using namespace headscope;
using namespace headscope::test;

namespace {

std::shared_ptr<const Model> withSilentHeads(const HeadSet& silent) {
    auto model = std::make_shared<Model>(*loadFixture("gpt2"));
    for (const LayerHead head : silent) {
        Tensor& W_O = model->weights.layers[head.layer].attn.W_O.floats();
        const std::size_t block = model->spec.d_head * W_O.dim(1);
        std::ranges::fill(W_O.values().subspan(head.head * block, block), 0.0f);
    }
    return model;
}

PruningQuestion questionOf(std::vector<OrderSpec> orders) {
    PruningQuestion question;
    question.orders = std::move(orders);
    question.points = 12; // as many as the fixture has heads: every cut
    return question;
}

bool sameCurves(const PruningResult& a, const PruningResult& b) {
    return std::ranges::equal(a.curves, b.curves, [](const auto& one, const auto& other) {
        return one.order.units == other.order.units &&
               std::ranges::equal(one.points, other.points, [](const auto& p, const auto& q) {
                   return p.units == q.units && p.heads == q.heads && p.sums.loss == q.sums.loss &&
                          p.sums.divergence == q.sums.divergence &&
                          p.sums.agreement == q.sums.agreement;
               });
    });
}

/// Four heads and 20 passages of ten targets whose losses rise by 1 % of theirs for each head.
PruningResult risingByOnePercent(OrderKind kind, std::vector<double> factors) {
    PruningResult result;
    result.model_name = "made up";
    result.heads = 4;
    result.units = 4;
    PruningCurve curve;
    curve.order.spec.kind = kind;
    for (std::size_t head = 0; head < 4; ++head)
        curve.order.units.push_back({{0, head}});
    for (std::size_t i = 0; i < factors.size(); ++i)
        curve.points.push_back({i + 1, i + 1, {}, {}});
    for (std::size_t passage = 0; passage < 20; ++passage) {
        const double loss = 20.0 + static_cast<double>(passage % 5);
        result.layout.targets.push_back(10.0);
        result.layout.document.push_back(passage / 2);
        result.whole.sums.loss.push_back(loss);
        result.whole.sums.divergence.push_back(0.0);
        result.whole.sums.agreement.push_back(10.0);
        for (std::size_t i = 0; i < factors.size(); ++i) {
            curve.points[i].sums.loss.push_back(loss * factors[i]);
            curve.points[i].sums.divergence.push_back(1.0);
            curve.points[i].sums.agreement.push_back(9.0);
        }
    }
    result.curves.push_back(curve);
    return result;
}

} // namespace

class TestPruningCurve : public QObject {
    Q_OBJECT

private slots:
    void flatAsFarAsHeadsAreSilent();
    void everyCutIsThatOfTheSmallerModel();
    void limitsEndTheCurve();
    void finishedPartsAreNotMeasuredAgain();
    void partsReadBack();
    void partsOfAnotherQuestionAreRefused();
    void verdictIsWhereTheLineCrosses();
    void randomOrdersAreJudgedByTheirMean();
    void bootstrapDrawsDocuments();
    void worstTokensAreThoseThatGrewMost();
    void cutsByShare();
    void tablesNameHeadsOfACutNetwork();
    void refusals();
};

void TestPruningCurve::flatAsFarAsHeadsAreSilent() {
    const HeadSet silent{{0, 1}, {0, 2}, {1, 3}};
    const auto model = withSilentHeads(silent);
    const PassageSet calibration = randomPassages(*model, 6, 12, 1);
    const PassageSet test = randomPassages(*model, 6, 12, 2);
    const auto result = require(pruneAndMeasure(
        model, calibration, test, questionOf({{OrderKind::Gradient}, {OrderKind::Wanda}})));
    for (const PruningCurve& curve : result.curves) {
        QCOMPARE(curve.points.size(), model->spec.allHeads().size());
        const double whole = meanOf(result, result.whole.sums).loss;
        for (std::size_t i = 0; i < 3; ++i) {
            const MeanReading mean = meanOf(result, curve.points[i].sums);
            QVERIFY(std::abs(mean.loss - whole) < 1e-5);
            QVERIFY(mean.divergence < 1e-5);
            QCOMPARE(mean.agreement, 1.0);
        }
        QVERIFY(std::abs(meanOf(result, curve.points[4].sums).loss - whole) > 1e-4);
    }
}

void TestPruningCurve::everyCutIsThatOfTheSmallerModel() {
    const auto model = loadFixture("llama-gqa");
    const PassageSet calibration = randomPassages(*model, 6, 12, 1);
    const PassageSet test = randomPassages(*model, 4, 12, 2);
    for (const Compensation compensation : {Compensation::None, Compensation::Ridge}) {
        PruningQuestion question = questionOf({{OrderKind::Random, 3}});
        question.compensation = compensation;
        const auto result = require(pruneAndMeasure(model, calibration, test, question));
        for (const CurvePoint& point : result.curves[0].points) {
            const Cut cut = require(compensatedCut(
                model, calibration, PruningResult::removedAt(result.curves[0], point.units),
                compensation));
            QCOMPARE(cut.removed.size(), point.heads);
            const auto smaller = require(smallerModel(*model, cut));
            double expected = 0.0;
            for (const Passage& passage : test.passages) {
                const auto run = require(runModel(smaller, passage.ids));
                for (const double loss : nextTokenLosses(run->logits, passage.ids))
                    expected += loss / static_cast<double>(test.targets);
            }
            QVERIFY(std::abs(meanOf(result, point.sums).loss - expected) < 1e-4);
        }
    }
}

void TestPruningCurve::limitsEndTheCurve() {
    const auto model = loadFixture("gpt2");
    const PassageSet calibration = randomPassages(*model, 2, 12, 1);
    const PassageSet test = randomPassages(*model, 2, 12, 2);
    PruningQuestion question = questionOf({{OrderKind::Gradient}});
    question.limits.least_per_layer = 2;
    const auto result = require(pruneAndMeasure(model, calibration, test, question));
    const std::size_t most = model->spec.n_layers * (model->spec.n_heads - 2);
    QVERIFY(result.curves[0].points.back().heads <= most);
    QCOMPARE(result.curves[0].order.units.size(), most);
}

void TestPruningCurve::finishedPartsAreNotMeasuredAgain() {
    const auto model = loadFixture("gpt2");
    const PassageSet calibration = randomPassages(*model, 3, 12, 1);
    const PassageSet test = randomPassages(*model, 3, 12, 2);
    const PruningQuestion question = questionOf({{OrderKind::Ablation}, {OrderKind::Random, 1}});
    PruningParts parts;
    PruningParts kept;
    parts.on_order = [&](const PruningOrder& order) { kept.orders.push_back(order); };
    parts.on_point = [&](const OrderSpec& order, const CurvePoint& point) {
        if (point.units < 5)
            kept.points.push_back({order.name(), point});
    };
    const auto whole = require(pruneAndMeasure(model, calibration, test, question, parts));
    QCOMPARE(kept.orders.size(), 2u);
    QCOMPARE(kept.points.size(), 8u);
    std::size_t measured = 0;
    double whole_loss = 0.0;
    kept.on_whole = [&](const PruningResult& begun) {
        QVERIFY(begun.curves.empty() && measured == 0);
        whole_loss = meanOf(begun, begun.whole.sums).loss;
    };
    kept.on_order = [](const PruningOrder&) { QFAIL("an order was made again"); };
    kept.on_point = [&](const OrderSpec&, const CurvePoint&) { ++measured; };
    const auto resumed = require(pruneAndMeasure(model, calibration, test, question, kept));
    QCOMPARE(measured, 2 * (model->spec.allHeads().size() - 4));
    QVERIFY(sameCurves(whole, resumed));
    QCOMPARE(whole_loss, meanOf(whole, whole.whole.sums).loss);
    QCOMPARE(curveCuts(whole, whole.curves[0].order).size(), whole.curves[0].points.size());
}

void TestPruningCurve::partsReadBack() {
    const QTemporaryDir folder;
    const auto path = PruningPartsFile::pathFor(folder.path().toStdString() + "/curve.json");
    const auto model = loadFixture("gpt2");
    const PassageSet calibration = randomPassages(*model, 3, 12, 1);
    const PassageSet test = randomPassages(*model, 3, 12, 2);
    const PruningQuestion question =
        questionOf({{OrderKind::OwnList, 0, {{1, 0}, {0, 1}}, "heads.txt"}, {OrderKind::Gradient}});
    PruningPartsFile file(path, "question");
    QVERIFY(file.begin({}));
    PruningParts parts;
    parts.on_order = [&](const PruningOrder& order) { QVERIFY(file.add(order)); };
    parts.on_point = [&](const OrderSpec& order, const CurvePoint& point) {
        QVERIFY(file.add(order, point));
    };
    const auto whole = require(pruneAndMeasure(model, calibration, test, question, parts));
    std::ofstream(path, std::ios::app) << R"({"point": "gradient", "units": 3, "los)"; // killed
    PruningParts read = require(PruningPartsFile(path, "question").read(model->spec));
    QCOMPARE(read.orders.size(), 2u);
    read.on_order = [](const PruningOrder&) { QFAIL("an order was made again"); };
    read.on_point = [](const OrderSpec&, const CurvePoint&) { QFAIL("a cut was measured again"); };
    QVERIFY(sameCurves(require(pruneAndMeasure(model, calibration, test, question, read)), whole));
    file.remove();
    QVERIFY(!std::filesystem::exists(path));
}

void TestPruningCurve::partsOfAnotherQuestionAreRefused() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString() + "/curve.json.parts";
    QVERIFY(PruningPartsFile(path, "one").begin({}));
    const auto spec = loadFixture("gpt2")->spec;
    QVERIFY(PruningPartsFile(path, "one").read(spec));
    QVERIFY(PruningPartsFile(path, "other")
                .read(spec)
                .error()
                .message.find("holds parts of another question") != std::string::npos);
    std::ofstream(path, std::ios::app) << R"({"point": 3})"
                                       << "\n";
    QVERIFY(PruningPartsFile(path, "one")
                .read(spec)
                .error()
                .message.ends_with("is damaged in line 2; remove it."));
}

/// 0.4 %, 0.8 %, 1.6 % more: the line crosses 1 % a quarter of the way from two heads to three.
void TestPruningCurve::verdictIsWhereTheLineCrosses() {
    const auto result = risingByOnePercent(OrderKind::Gradient, {1.004, 1.008, 1.016, 1.05});
    const Verdict verdict = verdictOf(result, 0.01);
    QCOMPARE(verdict.orders.size(), 1u);
    QVERIFY(std::abs(verdict.orders[0].share - 2.25 / 4.0) < 1e-9);
    QVERIFY(std::abs(verdict.orders[0].interval.low - 2.25 / 4.0) < 1e-9); // all passages alike
    QVERIFY(!verdict.orders[0].whole_curve);
    QCOMPARE(verdictText(verdict), std::string("56 % of the heads [56–56 %] can go at no more "
                                               "than 1 % more loss (order: gradient)."));
    QVERIFY((placeOfVerdict(result, verdict) == CurvePlace{0, 1})); // two heads are within it
    QVERIFY(!placeOfVerdict(result, verdictOf(result, 0.001)));     // not even one is
    const auto flat = verdictOf(risingByOnePercent(OrderKind::Gradient, {1.0, 1.0, 1.0, 1.001}));
    QVERIFY(flat.orders[0].whole_curve);
    QCOMPARE(flat.orders[0].share, 1.0);
}

void TestPruningCurve::randomOrdersAreJudgedByTheirMean() {
    auto result = risingByOnePercent(OrderKind::Random, {1.0, 1.0, 1.0, 1.04});
    const auto other = risingByOnePercent(OrderKind::Random, {1.04, 1.04, 1.04, 1.04});
    result.curves.push_back(other.curves.front());
    const Verdict verdict = verdictOf(result, 0.01);
    QVERIFY(verdict.orders.empty() && verdict.random);
    QVERIFY(std::abs(verdict.random->share - 0.5 / 4.0) < 1e-9); // 2 % after one head
    QCOMPARE(&verdict.best(), &*verdict.random);
}

void TestPruningCurve::bootstrapDrawsDocuments() {
    auto result = risingByOnePercent(OrderKind::Gradient, {1.0, 1.02, 1.02, 1.02});
    for (std::size_t passage = 0; passage < 20; ++passage) // half of the documents lose nothing
        if (result.layout.document[passage] % 2 == 0)
            for (CurvePoint& point : result.curves[0].points)
                point.sums.loss[passage] = result.whole.sums.loss[passage];
    const Verdict by_documents = verdictOf(result);
    QVERIFY(by_documents.by_documents);
    for (std::size_t& document : result.layout.document)
        document = 0;
    const Verdict by_passages = verdictOf(result);
    QVERIFY(!by_passages.by_documents);
    const auto width = [](const Verdict& verdict) {
        return verdict.orders[0].interval.high - verdict.orders[0].interval.low;
    };
    QVERIFY(width(by_passages) > 0.0 && width(by_documents) >= width(by_passages));
    const Interval increase = lossIncrease(result, result.curves[0].points[1].sums);
    QVERIFY(increase.low > 0.0 && increase.high < 0.02 * 2.4);
}

void TestPruningCurve::worstTokensAreThoseThatGrewMost() {
    const auto model = loadFixture("gpt2");
    const PassageSet calibration = randomPassages(*model, 3, 12, 1);
    const PassageSet test = randomPassages(*model, 3, 12, 2);
    const HeadSet removed{{0, 0}, {1, 1}};
    const auto worst = require(
        worstTokens(model, calibration, test, questionOf({{OrderKind::Gradient}}), removed, 4));
    QCOMPARE(worst.size(), 4u);
    const auto smaller = require(smallerModel(*model, {removed, {}}));
    double most = -1e300;
    for (const Passage& passage : test.passages) {
        const auto before =
            nextTokenLosses(require(runModel(model, passage.ids))->logits, passage.ids);
        const auto after =
            nextTokenLosses(require(runModel(smaller, passage.ids))->logits, passage.ids);
        for (std::size_t i = 0; i < before.size(); ++i)
            most = std::max(most, after[i] - before[i]);
    }
    QVERIFY(std::abs(worst[0].cut - worst[0].whole - most) < 1e-4);
    const Passage& passage = test.passages[worst[0].passage];
    QCOMPARE(passage.ids[worst[0].position], worst[0].token);
    QCOMPARE(worst[0].before_it.back(), passage.ids[worst[0].position - 1]);
}

void TestPruningCurve::cutsByShare() {
    const auto model = loadFixture("gpt2");
    const PassageSet calibration = randomPassages(*model, 3, 12, 1);
    PruningQuestion question = questionOf({{OrderKind::WeightNorm}});
    const auto half = require(chooseCut(model, calibration, question, 0.5));
    QCOMPARE(half.cut.removed.size(), model->spec.allHeads().size() / 2);
    QCOMPARE(half.cut.removed.front(), half.order.units.front().front());
    question.limits.least_per_layer = model->spec.n_heads - 1;
    QVERIFY(chooseCut(model, calibration, question, 0.5)
                .error()
                .message.starts_with("Only 3 heads can go by this order"));
}

void TestPruningCurve::tablesNameHeadsOfACutNetwork() {
    const auto whole = loadFixture("gpt2");
    const auto model = require(smallerModel(*whole, {{{0, 0}, {0, 1}}, {}}));
    const PassageSet calibration = randomPassages(*model, 3, 12, 1);
    const PassageSet test = randomPassages(*model, 3, 12, 2);
    PruningQuestion question = questionOf({{OrderKind::OwnList, 0, {{0, 2}}, "l"}});
    question.points = 10;
    const auto result = require(pruneAndMeasure(model, calibration, test, question));
    const Table table =
        pruningTable(result, verdictOf(result), *model, calibration, test, Provenance());
    QCOMPARE(plainText(table.rows.back()[table.column("heads")]), std::string("0.2"));
    QCOMPARE(plainText(table.rows.front()[table.column("order")]), std::string("whole"));
}

void TestPruningCurve::refusals() {
    const auto model = loadFixture("gpt2");
    const PassageSet text = randomPassages(*model, 3, 40, 1);
    const PassageSet other = randomPassages(*model, 3, 40, 2);
    QVERIFY(pruneAndMeasure(model, text, text, questionOf({{OrderKind::Gradient}}))
                .error()
                .message.find("give two different texts") != std::string::npos);
    QVERIFY(pruneAndMeasure(model, text, other, questionOf({}))
                .error()
                .message.starts_with("There is nothing to measure"));
    std::stop_source stop;
    stop.request_stop();
    QCOMPARE(pruneAndMeasure(model, text, other, questionOf({{OrderKind::Gradient}}), {}, {},
                             stop.get_token())
                 .error()
                 .code,
             ErrorCode::Cancelled);
}

const headscope::test::TestRegistration<TestPruningCurve> registration;

} // namespace test_pruning_curve

#include "test_pruning_curve.moc"
