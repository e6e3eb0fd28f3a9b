// The hand-made induction circuit: every pattern is known, so every score, baseline and loss
// is.

#include "core/engine/engine.h"
#include "core/engine/head_mask.h"
#include "core/engine/loss.h"
#include "core/heads/score_heads.h"
#include "core/heads/score_sequences.h"
#include "core/loading/load_model.h"
#include "tests/heads/pattern_run.h"
#include "tests/support/runner.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <map>
#include <string>

namespace test_induction_circuit {

using namespace headscope;
using headscope::test::scoresOfRun;

namespace {

using enum HeadTypeId;

const LayerHead kPreviousHead{0, 0};
const LayerHead kDuplicateHead{0, 1};
const LayerHead kSinkHead{0, 2};
const LayerHead kUniformHead{0, 3};
const LayerHead kInductionHead{1, 0};
const LayerHead kEraserHead{1, 1};
const LayerHead kSameTokenHead{1, 2};
const LayerHead kBackupHead{1, 3};

constexpr std::size_t kPeriod = 24; // what fits the 24 letters that are left of 26
constexpr double kRows = 2.0 * kPeriod;

const std::string kPath = HEADSCOPE_SAMPLE_MODELS "/induction-circuit.h5";

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

double harmonic(std::size_t n) {
    double sum = 0.0;
    for (std::size_t i = 1; i <= n; ++i)
        sum += 1.0 / static_cast<double>(i);
    return sum;
}

} // namespace

class TestInductionCircuit : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        auto loaded = loadModel(kPath);
        QVERIFY2(loaded, loaded ? "" : loaded.error().message.c_str());
        model_ = *loaded;
    }

    void fileIsReproduced() {
        const QTemporaryDir folder;
        const QString made = folder.filePath(QStringLiteral("made.h5"));
        QCOMPARE(QProcess::execute(QStringLiteral(MAKE_INDUCTION_CIRCUIT), {made}), 0);
        const QByteArray committed = contentOf(QString::fromStdString(kPath));
        QVERIFY(!committed.isEmpty());
        QVERIFY(contentOf(made) == committed);
    }

    void exactScores() {
        const auto scores = scoreHeads(model_);
        QVERIFY2(scores, scores ? "" : scores.error().message.c_str());
        QCOMPARE(scores->measured_on[0].input,
                 std::string("10 random sequences of 24 tokens, repeated, seed 0"));
        QCOMPARE(scores->measured_on[0].bos, std::string("with BOS (id 0)"));
        const double row_1 = 1.0 / kRows; // row 1 sees its previous token and BOS in one
        check(*scores, kPreviousHead, {{Previous, 1.0}, {Sink, row_1}});
        check(*scores, kDuplicateHead, {{Duplicate, 1.0}, {Current, 0.5}});
        check(*scores, kSinkHead, {{Sink, 1.0}, {Previous, row_1}});
        check(*scores, kInductionHead, {{Induction, 1.0}, {Sink, 0.5}, {Previous, row_1}});
        check(*scores, kBackupHead, {{Induction, 1.0}, {Sink, 0.5}, {Previous, row_1}});
        check(*scores, kEraserHead, {{Current, 1.0}});
        check(*scores, kSameTokenHead, {{Duplicate, 0.5}, {Current, 0.75}});
    }

    void exactShapes() {
        const auto scores = onRepeats();
        const auto score = [&](HeadTypeId id, LayerHead head) {
            return scores->at(id, head).score;
        };
        QCOMPARE(score(Positional, kPreviousHead), 1.0);
        QVERIFY(std::abs(score(Local, kPreviousHead) - 1.0) <= 1e-6);
        QVERIFY(std::abs(score(Diffuse, kPreviousHead)) <= 1e-4);
        QVERIFY(std::abs(score(Diffuse, kUniformHead) - 1.0) <= 1e-5);
        const HeadScore& far = scores->at(LongRange, kUniformHead);
        QVERIFY(std::abs(far.score - far.baseline) <= 1e-5);
        // A copy of the row's own token, in a sequence without repeats before it, lies at offset 0.
        QCOMPARE(score(Positional, kEraserHead), 0.0);
        // It leaves nothing to the content, so that nothing can be said of where that goes.
        QVERIFY(std::isnan(score(Local, kSinkHead)) && std::isnan(score(LongRange, kSinkHead)));
        QVERIFY(!scores->has(Next)); // a causal model has no such heads
    }

    void exactBaseline() {
        const auto scores = onRepeats();
        const double copies = (harmonic(2 * kPeriod + 1) - harmonic(kPeriod + 1)) / kPeriod;
        const double rows = (harmonic(2 * kPeriod + 1) - 1.0) / kRows;
        const std::map<HeadTypeId, double> baseline{{Previous, rows},
                                                    {Current, rows},
                                                    {Sink, rows},
                                                    {Induction, copies},
                                                    {Duplicate, copies}};
        check(*scores, kUniformHead, baseline);
        for (const auto& [id, expected] : baseline)
            QVERIFY(std::abs(scores->at(id, kUniformHead).baseline - expected) <= 1e-12);
        auto found = labels(*scores, kUniformHead, {});
        std::ranges::sort(found);
        QCOMPARE(found, (std::vector{Dormant, WritesNothing, Diffuse}));
    }

    void labelsOfEveryHead() {
        const auto scores = onRepeats();
        using Labels = std::vector<HeadTypeId>;
        // Heads that only look write nothing; where that stands among the labels rounding decides.
        const auto isDormant = [&](LayerHead head) {
            const Labels found = labels(*scores, head, {});
            const bool writes_nothing = std::ranges::count(found, WritesNothing) == 1;
            return writes_nothing && std::ranges::count(found, Dormant) == 1;
        };
        const auto of = [&](LayerHead head) {
            Labels found = labels(*scores, head, {});
            std::erase(found, Dormant);
            std::erase(found, WritesNothing);
            return found;
        };
        QCOMPARE(of(kPreviousHead), (Labels{Previous, Positional, Local}));
        QCOMPARE(of(kDuplicateHead), (Labels{Duplicate, Current}));
        QCOMPARE(of(kSinkHead), Labels{Sink});
        QCOMPARE(of(kInductionHead), (Labels{Induction, Sink, Copying}));
        QCOMPARE(of(kBackupHead), (Labels{Induction, Sink, Copying}));
        QCOMPARE(of(kEraserHead), (Labels{Current, Local}));
        QCOMPARE(of(kSameTokenHead), (Labels{Current, Duplicate, Local}));
        for (const LayerHead head : {kSinkHead, kDuplicateHead, kUniformHead, kSameTokenHead})
            QVERIFY2(isDormant(head), std::to_string(head.head).c_str());
        for (const LayerHead head : {kPreviousHead, kInductionHead, kBackupHead})
            QVERIFY2(!isDormant(head), std::to_string(head.head).c_str());
    }

    // The induction head writes −W_O: it looks as before, and speaks against what it looks at.
    void aHeadThatSpeaksAgainstARepeatSuppressesCopies() {
        auto turned = std::make_shared<Model>(*model_);
        AttentionWeights& attn = turned->weights.layers[kInductionHead.layer].attn;
        attn.W_O = WeightTensor(attn.W_O.widened()); // of its own
        const std::size_t width = turned->spec.valueDim();
        MutableMatrixView W_O = attn.W_O.floats().matrix();
        for (std::size_t i = 0; i < width; ++i)
            for (std::size_t column = 0; column < W_O.cols; ++column)
                W_O(turned->spec.headPlace(kInductionHead) * width + i, column) *= -1.0f;
        const auto scores = scoreHeads(turned);
        QVERIFY(scores);
        const auto found = labels(*scores, kInductionHead, {});
        QCOMPARE(std::ranges::count(found, CopySuppression), 1);
        QCOMPARE(std::ranges::count(found, Induction), 1);
        QCOMPARE(std::ranges::count(found, Copying), 0);
        // Its score is that of the head that copies.
        const auto before = scoreHeads(model_);
        QVERIFY(std::abs(scores->at(CopySuppression, kInductionHead).score -
                         before->at(Copying, kInductionHead).score) <= 1e-6);
        QVERIFY(scores->at(CopySuppression, kBackupHead).score < 0.04);
        for (const LayerHead head : before->heads)
            QCOMPARE(std::ranges::count(labels(*before, head, {}), CopySuppression), 0);
    }

    // Without BOS the first token of X is its own previous token for head 0.0, so that its one
    // repeat finds two equally good keys; every other repeat finds one.
    void withoutBos() {
        const auto scores = scoreHeads(model_, {.bos = BosMode::No});
        QVERIFY2(scores, scores ? "" : scores.error().message.c_str());
        QCOMPARE(scores->measured_on[0].bos, std::string("without BOS"));
        const double induction = (kPeriod - 0.5) / kPeriod;
        QVERIFY(std::abs(scores->at(Induction, kInductionHead).score - induction) <= 1e-6);
        QVERIFY(std::abs(scores->at(Duplicate, kDuplicateHead).score - 1.0) <= 1e-6);
        QVERIFY(std::abs(scores->at(Previous, kPreviousHead).score - 1.0) <= 1e-6);
        QVERIFY(std::abs(scores->at(Sink, kSinkHead).score - 1.0) <= 1e-6);
    }

    void tiesAreSharedEvenly() {
        const auto run = runOf("a b a c a");
        for (const std::size_t key : {2u, 4u}) // what followed the two earlier a
            QVERIFY(std::abs(run->weight(kInductionHead, 5, key) - 0.5f) <= 1e-6f);
        for (const std::size_t key : {1u, 3u, 5u})
            QVERIFY(std::abs(run->weight(kSameTokenHead, 5, key) - 1.0f / 3.0f) <= 1e-6f);
        QCOMPARE(run->weight(kDuplicateHead, 5, 1), 1.0f);
        const HeadScores scores = scoresOfRun(*run, true);
        QVERIFY(std::abs(scores.at(Induction, kInductionHead).score - 1.0) <= 1e-6);
    }

    void patternsAreExact() {
        const auto run = runOf("a b c d a b c");
        for (std::size_t q = 1; q < run->positions(); ++q) {
            QCOMPARE(run->weight(kPreviousHead, q, q - 1), 1.0f);
            QCOMPARE(run->weight(kEraserHead, q, q), 1.0f);
            QCOMPARE(run->weight(kSinkHead, q, 0), 1.0f);
            QCOMPARE(run->weight(kInductionHead, q, q < 5 ? 0 : q - 3), 1.0f);
        }
    }

    void predictsTheInducedToken() {
        const auto run = runOf("A B C D A B C"); // upper case is the same
        const auto best = topPredictions(run->logits, 7, 1);
        QCOMPARE(model_->tokenizer->piece(best[0].id), std::string("d"));
        QVERIFY(best[0].probability > 0.9999);
        for (const Prediction& prediction : topPredictions(run->logits, 4, 28))
            QVERIFY(std::abs(prediction.probability - 1.0 / 28.0) <= 1e-6);
    }

    // A row without an earlier occurrence knows nothing: BOS and all of the first copy but its last
    // token's successor, and that one, cost ln 28 each; the other L − 1 rows cost nothing.
    void exactLoss() {
        const auto sequences = *repeatedRandomSequences(*model_, {.sequences = 1});
        const auto run = *runModel(model_, sequences[0].ids);
        const double expected = (kPeriod + 1.0) / kRows * std::log(28.0);
        QVERIFY(std::abs(*meanNextTokenLoss(run->logits, run->ids) - expected) <= 1e-4);
    }

    void whatHeadsAreWorth_data() {
        QTest::addColumn<QString>("off");
        QTest::addColumn<bool>("still_predicts");
        QTest::newRow("previous") << QStringLiteral("0.0") << false;
        QTest::newRow("one induction head") << QStringLiteral("1.0") << true;
        QTest::newRow("the other") << QStringLiteral("1.3") << true;
        QTest::newRow("both") << QStringLiteral("1.0 1.3") << false;
        QTest::newRow("all that only look") << QStringLiteral("0.1 0.2 0.3 1.2") << true;
    }
    void whatHeadsAreWorth() {
        QFETCH(QString, off);
        QFETCH(bool, still_predicts);
        const auto mask = parseHeadMask(off.toStdString(), model_->spec, AblationKind::Zero);
        HookSet hooks;
        addAblation(hooks, *mask, model_->spec);
        const auto prompt = promptFromText(*model_, "a b c d a b c", BosMode::Yes);
        const auto run = *runModel(model_, prompt->ids, {}, hooks);
        const auto best = topPredictions(run->logits, 7, 1);
        QCOMPARE(model_->tokenizer->piece(best[0].id) == "d" && best[0].probability > 0.99,
                 still_predicts);
    }

