// What is stated of curves: shares, intervals, the text of the headline, and the control.

#include "core/base/random.h"
#include "core/pruning/domains.h"
#include "core/pruning/pruning_curve.h"
#include "core/pruning/verdict.h"
#include "tests/pruning/pruning_cases.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <stop_token>
#include <utility>

namespace test_pruning_verdict {

using namespace headscope;
using namespace headscope::test;

namespace {

PruningQuestion questionOf(std::vector<OrderSpec> orders) {
    PruningQuestion question;
    question.orders = std::move(orders);
    question.points = 12; // as many as the fixture has heads: every cut
    return question;
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

class TestPruningVerdict : public QObject {
    Q_OBJECT

private slots:
    void verdictIsTheLastCutWithin();
    void gapsAreInsideTheInterval();
    void verdictIsTheSameFromAnyGrid();
    void randomOrdersAreJudgedOneByOne();
    void bootstrapDrawsDocuments();
    void headlineIsOfTheNearestText();
    void cutsThatLowerTheLossAreTold();
    void compensationIsJudgedAgainstFittedBiases();
    void ownTextIsWhatTheModelExpects();
};

/// 0.4 %, 0.8 %, 1.6 % more: two heads of four were measured to be within 1 %.
void TestPruningVerdict::verdictIsTheLastCutWithin() {
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
void TestPruningVerdict::gapsAreInsideTheInterval() {
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
void TestPruningVerdict::verdictIsTheSameFromAnyGrid() {
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

void TestPruningVerdict::randomOrdersAreJudgedOneByOne() {
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

void TestPruningVerdict::bootstrapDrawsDocuments() {
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
void TestPruningVerdict::headlineIsOfTheNearestText() {
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
void TestPruningVerdict::cutsThatLowerTheLossAreTold() {
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
void TestPruningVerdict::compensationIsJudgedAgainstFittedBiases() {
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
void TestPruningVerdict::ownTextIsWhatTheModelExpects() {
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

const headscope::test::TestRegistration<TestPruningVerdict> registration;

} // namespace test_pruning_verdict

#include "test_pruning_verdict.moc"
