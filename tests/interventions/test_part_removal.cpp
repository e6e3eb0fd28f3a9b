// What a decomposition of a score predicts, measured: one part taken out of what a head reads.

#include "core/attribution/score_signals.h"
#include "core/engine/attention.h"
#include "core/engine/engine.h"
#include "core/interventions/part_removal.h"
#include "core/model/prompt.h"
#include "core/model/random_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_part_removal {

using namespace headscope;
using namespace headscope::test;

namespace {} // namespace

class TestPartRemoval : public QObject {
    Q_OBJECT

private slots:
    void measuresWhatIsPredicted_data() {
        QTest::addColumn<std::shared_ptr<const Model>>("model");
        for (const auto& names : {fixtureNames(), variantNames()})
            for (const std::string& name : names)
                QTest::newRow(name.c_str()) << loadFixture(name);
        // Norms of queries and keys that no positions turn afterwards.
        for (const QkNorm norm : {QkNorm::PerHead, QkNorm::AllHeads}) {
            ModelSpec spec = loadFixture("gpt2")->spec;
            spec.qk_norm = norm;
            QTest::addRow("q/k norm %d", static_cast<int>(norm)) << headscope::randomModel(spec, 4);
        }
    }
    /// With the norms held the score is linear in what the head reads: on both sides, of a head and
    /// of the embedding, within 1e-3 of what the row's scores come to.
    void measuresWhatIsPredicted() {
        QFETCH(std::shared_ptr<const Model>, model);
        const ModelSpec& spec = model->spec;
        const StreamRun run = require(StreamRun::read(model, {someIds(spec, 9)}));
        const LayerHead head = spec.allHeads().back();
        const std::size_t query = run.positions() - 1;
        const std::size_t key = query - 1;
        std::vector<StreamWriter> writers{{WriterKind::Embedding}};
        if (head.layer > 0)
            writers.push_back({WriterKind::Head, {0, 0}});
        for (const HeadSide side : {HeadSide::Query, HeadSide::Key})
            for (const StreamWriter& writer : writers) {
                const auto found = require(removePart(run, {head, query, key, side, writer, 2, 1}));
                const ScoreParts parts =
                    require(takeScoreApart(run, {head, query, key, ScoreContrast::Nothing}));
                const double size =
                    std::max({1e-2, std::abs(parts.score), std::abs(found.predicted.score)});
                QVERIFY(std::abs(found.whole.score - parts.score) <= 1e-4 * size);
                QVERIFY(std::abs(found.held.score - found.predicted.score) <= 1e-3 * size);
                QVERIFY(std::abs(found.held.weight - found.predicted.weight) <= 1e-3);
                QCOMPARE(found.random.size(), std::size_t{2});
                QVERIFY(found.held.kl.has_value() == (spec.output != OutputHead::None));
                const auto index = std::ranges::find(parts.writers, writer) - parts.writers.begin();
                const double part = parts.of(side)[static_cast<std::size_t>(index)];
                if (!parts.capped)
                    QVERIFY(std::abs(parts.score - part - found.held.score) <= 1e-3 * size);
            }
    }

    /// Of every direction the score loses, with the norms held, what was predicted; and where no
    /// biases lie along it, its very part.
    void directionsTakeTheirPartsAway_data() { measuresWhatIsPredicted_data(); }
    void directionsTakeTheirPartsAway() {
        QFETCH(std::shared_ptr<const Model>, model);
        const ModelSpec& spec = model->spec;
        const StreamRun run = require(StreamRun::read(model, {someIds(spec, 9)}));
        const LayerHead head = spec.allHeads().back();
        const std::size_t query = run.positions() - 1;
        const ScoreQuestion cell{head, query, query - 1, ScoreContrast::Nothing};
        const ScoreParts parts = require(takeScoreApart(run, cell));
        const ScoreSignals directions = require(scoreSignals(run, cell));
        for (const HeadSide side : {HeadSide::Query, HeadSide::Key})
            for (std::size_t rank = 1; rank <= 2; ++rank) {
                RemovalQuestion question = require(directionRemoval(run, cell, side, rank));
                QCOMPARE(removedPartText(question.part), "direction " + std::to_string(rank));
                question.random_directions = 0;
                const auto found = require(removePart(run, question));
                const double size =
                    std::max({1e-2, std::abs(parts.score), std::abs(found.predicted.score)});
                QVERIFY(std::abs(found.held.score - found.predicted.score) <= 1e-3 * size);
                const bool has_biases = std::abs(parts.of(side).back()) > 1e-6 * size;
                const double part = directions.directions[rank - 1].part;
                if (!parts.capped && !has_biases)
                    QVERIFY(std::abs(parts.score - part - found.held.score) <= 1e-3 * size);
            }
    }

    void refusesDirectionsThatAreNotThere() {
        const auto model = loadSample("gpt2-mini-6l");
        const StreamRun run = require(StreamRun::read(model, {someIds(model->spec, 9)}));
        for (const std::size_t rank : {std::size_t{0}, std::size_t{33}})
            QCOMPARE(directionRemoval(run, {{2, 1}, 5, 3}, HeadSide::Key, rank).error().message,
                     "Head 2.1 has 32 directions, counted from 1, and none with the number " +
                         std::to_string(rank) + ".");
    }

