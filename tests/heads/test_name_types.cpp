// Types of the indirect-object task on constructed patterns: perfect, even and inverted heads.

#include "core/heads/head_type.h"
#include "core/heads/score_sequences.h"
#include "core/heads/sequences.h"
#include "tests/heads/pattern_run.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/support/show_patterns.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

namespace test_name_types {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr std::size_t kIo = 2;
constexpr std::size_t kS1 = 4;
constexpr std::size_t kS2 = 7;
constexpr std::size_t kEnd = 9;

/// The others do the opposite.
PerHead<bool> onlyGiven(bool value) {
    PerHead<bool> values(HeadIndex(2, 3), !value);
    values[kGiven] = value;
    return values;
}

InputSequence nameSequence(bool copies = true, bool negates = false) {
    NameTask task{.io = kIo,
                  .s1 = kS1,
                  .s2 = kS2,
                  .end = kEnd,
                  .io_token = 3,
                  .s_token = 5,
                  .copies = onlyGiven(copies),
                  .negates = onlyGiven(negates)};
    InputSequence sequence{.ids = {0, 1, 3, 2, 5, 6, 7, 5, 8, 9}, .has_bos = true};
    sequence.names = std::make_shared<const NameTask>(std::move(task));
    return sequence;
}

Measurement measured(HeadTypeId id, const Pattern& pattern, const InputSequence& sequence) {
    Run run = runWithPattern(sequence.ids, pattern);
    auto model = std::make_shared<Model>(*run.model);
    model->spec.d_vocab = 100;
    run.model = model;
    const auto meter = headType(id).meter(run.model, sequence);
    showPatterns(run, *meter);
    return meter->measurement();
}

/// `share` of `query` on `key`, the rest on position 0.
Pattern looking(std::size_t query, std::size_t key, double share = 1.0) {
    return [=](std::size_t q, std::size_t k) {
        const double on_key = q == query ? share : 0.0;
        return k == key ? on_key : k == 0 ? 1.0 - on_key : 0.0;
    };
}

double evenly(std::size_t q, std::size_t) {
    return 1.0 / static_cast<double>(q + 1);
}

bool near(double found, double expected) {
    if (std::abs(found - expected) < 1e-6)
        return true;
    qWarning("found %.9g, expected %.9g", found, expected);
    return false;
}

} // namespace

class TestNameTypes : public QObject {
    Q_OBJECT

private slots:
    void looks_data() {
        QTest::addColumn<HeadTypeId>("id");
        QTest::addColumn<std::size_t>("query");
        QTest::addColumn<std::size_t>("key");
        QTest::newRow("S-inhibition") << HeadTypeId::SInhibition << kEnd << kS2;
        QTest::newRow("duplicate name") << HeadTypeId::DuplicateName << kS2 << kS1;
    }
    void looks() {
        QFETCH(HeadTypeId, id);
        QFETCH(std::size_t, query);
        QFETCH(std::size_t, key);
        const InputSequence sequence = nameSequence();
        const Measurement perfect = measured(id, looking(query, key), sequence);
        QVERIFY(near(perfect.heads[kGiven].score, 1.0));
        QVERIFY(near(perfect.heads[kGiven].weight, 1.0));
        // Three quarters rest on the first position: all that is left is on the name.
        const Measurement resting = measured(id, looking(query, key, 0.25), sequence);
        QVERIFY(near(resting.heads[kGiven].score, 1.0));
        QVERIFY(near(resting.heads[kGiven].variant, 0.25));
        QVERIFY(near(resting.heads[kGiven].weight, 0.25));
        QVERIFY(near(measured(id, looking(query, key, 1e-5), sequence).heads[kGiven].score, 1.0));
        const Measurement wholly = measured(id, looking(query, key, 1e-7), sequence);
        QCOMPARE(wholly.heads[kGiven].score, 0.0); // that is rounding
        QVERIFY(near(measured(id, looking(query, kIo), sequence).heads[kGiven].score, 0.0));
        const Measurement even = measured(id, evenly, sequence);
        QVERIFY(near(even.heads[kGiven].score, even.heads[kGiven].baseline));
        QVERIFY(near(even.heads[kGiven].baseline, 1.0 / static_cast<double>(query)));
    }