private:
    /// The attention of one head on the targets of each type; 0 where none is given.
    static void check(const HeadScores& scores, LayerHead head,
                      const std::map<HeadTypeId, double>& expected) {
        for (const HeadTypeId id : {Previous, Induction, Duplicate, Current, Sink}) {
            const auto found = expected.find(id);
            const double value = found == expected.end() ? 0.0 : found->second;
            const HeadScore& score = scores.at(id, head);
            const std::string name(headType(id).key);
            QVERIFY2(std::abs(score.score - value) <= 1e-6,
                     qPrintable(QStringLiteral("%1 of %2.%3: found %4, expected %5")
                                    .arg(QString::fromStdString(name))
                                    .arg(head.layer)
                                    .arg(head.head)
                                    .arg(score.score, 0, 'g', 9)
                                    .arg(value, 0, 'g', 9)));
            QVERIFY(std::abs(score.low - value) <= 1e-6 && std::abs(score.high - value) <= 1e-6);
        }
    }

    Result<HeadScores> onRepeats() const {
        return scoreSequences(model_, *repeatedRandomSequences(*model_, {}), "repeats");
    }

    std::shared_ptr<const Run> runOf(const std::string& text) const {
        const auto prompt = promptFromText(*model_, text, BosMode::Yes);
        if (!prompt)
            qFatal("%s", prompt.error().message.c_str());
        auto run = runModel(model_, prompt->ids);
        if (!run)
            qFatal("%s", run.error().message.c_str());
        return *run;
    }

    std::shared_ptr<const Model> model_;
};

const headscope::test::TestRegistration<TestInductionCircuit> registration;

} // namespace test_induction_circuit

#include "test_induction_circuit.moc"
