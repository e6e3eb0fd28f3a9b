#include "core/pruning/verdict.h"
#include "tests/support/runner.h"
#include "tests/support/sample_scores.h"
#include "ui/document/document.h"
#include "ui/document/pruning_bench.h"
#include "ui/document/pruning_reading.h"

#include <QSignalSpy>
#include <QTest>

namespace test_pruning_bench {

using namespace headscope;
using headscope::test::scoreSamplesOnce;
using namespace headscope::ui;

namespace {

constexpr int kPatience = 60000; // milliseconds

PruningTextQuestion fewTokens() {
    PruningTextQuestion question;
    question.domains = {"novel"};
    question.length = 64;
    question.calibration_tokens = 512;
    question.test_tokens = 512;
    return question;
}

PruningQuestion questionOf(std::initializer_list<OrderKind> kinds) {
    PruningQuestion question;
    for (const OrderKind kind : kinds)
        question.orders.push_back({kind});
    question.points = 4;
    question.tolerance = 100.0; // nothing narrows the curves down
    return question;
}

/// A bench on a sample model, with both texts read.
class Bench {
public:
    explicit Bench(const char* sample) {
        document.open(QStringLiteral(HEADSCOPE_SAMPLE_MODELS "/%1.h5").arg(QLatin1String(sample)));
        bench.setTexts(fewTokens());
    }

    bool isReady() {
        return QTest::qWaitFor([this] { return bench.texts() != nullptr; }, kPatience);
    }
    bool isMeasured() {
        return QTest::qWaitFor([this] { return bench.state() == PruningBench::State::Whole; },
                               kPatience);
    }

    Document document{scoreSamplesOnce};
    PruningBench bench{document};
};

} // namespace

class TestPruningBench : public QObject {
    Q_OBJECT

private slots:
    void curvesAndVerdictAreThoseOfCore() {
        Bench open("attn-only-2l");
        QVERIFY(open.isReady());
        const PruningQuestion question = questionOf({OrderKind::WeightNorm, OrderKind::Random});
        open.bench.measure(question);
        QVERIFY(open.isMeasured());
        const PruningDomain& texts = *open.bench.texts();
        const auto expected =
            pruneAndMeasure(open.document.model(), texts.calibration, texts.test, question);
        QVERIFY(bool(expected));
        QCOMPARE(open.bench.result()->curves.size(), expected->curves.size());
        for (std::size_t curve = 0; curve < expected->curves.size(); ++curve)
            for (std::size_t point = 0; point < expected->curves[curve].points.size(); ++point)
                QCOMPARE(open.bench.result()->curves[curve].points[point].sums.loss,
                         expected->curves[curve].points[point].sums.loss);
        PruningResult named = *expected;
        named.text = "novel";
        QCOMPARE(verdictText(*open.bench.verdict()),
                 verdictText(verdictOf({{named}, open.bench.allTexts()->own_loss}, 0.01)));
    }

    /// One curve a text; the one of the verdict is shown until another is chosen.
    void everyTextHasItsCurves() {
        Bench open("attn-only-2l");
        PruningTextQuestion question = fewTokens();
        question.domains = {"novel", "stories"};
        open.bench.setTexts(question);
        open.bench.setTolerance(100.0);
        QVERIFY(open.isReady());
        open.bench.measure(questionOf({OrderKind::WeightNorm}));
        QVERIFY(open.isMeasured());
        QCOMPARE(open.bench.results()->domains.size(), std::size_t{2});
        QCOMPARE(open.bench.verdict()->texts.size(), std::size_t{2});
        QCOMPARE(open.bench.measuredTexts()->name, std::string("stories"));
        QCOMPARE(open.bench.result()->text, std::string("stories"));
        open.bench.show(1);
        QCOMPARE(open.bench.measuredTexts()->name, std::string("novel"));
        QCOMPARE(open.bench.result()->text, std::string("novel"));
        QVERIFY(open.bench.chosenCut());
    }

    void pointsArriveOneByOne() {
        Bench open("attn-only-2l");
        QVERIFY(open.isReady());
        QList<std::size_t> points;
        connect(&open.bench, &PruningBench::resultChanged, this, [&] {
            if (open.bench.state() == PruningBench::State::Measuring && open.bench.result() &&
                !open.bench.result()->curves.empty())
                points << open.bench.result()->curves.back().points.size();
        });
        open.bench.measure(questionOf({OrderKind::WeightNorm}));
        QVERIFY(open.isMeasured());
        QCOMPARE(points, (QList<std::size_t>{0, 1, 2, 3, 4}));
    }