    /// Heads that share the key keep their scores: only what reads the changed head may change.
    void sparesTheOtherHeadsOfAGroup() {
        const auto model = loadSample("llama-mini-gqa-4l");
        const ModelSpec& spec = model->spec;
        QVERIFY(spec.headsPerGroup() > 1);
        const StreamRun run = require(StreamRun::read(model, {someIds(spec, 9)}));
        // In the last layer the head's own z is all that can change the prediction.
        const LayerHead head{spec.n_layers - 1, 0};
        const RemovalQuestion question{
            head, 8, 3, HeadSide::Key, StreamWriter{WriterKind::Embedding}, 0, 1};
        const auto found = require(removePart(run, question));
        // By hand: the head's pattern with one score lowered, all else as it was.
        HookSet hooks;
        const ScoreParts parts = require(takeScoreApart(run, {head, 8, 3, ScoreContrast::Nothing}));
        const StreamParts keys = headInputParts(run, head, HeadSide::Key, {3, 4});
        const Tensor& q = run.run().attention[head.layer].q;
        hooks.edit(
            HookPoint{HookKind::AttnScores, head.layer},
            [&](HookPoint, const MutableTensorView& scores) {
                for (std::size_t query = 3; query < run.positions(); ++query)
                    for (std::size_t i = 0; i < spec.d_head; ++i)
                        scores(0u, query, 3u) -=
                            static_cast<float>(spec.attention_scale[head.layer]) * q(query, 0u, i) *
                            keys.at(0, 3)[i];
            },
            0);
        Request request;
        request.logit_positions = {8};
        const auto edited = require(runModel(model, run.question().ids, request, hooks));
        const auto whole = require(runModel(model, run.question().ids, request));
        double moved = 0.0;
        double expected = 0.0;
        double sum = 0.0;
        double sum_edited = 0.0;
        for (std::size_t i = 0; i < spec.d_vocab; ++i) {
            sum += std::exp(static_cast<double>(whole->logits(0u, i)));
            sum_edited += std::exp(static_cast<double>(edited->logits(0u, i)));
        }
        for (std::size_t i = 0; i < spec.d_vocab; ++i) {
            const double p = static_cast<double>(whole->logits(0u, i)) - std::log(sum);
            const double r = static_cast<double>(edited->logits(0u, i)) - std::log(sum_edited);
            expected += std::exp(p) * (p - r);
            moved = std::max(moved, std::abs(p - r));
        }
        QVERIFY(moved > 1e-4);
        QVERIFY(std::abs(*found.held.kl - expected) <= 1e-3 * expected + 1e-7);
        QVERIFY(std::abs(parts.of(HeadSide::Key)[0]) > 1e-3);
    }

    /// Without what the previous token head wrote, the induction head of the circuit made by hand
    /// goes back to <BOS>; a random direction of that length leaves it where it was.
    void breaksTheInductionHead() {
        const auto model = loadSample("induction-circuit");
        const TokenIds ids = require(promptFromText(*model, "a b c d a b c", BosMode::Auto)).ids;
        const StreamRun run = require(StreamRun::read(model, {ids}));
        const auto found = require(removePart(
            run, {{1, 0}, 7, 4, HeadSide::Key, StreamWriter{WriterKind::Head, {0, 0}}, 10, 1}));
        QVERIFY(found.whole.weight > 0.99);
        QVERIFY(found.predicted.weight < 0.01);
        QVERIFY(found.held.weight < 0.01);
        QVERIFY(found.measured.weight < 0.01);
        QVERIFY(std::abs(found.predicted.score - (found.whole.score - 448.0)) < 0.5);
        QVERIFY(found.meanRandomScore() > found.measured.score + 100.0);
        QVERIFY(*found.measured.kl > 0.0); // little: head 1.3 does the same
        QCOMPARE(*found.whole.kl, 0.0);
    }

    void refusesWhatIsNoPart() {
        const auto model = loadSample("gpt2-mini-6l");
        const StreamRun run = require(StreamRun::read(model, {someIds(model->spec, 9)}));
        const auto refusal = [&](StreamWriter writer, std::size_t key) {
            return removePart(run, {{2, 1}, 5, key, HeadSide::Key, writer}).error().message;
        };
        QCOMPARE(refusal({WriterKind::Head, {2, 0}}, 3),
                 std::string("There is no part of head 2.0 in what head 2.1 reads."));
        QCOMPARE(refusal({WriterKind::Biases}, 3),
                 std::string("There is no part of biases in what head 2.1 reads."));
        QVERIFY(refusal({WriterKind::Embedding}, 6).find("does not see key 6") !=
                std::string::npos);
        std::stop_source stop;
        stop.request_stop();
        const auto stopped =
            removePart(run, {{2, 1}, 5, 3, HeadSide::Key, StreamWriter{WriterKind::Embedding}},
                       stop.get_token());
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    }
};

const headscope::test::TestRegistration<TestPartRemoval> registration;

} // namespace test_part_removal

#include "test_part_removal.moc"
