// The keys that a type names are those that its score counts.

#include "core/heads/annotation.h"
#include "core/heads/head_type.h"
#include "tests/heads/pattern_run.h"
#include "tests/support/runner.h"
#include "tests/support/show_patterns.h"

#include <QTest>

#include <algorithm>
#include <set>

namespace test_targets {

using namespace headscope;
using headscope::test::kGiven;
using headscope::test::runWithPattern;
using headscope::test::showPatterns;
using Keys = std::vector<std::size_t>;

namespace {

/// BOS He said, "I saw the cat," He said  – with ids by word, the rarest of them "I".
InputSequence heSaid() {
    const std::vector<std::string> pieces{"<bos>", "He",   " said", ",",   " \"", "I",
                                          " saw",  " the", " cat",  ",\"", " He", " said"};
    InputSequence sequence{{0, 5, 3, 7, 8, 20, 10, 11, 2, 12, 5, 3}, true};
    sequence.annotation = std::make_shared<const Annotation>(annotationOfMarks(pieces));
    return sequence;
}

/// BOS One day in the cold spring he said, "I saw, the cat," he said  – quoted late, after one mark
/// and with another inside.
InputSequence heSaidLater() {
    const std::vector<std::string> pieces{
        "<bos>", "One", " day", " in", " the", " cold", " spring", " he", " said", ",",
        " \"",   "I",   " saw", ",",   " the", " cat",  ",\"",     " he", " said"};
    InputSequence sequence{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 9, 4, 13, 14, 7, 8}, true};
    sequence.annotation = std::make_shared<const Annotation>(annotationOfMarks(pieces));
    return sequence;
}

InputSequence textFor(HeadTypeId id) {
    return id == HeadTypeId::Quotation ? heSaidLater() : heSaid();
}

Keys targetsAt(HeadTypeId id, std::size_t query, bool causal = true) {
    ModelSpec spec;
    spec.causal = causal;
    const InputSequence sequence = textFor(id);
    Keys keys = headType(id).targets(spec, sequence)(sequence, query);
    std::ranges::sort(keys);
    return keys;
}

} // namespace

class TestTargets : public QObject {
    Q_OBJECT

private slots:
    void someTypesNameKeys() {
        std::string letters;
        for (const HeadType& each : headTypes())
            if (each.targets)
                letters += each.letter;
        QCOMPARE(letters, std::string("PIDCSNKUQL"));
    }

    // Drift between the two would show here: a head that looks at the targets and nowhere else has
    // the best score there is.
    void aHeadThatLooksThereIsPerfect_data() {
        QTest::addColumn<int>("id");
        QTest::addColumn<bool>("causal");
        for (const HeadType& each : headTypes()) {
            if (!each.targets)
                continue;
            if (!each.looks_ahead)
                QTest::addRow("%s, causal", each.key.data()) << int(each.id) << true;
            QTest::addRow("%s, both ways", each.key.data()) << int(each.id) << false;
        }
    }
    void aHeadThatLooksThereIsPerfect() {
        QFETCH(int, id);
        QFETCH(bool, causal);
        const HeadType& type = headType(HeadTypeId(id));
        const InputSequence sequence = textFor(type.id);
        const auto pattern = [&](std::size_t q, std::size_t k) {
            const Keys keys = targetsAt(type.id, q, causal);
            if (keys.empty())
                return k == 0 ? 1.0 : 0.0;
            const bool found = std::ranges::find(keys, k) != keys.end();
            return found ? 1.0 / static_cast<double>(keys.size()) : 0.0;
        };
        const Run run = runWithPattern(sequence.ids, pattern, causal);
        const auto meter = type.meter(run.model, sequence);
        QVERIFY(meter);
        showPatterns(run, *meter);
        QVERIFY(std::abs(meter->measurement().heads[kGiven].score - 1.0) < 1e-6);
        QVERIFY(meter->measurement().heads[kGiven].baseline < 1.0);
    }

    void keysByHand() {
        using enum HeadTypeId;
        QCOMPARE(targetsAt(Previous, 4), Keys{3});
        QCOMPARE(targetsAt(Next, 4, false), Keys{5});
        QCOMPARE(targetsAt(Current, 4), Keys{4});
        QCOMPARE(targetsAt(Sink, 4), Keys{0});
        QCOMPARE(targetsAt(Duplicate, 10), Keys{1});
        QCOMPARE(targetsAt(Induction, 10), Keys{2});
        QCOMPARE(targetsAt(Induction, 9), Keys{});
        QCOMPARE(targetsAt(Rare, 7), Keys{5});
        QCOMPARE(targetsAt(Rare, 3, false), Keys{5});
        QCOMPARE(targetsAt(Punctuation, 7), (Keys{3, 4}));
        QCOMPARE(targetsAt(Punctuation, 7, false), (Keys{3, 4, 9}));
        QCOMPARE(targetsAt(Quotation, 12), Keys{}); // no mark follows the opening one yet
        QCOMPARE(targetsAt(Quotation, 13), Keys{10});
        QCOMPARE(targetsAt(Quotation, 16), Keys{10});
        QCOMPARE(targetsAt(Quotation, 17), Keys{});
        QCOMPARE(targetsAt(Local, 9), (Keys{6, 7, 8, 9}));
    }

    void nothingWithoutAnAnnotation() {
        const InputSequence plain{{0, 1, 2}, true};
        QVERIFY(!headType(HeadTypeId::Punctuation).targets({}, plain));
        QVERIFY(!headType(HeadTypeId::Quotation).targets({}, plain));
        QVERIFY(headType(HeadTypeId::Previous).targets({}, plain));
    }

    void marksOfAText() {
        const std::vector<std::string> pieces{" ",  "don't", "…",  "“", "a", "”",
                                              "\"", "\n",    ".,", "3", "—", "$"};
        const Annotation found = annotationOfMarks(pieces);
        std::set<std::size_t> marks;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            QCOMPARE(found.words[i], (TokenSpan{i, i + 1}));
            if (found.sentence.words[i].word_class == "PUNCT")
                marks.insert(i);
        }
        QCOMPARE(marks, (std::set<std::size_t>{2, 3, 5, 6, 8, 10}));
        // The last quotation mark has no partner.
        QCOMPARE(found.sentence.quotations.size(), std::size_t{1});
        QCOMPARE(found.sentence.quotations[0].open, std::size_t{3});
        QCOMPARE(found.sentence.quotations[0].close, std::size_t{5});
    }
};

const headscope::test::TestRegistration<TestTargets> registration;

} // namespace test_targets

#include "test_targets.moc"