    /// What another order adds is measured; the rest is known.
    void knownPointsAreNotMeasuredAgain() {
        Bench open("attn-only-2l");
        QVERIFY(open.isReady());
        open.bench.measure(questionOf({OrderKind::WeightNorm}));
        QVERIFY(open.isMeasured());
        std::size_t most_curves = 0;
        std::size_t least_points = 100;
        connect(&open.bench, &PruningBench::resultChanged, this, [&] {
            const auto result = open.bench.result();
            if (!result || result->curves.empty())
                return;
            most_curves = std::max(most_curves, result->curves.size());
            least_points = std::min(least_points, result->curves.front().points.size());
        });
        open.bench.measure(questionOf({OrderKind::WeightNorm, OrderKind::OutputNorm}));
        QVERIFY(open.isMeasured());
        QCOMPARE(most_curves, std::size_t{2});
        QCOMPARE(least_points, std::size_t{4});
        QCOMPARE(open.bench.result()->curves.size(), std::size_t{2});
        PruningQuestion other = questionOf({OrderKind::WeightNorm});
        other.replacement = Replacement::Mean;
        open.bench.measure(other);
        QVERIFY(!open.bench.result()); // nothing of another way is taken up
        QVERIFY(open.isMeasured());
    }

    void stoppedCurvesStayAndGoOn() {
        Bench open("gpt2-mini-6l");
        QVERIFY(open.isReady());
        const PruningQuestion question = questionOf({OrderKind::WeightNorm, OrderKind::Ablation});
        const auto points = [&] {
            const auto result = open.bench.result();
            return result && !result->curves.empty() ? result->curves[0].points.size() : 0;
        };
        open.bench.measure(question);
        QVERIFY(QTest::qWaitFor([&] { return points() >= 1; }, kPatience));
        open.bench.stop();
        QCOMPARE(open.bench.state(), PruningBench::State::Stopped);
        const std::size_t before = points();
        QVERIFY(before >= 1);
        open.bench.measure(question);
        QCOMPARE(points(), before);
        QVERIFY(open.isMeasured());
        QCOMPARE(open.bench.result()->curves.size(), std::size_t{2});
    }

    void anotherModelEndsIt() {
        Bench open("gpt2-mini-6l");
        QVERIFY(open.isReady());
        open.bench.measure(questionOf({OrderKind::Ablation}));
        QSignalSpy changed(&open.document, &Document::modelChanged);
        open.document.open(QStringLiteral(HEADSCOPE_SAMPLE_MODELS "/attn-only-2l.h5"));
        QVERIFY(changed.wait(kPatience));
        QCOMPARE(open.bench.state(), PruningBench::State::Empty);
        QVERIFY(!open.bench.result() && !open.bench.worker().isBusy() && !open.bench.texts());
        QVERIFY(open.isReady());
    }

    void theSameTextTwiceIsRefused() {
        Bench open("attn-only-2l");
        PruningTextQuestion question = fewTokens();
        question.test = question.calibration;
        open.bench.setTexts(question);
        QTRY_VERIFY_WITH_TIMEOUT(!open.bench.textsError().isEmpty(), kPatience);
        QVERIFY(open.bench.textsError().contains(QStringLiteral("give two different texts")));
        QVERIFY(!open.bench.texts());
    }

    void failuresAreSaidAndKeepWhatIsKnown() {
        Bench open("attn-only-2l");
        QVERIFY(open.isReady());
        OrderSpec twice{OrderKind::OwnList};
        twice.own_list = {{0, 1}, {0, 1}};
        PruningQuestion question = questionOf({OrderKind::WeightNorm});
        question.orders.push_back(twice);
        open.bench.measure(question);
        QTRY_VERIFY_WITH_TIMEOUT(open.bench.state() == PruningBench::State::Failed, kPatience);
        QVERIFY(open.bench.error().contains(QStringLiteral("twice")));
        QCOMPARE(open.bench.result()->curves.size(), std::size_t{1});
        QVERIFY(open.bench.verdict());
    }

    void headsAreNamedByLayer() {
        QCOMPARE(headsText({{2, 1}, {0, 3}, {0, 0}}), QStringLiteral("L0 H0 H3 · L2 H1"));
    }
};

const headscope::test::TestRegistration<TestPruningBench> registration;

} // namespace test_pruning_bench

#include "test_pruning_bench.moc"
