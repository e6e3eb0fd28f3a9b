// Curves, what is stated of them, and the parts of them that an earlier run has left.

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

/// Four heads and 20 passages of ten targets whose losses rise by 1 % of theirs for each head.
PruningResult risingByOnePercent(OrderKind kind, std::vector<double> factors) {
    PruningResult result;
    result.model_name = "made up";
    result.text = "made up";
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
    void verdictIsTheLastCutWithin();
    void gapsAreInsideTheInterval();
    void verdictIsTheSameFromAnyGrid();
    void randomOrdersAreJudgedOneByOne();
    void bootstrapDrawsDocuments();
    void headlineIsOfTheNearestText();
    void cutsThatLowerTheLossAreTold();
    void compensationIsJudgedAgainstFittedBiases();
    void ownTextIsWhatTheModelExpects();
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

/// 0.4 %, 0.8 %, 1.6 % more: two heads of four were measured to be within 1 %.
void TestPruningCurve::verdictIsTheLastCutWithin() {
    const auto result = risingByOnePercent(OrderKind::Gradient, {1.004, 1.008, 1.016, 1.05});
    const Verdict verdict = verdictOf({{result}, {}}, 0.01);
    const TextVerdict& text = verdict.headline();
    QCOMPARE(text.orders.size(), 1u);
    QCOMPARE(text.orders[0].share, 0.5);
    QCOMPARE(text.orders[0].interval.low, 0.5); // all passages alike
    QCOMPARE(text.orders[0].interval.high, 0.5);
    QVERIFY(!text.orders[0].whole_curve && text.orders[0].narrowed);
    QCOMPARE(verdictText(verdict),
             std::string("50 % of the heads [50–50 %, over documents of this text] can go at no "
                         "more than 1 % more loss (order: gradient; text: made up)."));
    QVERIFY((placeOfVerdict(result, text) == CurvePlace{0, 1}));
    QVERIFY(!placeOfVerdict(result, textVerdict(result, {}, 0.001))); // not even one is
    const auto flat =
        textVerdict(risingByOnePercent(OrderKind::Gradient, {1.0, 1.0, 1.0, 1.001}), {}, 0.01);
    QVERIFY(flat.orders[0].whole_curve);
    QCOMPARE(flat.orders[0].share, 1.0);
}

/// Cuts that are far apart leave open what can go between them: the interval holds all of it.
void TestPruningCurve::gapsAreInsideTheInterval() {
    auto result = risingByOnePercent(OrderKind::Gradient, {1.004, 1.008, 1.016, 1.05});
    auto& points = result.curves[0].points;
    points = {points[0], points[3]};
    const TextVerdict verdict = textVerdict(result, {}, 0.01);
    QCOMPARE(verdict.orders[0].share, 0.25);
    QCOMPARE(verdict.orders[0].interval.high, 0.75);
    QVERIFY(!verdict.orders[0].narrowed);
    QVERIFY(narrowingCut(result, result.curves[0], 0.01) == std::optional<std::size_t>(2));
    QVERIFY(!narrowingCut(result, result.curves[0], 0.1));
}

/// On a curve that only rises the share is the same from however many cuts it was narrowed down.
void TestPruningCurve::verdictIsTheSameFromAnyGrid() {
    const auto model = loadFixture("gpt2");
    const PassageSet test = randomPassages(*model, 12, 12, 2);
    const auto units = pruningUnits(model->spec, PruningUnit::Head);
    PruningQuestion question = questionOf({{OrderKind::Gradient}});
    const auto sums = [&](double factor) {
        PassageSums of;
        for (const Passage& passage : test.passages) {
            of.loss.push_back(static_cast<double>(passage.targets.size()) * factor);
            of.divergence.push_back(0.0);
            of.agreement.push_back(0.0);
        }
        return of;
    };
    for (std::size_t can_go = 0; can_go < units.size(); ++can_go) {
        PruningParts parts;
        parts.orders = {{{OrderKind::Gradient}, units, {}}};
        for (std::size_t cut = 1; cut <= units.size(); ++cut)
            parts.points.push_back(
                {"gradient",
                 {cut,
                  cut,
                  sums(cut <= can_go ? 1.005 : 1.01 + 0.01 * static_cast<double>(cut)),
                  {}}});
        for (const std::size_t points : {1U, 2U, 3U, 5U, 12U, 40U}) {
            question.points = points;
            const auto result = require(pruningFromParts(
                *model, test, question, CurvePoint{0, 0, sums(1.0), {}}, {}, parts));
            const TextVerdict verdict = textVerdict(result, {}, 0.01);
            QCOMPARE(verdict.orders[0].share,
                     static_cast<double>(can_go) / static_cast<double>(units.size()));
            QVERIFY(verdict.orders[0].narrowed);
            QVERIFY(result.curves[0].points.size() <= std::min(points, units.size()) + 4);
        }
    }
}

void TestPruningCurve::randomOrdersAreJudgedOneByOne() {
    auto result = risingByOnePercent(OrderKind::Random, {1.0, 1.0, 1.0, 1.04});
    const auto other = risingByOnePercent(OrderKind::Random, {1.04, 1.04, 1.04, 1.04});
    result.curves.push_back(other.curves.front());
    const TextVerdict only = textVerdict(result, {}, 0.01);
    QVERIFY(only.orders.empty() && only.random);
    QCOMPARE(only.random->mean.share, 0.375);
    QCOMPARE(only.random->lowest, 0.0);
    QCOMPARE(only.random->highest, 0.75);
    QCOMPARE(&only.best(), &only.random->mean);
    result.curves.push_back(
        risingByOnePercent(OrderKind::Gradient, {1.0, 1.02, 1.02, 1.02}).curves.front());
    QVERIFY(verdictText(verdictOf({{result}, {}}, 0.01))
                .ends_with("; random orders: 0 to 75 %, mean 37.5 %."));
}

void TestPruningCurve::bootstrapDrawsDocuments() {
    auto result = risingByOnePercent(OrderKind::Gradient, {1.0, 1.02, 1.02, 1.02});
    for (std::size_t passage = 0; passage < 20; ++passage) // half of the documents lose nothing
        if (result.layout.document[passage] % 2 == 0)
            for (CurvePoint& point : result.curves[0].points)
                point.sums.loss[passage] = result.whole.sums.loss[passage];
    const TextVerdict by_documents = textVerdict(result, {}, 0.01);
    QVERIFY(by_documents.by_documents);
    for (std::size_t& document : result.layout.document)
        document = 0;
    const TextVerdict by_passages = textVerdict(result, {}, 0.01);
    QVERIFY(!by_passages.by_documents);
    const auto width = [](const TextVerdict& verdict) {
        return verdict.orders[0].interval.high - verdict.orders[0].interval.low;
    };
    QVERIFY(width(by_passages) > 0.0 && width(by_documents) >= width(by_passages));
    const Interval increase = lossIncrease(result, result.curves[0].points[1].sums);
    QVERIFY(increase.low > 0.0 && increase.high < 0.02 * 2.4);
}

/// The headline is of the natural text of least loss, while that is near what the model writes.
void TestPruningCurve::headlineIsOfTheNearestText() {
    const auto named = [](const char* name, double loss, std::vector<double> factors) {
        auto result = risingByOnePercent(OrderKind::Gradient, std::move(factors));
        result.text = name;
        for (auto* sums : {&result.whole.sums, &result.curves[0].points[0].sums,
                           &result.curves[0].points[1].sums, &result.curves[0].points[2].sums,
                           &result.curves[0].points[3].sums})
            for (double& of : sums->loss)
                of *= loss;
        return result;
    };
    const std::vector<PruningResult> domains{named("verse", 2.0, {1.0, 1.0, 1.0, 1.0}),
                                             named("manual", 1.2, {1.0, 1.02, 1.02, 1.02}),
                                             named("own", 1.0, {1.02, 1.02, 1.02, 1.02})};
    const Verdict near = verdictOf({domains, 2.2}, 0.01); // passages have 2.2 nats a token
    QCOMPARE(near.headline().text, std::string("manual"));
    QVERIFY(near.texts[0].isOutside() && !near.texts[1].isOutside());
    const std::string text = verdictText(near);
    QVERIFY2(text.find("text: manual, the text with the lowest loss); over 3 texts, "
                       "what it writes itself among them (0 %): 0 to 100 %.") != std::string::npos,
             text.c_str());
    QVERIFY2(text.ends_with(" Outside of the model's domain: verse."), text.c_str());
    const Verdict far = verdictOf({domains, 1.0}, 0.01);
    QCOMPARE(far.headline().text, std::string("own"));
    QVERIFY(verdictText(far).find("since all others are outside of its domain") !=
            std::string::npos);
    const std::string alone = verdictText(verdictOf({{domains[0]}, 2.2}, 0.01));
    QVERIFY2(alone.find("This text is outside of the model's domain: its loss of 4.40 nats is 2.0 "
                        "times that on text which the model writes itself, 2.20.") !=
                 std::string::npos,
             alone.c_str());
}

/// Heads that a model needs on what it has learnt cannot lower the loss by going.
void TestPruningCurve::cutsThatLowerTheLossAreTold() {
    const auto lowered =
        textVerdict(risingByOnePercent(OrderKind::Gradient, {1.0, 0.98, 0.97, 1.02}), {}, 0.01);
    QVERIFY(lowered.lowering && lowered.isOutside());
    QCOMPARE(lowered.lowering->heads, std::size_t{3});
    QVERIFY(lowered.lowering->increase.high < 0.0);
    const auto hardly =
        textVerdict(risingByOnePercent(OrderKind::Gradient, {1.0, 0.999, 1.0, 1.02}), {}, 0.01);
    QVERIFY(!hardly.isOutside());
    const auto random =
        textVerdict(risingByOnePercent(OrderKind::Random, {1.0, 0.9, 1.0, 1.02}), {}, 0.01);
    QVERIFY(!random.isOutside());
}

/// A text of three tokens is learnt by the biases alone, so that no cut gets credit for it.
void TestPruningCurve::compensationIsJudgedAgainstFittedBiases() {
    const auto model = loadFixture("gpt2");
    const auto ofThreeTokens = [&](std::uint64_t seed) {
        Random random(seed);
        std::vector<TokenIds> prompts(8);
        for (TokenIds& ids : prompts)
            for (int i = 0; i < 12; ++i)
                ids.push_back(static_cast<TokenId>(random.below(3)));
        return require(passagesFromIds(*model, prompts, "three tokens", {13, 1000}));
    };
    PruningQuestion question = questionOf({{OrderKind::WeightNorm}});
    question.points = 3;
    const auto plain =
        require(pruneAndMeasure(model, ofThreeTokens(1), ofThreeTokens(2), question));
    QVERIFY(!plain.control && &plain.standard() == &plain.whole.sums);
    question.compensation = Compensation::Bias;
    const auto result =
        require(pruneAndMeasure(model, ofThreeTokens(1), ofThreeTokens(2), question));
    QVERIFY(result.control);
    const double whole = meanOf(result, result.whole.sums).loss;
    const double fitted = meanOf(result, result.control->sums).loss;
    QVERIFY(fitted < whole - 0.05);
    QCOMPARE(&result.standard(), &result.control->sums);
    const auto& cut = result.curves[0].points[0];
    const double loss = meanOf(result, cut.sums).loss;
    QVERIFY(loss > fitted);
    QVERIFY(isAbove(result, cut, 0.99 * (loss / fitted - 1.0)));
    QVERIFY(!isAbove(result, cut, 1.01 * (loss / fitted - 1.0)));
    QVERIFY(verdictText(verdictOf({{result}, {}}, 0.01))
                .find("Cuts are judged against the whole "
                      "model with output biases fitted") != std::string::npos);
}

/// Its loss on the passages is that by which it drew them.
void TestPruningCurve::ownTextIsWhatTheModelExpects() {
    auto model = std::make_shared<Model>(*loadFixture("gpt2"));
    model->spec.bos_token = 1;
    const PassageOptions options{16, 60};
    const auto text = require(writeOwnText(model, options, 0));
    QVERIFY(text);
    std::size_t tokens = 0;
    double surprisal = 0.0;
    for (const TokenIds& ids : text->documents) {
        QVERIFY(ids.size() <= 15);
        TokenIds all{1};
        all.insert(all.end(), ids.begin(), ids.end());
        for (const double loss : nextTokenLosses(require(runModel(model, all))->logits, all))
            surprisal += loss;
        tokens += ids.size();
    }
    QVERIFY(tokens >= 60 && tokens < 75);
    QVERIFY(std::abs(text->loss - surprisal / static_cast<double>(tokens)) < 1e-4);
    QVERIFY(require(writeOwnText(model, options, 0))->documents == text->documents);
    QVERIFY(require(writeOwnText(model, options, 1))->documents != text->documents);
    std::stop_source stop;
    stop.request_stop();
    QCOMPARE(writeOwnText(model, options, 0, nullptr, {}, stop.get_token()).error().code,
             ErrorCode::Cancelled);
    QVERIFY(!require(writeOwnText(loadFixture("bert"), options, 0)));
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
