// In which order heads go.

#include "core/engine/loss.h"
#include "core/pruning/measure/judge.h"
#include "core/pruning/orders.h"
#include "core/pruning/scores/order_scores.h"
#include "tests/pruning/pruning_cases.h"
#include "tests/support/change_basis.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

namespace test_orders {

using namespace headscope;
using namespace headscope::test;

namespace {

/// Some heads write nothing, since their rows of W_O are 0.
std::shared_ptr<const Model> withSilentHeads(const std::string& fixture, const HeadSet& silent) {
    auto model = std::make_shared<Model>(*loadFixture(fixture));
    for (const LayerHead head : silent) {
        Tensor& W_O = model->weights.layers[head.layer].attn.W_O.floats();
        const std::size_t block = model->spec.d_head * W_O.dim(1);
        std::ranges::fill(W_O.values().subspan(head.head * block, block), 0.0f);
    }
    return model;
}

std::set<LayerHead> firstHeads(const PruningOrder& order, std::size_t count) {
    std::set<LayerHead> heads;
    for (std::size_t i = 0; i < count; ++i)
        heads.insert(order.units[i].begin(), order.units[i].end());
    return heads;
}

/// Mean loss of the targets of a passage with z of one head times 1 + step.
double lossWithGate(const std::shared_ptr<const Model>& model, const Passage& passage,
                    LayerHead head, double step) {
    HookSet hooks;
    hooks.edit(
        HookPoint{HookKind::Z, head.layer},
        [step](HookPoint, const MutableTensorView& z) {
            for (std::size_t t = 0; t < z.shape[0]; ++t)
                for (std::size_t d = 0; d < z.shape[2]; ++d)
                    z(t, 0u, d) *= static_cast<float>(1.0 + step);
        },
        head.head);
    const auto run = require(runModel(model, passage.ids, {}, hooks));
    double sum = 0.0;
    for (const Target& target : passage.targets)
        sum += tokenLoss({run->logits.matrix().row(target.position), run->logits.dim(1)},
                         target.token);
    return sum / static_cast<double>(passage.targets.size());
}

/// Mean over the targets of KL from the whole network to one whose head is scaled.
double divergenceWithGate(const std::shared_ptr<const Model>& model, const PassageSet& text,
                          LayerHead head, double step) {
    auto scaled = std::make_shared<Model>(*model);
    Tensor& W_O = scaled->weights.layers[head.layer].attn.W_O.floats();
    const std::size_t block = model->spec.d_head * W_O.dim(1);
    for (float& value : W_O.values().subspan(head.head * block, block))
        value *= static_cast<float>(1.0 + step);
    double sum = 0.0;
    for (const Passage& passage : text.passages) {
        const Tensor a = require(runModel(model, passage.ids))->logits;
        const Tensor b = require(runModel(scaled, passage.ids))->logits;
        for (const Target& target : passage.targets) {
            const std::span<const float> p{a.matrix().row(target.position), a.dim(1)};
            const std::span<const float> q{b.matrix().row(target.position), b.dim(1)};
            for (std::size_t id = 0; id < p.size(); ++id) {
                const double log_p = -tokenLoss(p, static_cast<TokenId>(id));
                sum += std::exp(log_p) * (log_p + tokenLoss(q, static_cast<TokenId>(id)));
            }
        }
    }
    return sum / static_cast<double>(text.targets);
}

} // namespace

class TestOrders : public QObject {
    Q_OBJECT

private slots:
    void silentHeadsGoFirst_data();
    void silentHeadsGoFirst();
    void gradientsAreSlopesOfGates();
    void layerwiseGradientsHaveLengthOne();
    void divergencesAreThoseOfSmallSteps();
    void ablationIsTheLossWithoutAHead();
    void greedyIsBruteForce();
    void greedyGradientScoresTheSmallerNetwork();
    void unitsAndLimits();
    void randomOrdersAreThoseOfTheirSeed();
    void ownListsAreTakenAsTheyAre();
    void redundantHeadsGoBeforeOthers();
    void scoresDoNotDependOnTheBasisOfZ();
    void typedHeadsGoLast();
    void headsThatWriteNothingGoBeforeTypes();
    void namesReadBack();
};

void TestOrders::silentHeadsGoFirst_data() {
    QTest::addColumn<QString>("order");
    for (const char* name :
         {"ablation", "gradient", "gradient-layer", "taylor", "weight", "ahon", "flap", "wanda",
          "reconstruction", "redundancy", "greedy", "greedy-gradient"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestOrders::silentHeadsGoFirst() {
    QFETCH(QString, order);
    const HeadSet silent{{0, 1}, {0, 2}, {1, 3}};
    const auto model = withSilentHeads("gpt2", silent);
    const PassageSet text = randomPassages(*model, 6, 12, 1);
    OrderMaker maker(model, text, {});
    const auto made = require(maker.make({*orderKindNamed(order.toStdString())}));
    QCOMPARE(made.units.size(), model->spec.n_layers * model->spec.n_heads);
    // By loss, heads that do harm may go before those that do nothing.
    std::size_t first = 0;
    const bool by_loss = order == QLatin1String("ablation") || order == QLatin1String("greedy");
    if (by_loss) {
        const std::set<LayerHead> nothing(silent.begin(), silent.end());
        auto judge = require(Judge::make(model, text, Compare::Nothing));
        while (!nothing.contains(made.units[first].front())) {
            const double loss = meanLoss(require(judge.measure({made.units[first], {}}, false)));
            QVERIFY(loss < meanLoss(judge.whole()));
            ++first;
        }
        if (order == QLatin1String("greedy"))
            return;
        for (std::size_t i = 0; i < 3; ++i)
            QVERIFY(nothing.contains(made.units[first + i].front()));
        return;
    }
    QCOMPARE(firstHeads(made, 3), (std::set<LayerHead>(silent.begin(), silent.end())));
}

void TestOrders::gradientsAreSlopesOfGates() {
    for (const char* name : {"gpt2", "llama-gqa", "bert"}) {
        const auto model = predictingFixture(name);
        const PassageSet text = randomPassages(*model, 3, 12, 1);
        const auto found = require(gateGradients(model, text, {}, {}));
        for (const LayerHead head : model->spec.allHeads()) {
            constexpr double step = 0.01;
            double expected = 0.0;
            for (const Passage& passage : text.passages)
                expected += std::abs(lossWithGate(model, passage, head, step) -
                                     lossWithGate(model, passage, head, -step)) /
                            (2 * step) / static_cast<double>(text.passages.size());
            QVERIFY2(std::abs(found[head] - expected) < 2e-3 * expected + 2e-4,
                     qPrintable(QStringLiteral("%1 %2").arg(found[head]).arg(expected)));
        }
    }
}

void TestOrders::layerwiseGradientsHaveLengthOne() {
    const auto model = loadFixture("gpt2");
    const PassageSet text = randomPassages(*model, 3, 12, 1);
    OrderMaker maker(model, text, {});
    const auto plain = require(maker.make({OrderKind::Gradient}));
    const auto layered = require(maker.make({OrderKind::GradientByLayer}));
    std::vector<double> squares(model->spec.n_layers);
    for (std::size_t i = 0; i < layered.units.size(); ++i)
        squares[layered.units[i].front().layer] += layered.scores[i] * layered.scores[i];
    for (const double square : squares)
        QVERIFY(std::abs(square - 1.0) < 1e-9);
    QVERIFY(std::ranges::is_sorted(plain.scores) && std::ranges::is_sorted(layered.scores));
}

/// To second order KL is quadratic: at a tenth of the way it is a hundredth of the score.
void TestOrders::divergencesAreThoseOfSmallSteps() {
    const auto model = loadFixture("gpt2");
    const PassageSet text = randomPassages(*model, 40, 12, 1);
    const auto found = require(gateDivergences(model, text, 1, {}, {}));
    double sum = 0.0;
    double expected = 0.0;
    for (const LayerHead head : model->spec.allHeads()) {
        const double small = divergenceWithGate(model, text, head, -0.1) * 100.0;
        QVERIFY2(std::abs(found[head] / small - 1.0) < 0.5,
                 qPrintable(QStringLiteral("%1 %2").arg(found[head]).arg(small)));
        sum += found[head];
        expected += small;
    }
    QVERIFY(std::abs(sum / expected - 1.0) < 0.2);
}

void TestOrders::ablationIsTheLossWithoutAHead() {
    const auto model = loadFixture("llama-gqa");
    const PassageSet text = randomPassages(*model, 3, 12, 1);
    OrderMaker maker(model, text, {});
    const auto order = require(maker.make({OrderKind::Ablation}));
    const auto lossOf = [&](const std::shared_ptr<const Model>& network) {
        return meanLoss(require(Judge::make(network, text, Compare::Nothing)).whole());
    };
    for (std::size_t i = 0; i < order.units.size(); ++i) {
        const auto smaller = require(smallerModel(*model, {order.units[i], {}}));
        QVERIFY(std::abs(order.scores[i] - (lossOf(smaller) - lossOf(model))) < 1e-5);
    }
    QVERIFY(std::ranges::is_sorted(order.scores));
}

void TestOrders::greedyIsBruteForce() {
    const auto model = loadFixture("gpt2");
    const PassageSet text = randomPassages(*model, 3, 12, 1);
    OrderMaker maker(model, text, {});
    const auto order = require(maker.make({OrderKind::Greedy}));
    HeadSet removed;
    for (std::size_t i = 0; i < 4; ++i) {
        double least = 1e300;
        LayerHead best;
        for (const LayerHead head : model->spec.allHeads()) {
            if (std::ranges::count(removed, head) > 0)
                continue;
            HeadSet more = removed;
            more.push_back(head);
            const auto smaller = require(smallerModel(*model, {more, {}}));
            const double loss =
                meanLoss(require(Judge::make(smaller, text, Compare::Nothing)).whole());
            if (loss < least) {
                least = loss;
                best = head;
            }
        }
        removed.push_back(best);
        QCOMPARE(order.units[i], HeadSet{best});
        QVERIFY(std::abs(order.scores[i] - least) < 1e-5);
    }
}

void TestOrders::greedyGradientScoresTheSmallerNetwork() {
    const auto model = loadFixture("llama-gqa");
    const PassageSet text = randomPassages(*model, 3, 12, 1);
    OrderMaker maker(model, text, {});
    const auto order = require(maker.make({OrderKind::GreedyGradient}));
    HeadSet removed;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto smaller = require(smallerModel(*model, {removed, {}}));
        const auto gates = require(gateGradients(smaller, text, {}, {}));
        const auto least = std::ranges::min_element(gates) - gates.begin();
        const LayerHead head = gates.heads().at(static_cast<std::size_t>(least));
        QCOMPARE(order.units[i], HeadSet{head});
        removed.push_back(head);
    }
}

void TestOrders::unitsAndLimits() {
    const auto model = loadFixture("llama-gqa");
    const ModelSpec& spec = model->spec;
    const PassageSet text = randomPassages(*model, 3, 12, 1);
    QCOMPARE(pruningUnits(spec, PruningUnit::Head).size(), spec.n_layers * spec.n_heads);
    QCOMPARE(pruningUnits(spec, PruningUnit::Group).size(), spec.n_layers * spec.n_kv_heads);
    QCOMPARE(pruningUnits(spec, PruningUnit::Layer).size(), spec.n_layers);
    OrderMaker groups(model, text, {PruningUnit::Group, {}, Replacement::Zero});
    for (const HeadSet& unit : require(groups.make({OrderKind::Gradient})).units)
        QCOMPARE(unit.size(), spec.headsPerGroup());

    const HeadSet locked{{0, 0}, {1, 2}};
    for (const OrderKind kind : {OrderKind::Gradient, OrderKind::Greedy, OrderKind::Random}) {
        OrderMaker limited(model, text, {PruningUnit::Head, {2, locked}, Replacement::Zero});
        const auto order = require(limited.make({kind}));
        std::vector<std::size_t> gone(spec.n_layers);
        for (const HeadSet& unit : order.units) {
            QCOMPARE(std::ranges::count(locked, unit.front()), 0);
            ++gone[unit.front().layer];
        }
        for (const std::size_t count : gone)
            QCOMPARE(count, spec.n_heads - 2);
    }
}

void TestOrders::randomOrdersAreThoseOfTheirSeed() {
    const auto model = loadSample("gpt2-mini-6l");
    const PassageSet text = randomPassages(*model, 1, 12, 1);
    OrderMaker maker(model, text, {});
    const auto order = [&](std::uint64_t seed) {
        return require(maker.make({OrderKind::Random, seed})).units;
    };
    QCOMPARE(order(3), order(3));
    QVERIFY(order(3) != order(4));
    const auto units = order(5);
    std::set<LayerHead> heads;
    for (const HeadSet& unit : units)
        heads.insert(unit.begin(), unit.end());
    QCOMPARE(heads.size(), 48u);
}

void TestOrders::ownListsAreTakenAsTheyAre() {
    const auto model = loadFixture("llama-gqa");
    const PassageSet text = randomPassages(*model, 1, 12, 1);
    OrderMaker heads(model, text, {});
    const HeadSet list{{1, 2}, {0, 1}, {0, 0}};
    const auto order = require(heads.make({OrderKind::OwnList, 0, list, "heads.txt"}));
    QCOMPARE(order.units, (std::vector<HeadSet>{{{1, 2}}, {{0, 1}}, {{0, 0}}}));
    OrderMaker layers(model, text, {PruningUnit::Layer, {}, Replacement::Zero});
    QVERIFY(require(layers.make({OrderKind::OwnList, 0, list, ""})).units.empty());
    QVERIFY(heads.make({OrderKind::OwnList, 0, {{0, 1}, {0, 1}}, ""})
                .error()
                .message.starts_with("The list names head 0.1 twice"));
    QVERIFY(!heads.make({OrderKind::OwnList, 0, {{7, 1}}, ""}));
}

/// Head 1 computes what head 0 does and writes half of it: one of the two is the first to go.
void TestOrders::redundantHeadsGoBeforeOthers() {
    auto model = std::make_shared<Model>(*loadFixture("gpt2"));
    const ModelSpec& spec = model->spec;
    AttentionWeights& attn = model->weights.layers[1].attn;
    for (std::size_t part = 0; part < 3; ++part)
        for (std::size_t d = 0; d < spec.d_head; ++d) {
            const std::size_t from = part * spec.queryWidth() + d;
            attn.b_QKV(from + spec.d_head) = attn.b_QKV(from);
            for (std::size_t r = 0; r < spec.d_model; ++r)
                attn.W_QKV.floats()(r, from + spec.d_head) = attn.W_QKV(r, from);
        }
    for (std::size_t d = 0; d < spec.d_head; ++d)
        for (std::size_t i = 0; i < spec.d_model; ++i)
            attn.W_O.floats()(spec.d_head + d, i) = 0.5f * attn.W_O(d, i);
    const PassageSet text = randomPassages(*model, 6, 12, 1);
    OrderMaker maker(model, text, {});
    QCOMPARE(require(maker.make({OrderKind::Redundancy})).units.front(), HeadSet({{1, 1}}));
    const auto errors = reconstructionErrors(*model, *require(maker.statistics()));
    QVERIFY((errors[{1, 0}] < 1e-4) && (errors[{1, 1}] < 1e-4));
    QVERIFY((errors[{1, 2}] > 1e-3));
}

/// The score of a head is that of W_V W_O. FLAP and Wanda count channel by channel, so that only
/// the scale of z plays no part.
void TestOrders::scoresDoNotDependOnTheBasisOfZ() {
    const auto model = loadFixture("gpt2");
    const PassageSet text = randomPassages(*model, 6, 12, 1);
    const auto scoresOf = [&](double turn, double scale) {
        auto changed = std::make_shared<Model>(*model);
        changeBasis(*changed, {1, 0}, turn, scale);
        OrderMaker maker(changed, text, {});
        const HeadStatistics& of = *require(maker.statistics());
        std::vector<PerHead<double>> scores{weightNorms(*changed), outputNorms(of),
                                            reconstructionErrors(*changed, of),
                                            redundancyRanks(*changed, of)};
        if (turn == 0.0)
            for (auto& each : {fluctuations(*changed, of), weightsTimesInputs(*changed, of)})
                scores.push_back(each);
        return scores;
    };
    const auto expected = scoresOf(0.0, 1.0);
    for (const auto& [turn, scale] : {std::pair(0.0, 64.0), {0.0, 1.0 / 64.0}, {0.7, 1.0}}) {
        const auto found = scoresOf(turn, scale);
        for (std::size_t i = 0; i < found.size(); ++i)
            for (const LayerHead head : found[i].heads())
                QVERIFY2(std::abs(found[i][head] - expected[i][head]) <=
                             1e-4 * std::abs(expected[i][head]),
                         qPrintable(QStringLiteral("score %1 of %2.%3: %4, not %5")
                                        .arg(i)
                                        .arg(head.layer)
                                        .arg(head.head)
                                        .arg(found[i][head])
                                        .arg(expected[i][head])));
    }
}

/// The circuit made by hand: its induction and previous-token heads stay longest.
void TestOrders::typedHeadsGoLast() {
    const auto model = loadSample("induction-circuit");
    const PassageSet text = randomPassages(*model, 1, 12, 1);
    OrderMaker maker(model, text, {});
    const auto order = require(maker.make({OrderKind::HeadType}));
    const auto place = [&](LayerHead head) {
        return std::ranges::find(order.units, HeadSet{head}) - order.units.begin();
    };
    QVERIFY(place({0, 3}) < place({0, 0}));
    QVERIFY(place({0, 3}) < place({1, 0}));
}

/// Heads 0.1 and 1.2 of that circuit look for duplicates and write nothing.
void TestOrders::headsThatWriteNothingGoBeforeTypes() {
    const auto strengths = require(typeScores(loadSample("induction-circuit"), {}, {}));
    QCOMPARE((strengths[{0, 1}]), -1.0);
    QCOMPARE((strengths[{1, 2}]), -1.0);
    QVERIFY((strengths[{1, 0}] > 1.0));
}

void TestOrders::namesReadBack() {
    for (const OrderKind kind : orderKinds())
        QCOMPARE(*orderKindNamed(orderKindName(kind)), kind);
    QVERIFY(!orderKindNamed("size"));
    QCOMPARE((OrderSpec{OrderKind::Random, 7}.name()), std::string("random:7"));
    QCOMPARE((OrderSpec{OrderKind::OwnList, 0, {}, "a.txt"}.name()), std::string("list:a.txt"));
}

const headscope::test::TestRegistration<TestOrders> registration;

} // namespace test_orders

#include "test_orders.moc"