    void moversMustWriteTheName() {
        const Pattern perfect = looking(kEnd, kIo, 0.8);
        const Measurement mover = measured(HeadTypeId::NameMover, perfect, nameSequence(true));
        QVERIFY(near(mover.heads[kGiven].score, 1.0));
        QVERIFY(near(mover.heads[kGiven].variant, 0.8));
        QVERIFY(near(mover.heads[kGiven].baseline, 1.0 / 9.0 * 5.0 / 100.0));
        const Measurement silent = measured(HeadTypeId::NameMover, perfect, nameSequence(false));
        QVERIFY(near(silent.heads[kGiven].score, 0.0));
        QVERIFY(near(silent.heads[kGiven].variant, 0.8)); // where it looks is still shown
        const InputSequence negating = nameSequence(false, true);
        QVERIFY(near(measured(HeadTypeId::NegativeNameMover, perfect, negating).heads[kGiven].score,
                     1.0));
        QVERIFY(near(measured(HeadTypeId::NameMover, perfect, negating).heads[kGiven].score, 0.0));
    }

    void nanAttentionIsNoScore() {
        const Pattern broken = [](std::size_t, std::size_t) {
            return std::numeric_limits<double>::quiet_NaN();
        };
        QVERIFY(std::isnan(
            measured(HeadTypeId::NameMover, broken, nameSequence(false)).heads[kGiven].score));
    }

    void otherTextSaysNothingOfNames() {
        const InputSequence text{.ids = {0, 1, 2, 3}, .has_bos = true};
        const Run run = runWithPattern(text.ids, evenly);
        for (const HeadType& type : headTypes())
            if (type.input == InputKind::Names)
                QVERIFY(type.meter(run.model, text) == nullptr);
        const HeadScores scores = scoresOfRun(run, true);
        QVERIFY(!scores.has(HeadTypeId::NameMover));
        QVERIFY(!scores.has(HeadTypeId::CopyingWeights));
        QVERIFY(scores.has(HeadTypeId::Previous));
    }

    void promptsOfASampleModel() {
        const auto model = loadSample("gpt2-mini-6l");
        const auto sequences = require(nameSequences(model, 4, 0, BosMode::Auto));
        QCOMPARE(sequences.size(), 4u);
        for (const InputSequence& sequence : sequences) {
            const NameTask& task = *sequence.names;
            QCOMPARE(sequence.ids[task.io], task.io_token);
            QCOMPARE(sequence.ids[task.s1], task.s_token);
            QCOMPARE(sequence.ids[task.s2], task.s_token);
            QCOMPARE(task.end, sequence.ids.size() - 1);
            QCOMPARE(task.copies.size(), 48u);
            const LayerHead copying{4, 1};
            QVERIFY(task.copies[copying]); // an induction head, which copies
            QVERIFY(!task.negates[copying]);
        }
    }

    /// Without its layers the network knows nothing of the sentence.
    void whoDoesNotDoTheTaskHasNoTypesOfIt() {
        Model model = *loadSample("gpt2-mini-6l");
        for (LayerWeights& layer : model.weights.layers) {
            std::ranges::fill(layer.attn.W_O.floats().values(), 0.0f);
            std::ranges::fill(layer.mlp.W_out.floats().values(), 0.0f);
        }
        const auto names =
            nameSequences(std::make_shared<const Model>(std::move(model)), 8, 0, BosMode::Auto);
        QVERIFY(!names);
        QVERIFY(names.error().message.find("prefers the right name in only") != std::string::npos);
    }

    void encodersHaveNoNextName() {
        const auto names = nameSequences(loadSample("bert-mini-4l"), 4, 0, BosMode::Auto);
        QVERIFY(!names);
        QVERIFY(names.error().message.find("next token") != std::string::npos);
    }
};

const headscope::test::TestRegistration<TestNameTypes> registration;

} // namespace test_name_types

#include "test_name_types.moc"
