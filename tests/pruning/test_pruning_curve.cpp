// Curves, and the parts of them that an earlier run has left.

#include "core/base/random.h"
#include "core/engine/engine.h"
#include "core/engine/loss.h"
#include "core/export/pruning_parts.h"
#include "core/pruning/domains.h"
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
    parts.on_order = [&](const PruningOrder& order) { QVERIFY(file.add("novel", order)); };
    parts.on_point = [&](const OrderSpec& order, const CurvePoint& point) {
        QVERIFY(file.add("novel", order, point));
    };
    const auto whole = require(pruneAndMeasure(model, calibration, test, question, parts));
    std::ofstream(path, std::ios::app)
        << R"({"text": "novel", "point": "gradient", "units": 3, "los)"; // killed
    auto texts = require(PruningPartsFile(path, "question").read(model->spec));
    QCOMPARE(texts.size(), std::size_t{1});
    PruningParts read = texts["novel"];
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
    const Table table = pruningTable({{result}, {}}, verdictOf({{result}, {}}, 0.01), *model,
                                     {{{"random", calibration, test, {}}}, {}}, Provenance());
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
