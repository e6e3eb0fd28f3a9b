// Scores of the trained sample models against those that another implementation computed on the
// same rows of BOS + 64 random tokens + the same 64.

#include "core/heads/score_heads.h"
#include "core/heads/score_sequences.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>

namespace test_sample_scores {

using namespace headscope;
using headscope::test::loadSample;
using headscope::test::ReferenceFile;
using headscope::test::sampleReference;

namespace {

/// scores/rows [sequence, position]
std::vector<InputSequence> referenceRows(const ReferenceFile& reference) {
    const TokenIds rows = reference.ids("scores/rows");
    const Shape shape = reference.shape("scores/rows");
    std::vector<InputSequence> sequences;
    for (std::size_t i = 0; i < shape[0]; ++i) {
        const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(i * shape[1]);
        const TokenIds ids(begin, begin + static_cast<std::ptrdiff_t>(shape[1]));
        sequences.push_back({ids, true, (shape[1] - 1) / 2});
    }
    return sequences;
}

struct Known {
    LayerHead head;
    HeadTypeId label;
};

} // namespace

class TestSampleScores : public QObject {
    Q_OBJECT

private slots:
    void againstReference_data() {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"attn-only-2l", "gpt2-mini-6l", "llama-mini-gqa-4l", "bert-mini-4l"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void againstReference() {
        QFETCH(QString, name);
        const auto model = loadSample(name.toStdString());
        const ReferenceFile reference(sampleReference(name.toStdString()));
        const auto scores = scoreSequences(model, referenceRows(reference), "reference rows");
        QVERIFY2(scores, scores ? "" : scores.error().message.c_str());
        for (const HeadTypeId id : {HeadTypeId::Previous, HeadTypeId::Induction,
                                    HeadTypeId::Duplicate, HeadTypeId::Sink}) {
            const std::string key(headType(id).key);
            const Tensor expected = reference.floats("scores/" + key);
            QCOMPARE(expected.shape(), (Shape{scores->heads.layers(), scores->heads.heads(0)}));
            for (const LayerHead head : scores->heads)
                compare(scores->at(id, head), expected(head.layer, head.head), key);
        }
    }

    void knownHeads_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<std::vector<Known>>("known");
        using enum HeadTypeId;
        QTest::newRow("attn-only-2l")
            << QStringLiteral("attn-only-2l")
            << std::vector<Known>{{{0, 7}, Previous}, {{1, 3}, Induction}, {{1, 4}, Induction}};
        QTest::newRow("gpt2-mini-6l")
            << QStringLiteral("gpt2-mini-6l")
            << std::vector<Known>{{{0, 0}, Previous},  {{2, 1}, Duplicate}, {{4, 1}, Induction},
                                  {{4, 2}, Induction}, {{3, 5}, Induction}, {{4, 5}, Induction}};
        QTest::newRow("llama-mini-gqa-4l") << QStringLiteral("llama-mini-gqa-4l")
                                           << std::vector<Known>{{{1, 6}, Previous},
                                                                 {{2, 4}, Induction},
                                                                 {{2, 7}, Induction},
                                                                 {{2, 5}, Induction}};
        QTest::newRow("bert-mini-4l")
            << QStringLiteral("bert-mini-4l")
            << std::vector<Known>{{{2, 4}, Previous}, {{1, 2}, Previous}, {{2, 3}, Previous}};
    }
    void knownHeads() {
        QFETCH(QString, name);
        QFETCH(std::vector<Known>, known);
        const auto scores = scoreHeads(loadSample(name.toStdString()));
        QVERIFY2(scores, scores ? "" : scores.error().message.c_str());
        QCOMPARE(scores->measured_on[0].input,
                 std::string("10 random sequences of 50 tokens, repeated, seed 0"));
        QCOMPARE(scores->measured_on[0].bos, std::string("with BOS (id 0)"));
        for (const Known& each : known) {
            const auto found = labels(*scores, each.head, {});
            QVERIFY2(std::ranges::find(found, each.label) != found.end(),
                     qPrintable(QStringLiteral("%1.%2").arg(each.head.layer).arg(each.head.head)));
        }
        // A label for positions means more than twice the baseline, whatever the thresholds come to
        // be.
        for (const HeadScore& score : scores->scores) {
            const auto found = labels(*scores, score.head, {});
            if (headType(score.type).group == TypeGroup::Position &&
                score.score < 2 * score.baseline)
                QVERIFY(std::ranges::find(found, score.type) == found.end());
            QVERIFY(std::isnan(score.score) ||
                    (score.low <= score.score && score.score <= score.high));
        }
    }

    void progressAndStopBetweenSequences() {
        const auto model = loadSample("attn-only-2l");
        std::stop_source stop;
        std::vector<double> fractions;
        const Progress progress = [&](double fraction, std::string_view) {
            fractions.push_back(fraction);
            if (fractions.size() == 3)
                stop.request_stop();
        };
        const auto scores = scoreHeads(model, {}, progress, stop.get_token());
        QVERIFY(!scores);
        QCOMPARE(scores.error().code, ErrorCode::Cancelled);
        QCOMPARE(fractions.size(), std::size_t{3});
        QVERIFY(std::ranges::is_sorted(fractions));
    }

    void notebookIsTooShort() {
        const auto scores = scoreHeads(loadSample("notebook"));
        QVERIFY(!scores);
        QVERIFY(scores.error().message.find("its context holds 5 positions") != std::string::npos);
    }

private:
    /// The reference takes previous and sink over q ≥ 2; induction and duplicate begin later
    /// anyway.
    static void compare(const HeadScore& found, float expected, const std::string& key) {
        const double difference = found.variant - static_cast<double>(expected);
        QVERIFY2(std::abs(difference) <= 1e-4,
                 qPrintable(QStringLiteral("%1 of %2.%3: found %4, expected %5")
                                .arg(QString::fromStdString(key))
                                .arg(found.head.layer)
                                .arg(found.head.head)
                                .arg(found.variant)
                                .arg(expected)));
    }
};

const headscope::test::TestRegistration<TestSampleScores> registration;

} // namespace test_sample_scores

#include "test_sample_scores.moc"
