// Types of grammar on sentences with known words: perfect heads, heads that keep a distance, and
// even ones.

#include "core/datasets/bundled.h"
#include "core/heads/annotation.h"
#include "core/heads/head_type.h"
#include "core/heads/score_heads.h"
#include "core/heads/sequences.h"
#include "tests/heads/pattern_run.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/support/show_patterns.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

namespace test_word_meters {

using namespace headscope;
using headscope::test::kGiven;
using headscope::test::loadSample;
using headscope::test::Pattern;
using headscope::test::runWithPattern;
using headscope::test::showPatterns;

namespace {

/// BOS, then: The(1) old(2) cats(3,4) saw(5) her(6) ,(7) and(8) they(9) ran(10) fast(11) .(12)
/// "cats" is two tokens.
InputSequence catsSaw() {
    const auto word = [](const char* form, const char* word_class,
                         std::optional<std::size_t> head = {}, const char* relation = "") {
        Word made;
        made.form = form;
        made.word_class = word_class;
        made.head = head;
        made.relation = relation;
        return made;
    };
    Annotation annotation;
    annotation.sentence.words = {word("The", "DET", 2, "det"),     word("old", "ADJ", 2, "amod"),
                                 word("cats", "NOUN", 3, "nsubj"), word("saw", "VERB", {}, "root"),
                                 word("her", "PRON", 3, "obj"),    word(",", "PUNCT", 3, "punct"),
                                 word("and", "CCONJ", 8, "cc"),    word("they", "PRON", 8, "nsubj"),
                                 word("ran", "VERB", 3, "conj"),   word("fast", "ADV", 8, "advmod"),
                                 word(".", "PUNCT", 3, "punct")};
    annotation.sentence.words[7].antecedent = 2;
    annotation.words = {{1, 2}, {2, 3},  {3, 5},   {5, 6},   {6, 7},  {7, 8},
                        {8, 9}, {9, 10}, {10, 11}, {11, 12}, {12, 13}};
    annotation.usual = std::make_shared<const UsualPlaces>(usualPlaces({&annotation, 1}));
    InputSequence sequence;
    for (TokenId id = 0; id < 13; ++id)
        sequence.ids.push_back(id);
    sequence.has_bos = true;
    sequence.annotation = std::make_shared<const Annotation>(annotation);
    return sequence;
}

std::optional<Measurement> measure(HeadTypeId id, const Pattern& pattern, bool causal = true,
                                   const InputSequence& sequence = catsSaw()) {
    const Run run = runWithPattern(sequence.ids, pattern, causal);
    const auto meter = headType(id).meter(run.model, sequence);
    if (!meter)
        return std::nullopt;
    showPatterns(run, *meter);
    return meter->measurement();
}

/// All on one key for each query; on position 0 where none is given.
Pattern lookingAt(const std::map<std::size_t, std::size_t>& keys) {
    return [keys](std::size_t q, std::size_t k) {
        const auto found = keys.find(q);
        return k == (found == keys.end() ? 0 : found->second) ? 1.0 : 0.0;
    };
}

double even(std::size_t q, std::size_t) {
    return 1.0 / static_cast<double>(q + 1);
}
double broken(std::size_t, std::size_t) {
    return std::numeric_limits<double>::quiet_NaN();
}

bool near(double found, double expected, double tolerance = 1e-6) {
    if (std::abs(found - expected) <= tolerance)
        return true;
    qWarning("found %.9g, expected %.9g", found, expected);
    return false;
}

} // namespace

class TestWordMeters : public QObject {
    Q_OBJECT

private slots:
    void linksOfASentence() {
        const InputSequence cats_saw = catsSaw();
        const Sentence& sentence = cats_saw.annotation->sentence;
        const auto subjects = linkedWords(sentence, WordLink::SubjectVerb);
        QCOMPARE(subjects.size(), std::size_t{2});
        QVERIFY(subjects[0].later == 3 && subjects[0].earlier == 2);
        QVERIFY(subjects[1].later == 8 && subjects[1].earlier == 7);
        const auto mentions = linkedWords(sentence, WordLink::Coreference);
        QVERIFY(mentions.size() == 1 && mentions[0].later == 7 && mentions[0].earlier == 2);
        // "saw" and "ran", the comma and the full stop, of seven pairs of tokens.
        QCOMPARE(catsSaw().annotation->usual->same_class.at(5), 2.0 / 7.0);
        QCOMPARE(catsSaw().annotation->usual->words_apart[0], std::size_t{5});
        QCOMPARE(catsSaw().annotation->usual->words_apart[1], std::size_t{1});
    }

    void rowsOfWordsCount() {
        // "they" sees "her", "ran" sees "saw", "." sees ","; the others see no word of their class.
        QCOMPARE(measure(HeadTypeId::WordClass, even)->rows, 3.0);
    }

    // "saw" (5) at the second token of "cats" (4), "ran" (10) at "they" (9).
    void perfectSubjectHead() {
        const auto found = measure(HeadTypeId::SubjectVerb, lookingAt({{5, 4}, {10, 9}}));
        QCOMPARE(found->rows, 2.0);
        QCOMPARE(found->heads[kGiven].score, 1.0);
        QCOMPARE(found->heads[kGiven].baseline, 1.0); // one word back finds both here
        QVERIFY(std::isnan(found->heads[kGiven].variant));
        // One of two.
        QCOMPARE(
            measure(HeadTypeId::SubjectVerb, lookingAt({{5, 4}, {10, 8}}))->heads[kGiven].score,
            0.5);
    }

    // The tokens of a word count together: .3 + .3 on "cats" beat .4 on "old".
    void piecesOfAWordAddUp() {
        const Pattern split = [](std::size_t q, std::size_t k) {
            if (q != 5)
                return k == 0 ? 1.0 : 0.0;
            return k == 2 ? 0.4 : k == 3 || k == 4 ? 0.3 : 0.0;
        };
        QCOMPARE(measure(HeadTypeId::SubjectVerb, split)->heads[kGiven].score,
                 0.5); // "ran" finds nothing
    }

    void restingOnBosIsNoAnswer() {
        const Pattern mostly_bos = [](std::size_t q, std::size_t k) {
            if (q == 6)
                return k == 0 ? 0.9 : k == 5 ? 0.1 : 0.0;
            return k == 0 ? 1.0 : 0.0;
        };
        QCOMPARE(measure(HeadTypeId::VerbObject, mostly_bos)->heads[kGiven].score, 1.0);
    }

    void encodersLookAheadToo() {
        // "fast" (11) and "ran" (10) look at each other.
        const Pattern pair = [](std::size_t q, std::size_t k) {
            return (q == 11 && k == 10) || (q == 10 && k == 11) ? 1.0
                   : q != 10 && q != 11 && k == 0               ? 1.0
                                                                : 0.0;
        };
        const auto found = measure(HeadTypeId::Adverb, pair, false);
        QCOMPARE(found->heads[kGiven].score, 1.0);
        QCOMPARE(found->heads[kGiven].variant, 1.0);
    }

    void coreference() {
        QCOMPARE(measure(HeadTypeId::Coreference, lookingAt({{9, 3}}))->heads[kGiven].score, 1.0);
        QCOMPARE(measure(HeadTypeId::Coreference, lookingAt({{9, 6}}))->heads[kGiven].score, 0.0);
    }

    void punctuation() {
        // Queries behind the comma (7): 8 … 12.
        const auto found = measure(HeadTypeId::Punctuation,
                                   lookingAt({{8, 7}, {9, 7}, {10, 7}, {11, 7}, {12, 7}}));
        QCOMPARE(found->rows, 5.0);
        QCOMPARE(found->heads[kGiven].score, 1.0);
        const auto spread = measure(HeadTypeId::Punctuation, even);
        QVERIFY(near(spread->heads[kGiven].score, spread->heads[kGiven].baseline));
        QVERIFY(!measure(HeadTypeId::Quotation, even)); // there is none
    }

    void piecesOfAWord() {
        // "cats" is tokens 3 and 4; the second is the only one that goes on with a word.
        const auto found = measure(HeadTypeId::Subword, lookingAt({{4, 3}}));
        QCOMPARE(found->rows, 1.0);
        QCOMPARE(found->heads[kGiven].score, 1.0);
        const auto spread = measure(HeadTypeId::Subword, even);
        QVERIFY(near(spread->heads[kGiven].score, 1.0 / 5.0));
        QVERIFY(near(spread->heads[kGiven].baseline, 1.0 / 5.0));
        QCOMPARE(measure(HeadTypeId::Subword, lookingAt({{4, 2}}))->heads[kGiven].score, 0.0);
    }

    void piecesOfTheWordBefore() {
        const InputSequence cats_saw = catsSaw();
        const auto control = [&](const Pattern& pattern) {
            const Run run = runWithPattern(cats_saw.ids, pattern);
            const auto meter = headType(HeadTypeId::Subword).control->meter(run.model, cats_saw);
            showPatterns(run, *meter);
            return meter->measurement();
        };
        // Eleven tokens begin a word, and all but the first come after one.
        const Measurement found = control(lookingAt({{5, 4}, {4, 3}, {6, 4}}));
        QCOMPARE(found.rows, 10.0);
        QVERIFY(near(found.heads[kGiven].score, 0.1));
        // A head for the token before finds that as well as pieces of a word.
        const Pattern one_back = [](std::size_t q, std::size_t k) {
            return k + 1 == q || (q == 0 && k == 0) ? 1.0 : 0.0;
        };
        QCOMPARE(measure(HeadTypeId::Subword, one_back)->heads[kGiven].score, 1.0);
        QCOMPARE(control(one_back).heads[kGiven].score, 1.0);
    }

    void wordClassBeyondDistance() {
        // "ran" (10) at "saw" (5), "they" (9) at "her" (6), "." (12) at "," (7): all of one class.
        const auto found = measure(HeadTypeId::WordClass, lookingAt({{10, 5}, {9, 6}, {12, 7}}));
        QCOMPARE(found->heads[kGiven].score, 1.0);
        QCOMPARE(found->heads[kGiven].weight, 3.0);
        QVERIFY(found->heads[kGiven].baseline > 0.0 && found->heads[kGiven].baseline < 0.5);
        const InputSequence cats_saw = catsSaw();
        const UsualPlaces& usual = *cats_saw.annotation->usual;
        QVERIFY(near(found->heads[kGiven].baseline,
                     (2.0 * usual.same_class.at(5) + usual.same_class.at(3)) / 3.0));
        const auto one_back = measure(HeadTypeId::WordClass, [](std::size_t q, std::size_t k) {
            return k + 1 == q || (q == 0 && k == 0) ? 1.0 : 0.0;
        });
        QVERIFY(near(one_back->heads[kGiven].score,
                     one_back->heads[kGiven].baseline)); // what the distance gives
    }

    void brokenHeadsHaveNoScore() {
        for (const HeadTypeId id :
             {HeadTypeId::SubjectVerb, HeadTypeId::VerbObject, HeadTypeId::Adverb,
              HeadTypeId::Coreference, HeadTypeId::Punctuation, HeadTypeId::WordClass,
              HeadTypeId::Subword})
            QVERIFY(std::isnan(measure(id, broken)->heads[kGiven].score));
    }

    void noAnnotationNoMeter() {
        InputSequence plain = catsSaw();
        plain.annotation = nullptr;
        for (const HeadType& each : headTypes())
            if (each.group == TypeGroup::Words)
                QVERIFY(!measure(each.id, even, true, plain));
    }

    void bundledSentencesOfAModel() {
        const auto model = loadSample("gpt2-mini-6l");
        const auto sequences = sentenceSequences(*model, bundledSentences());
        QVERIFY2(sequences, sequences ? "" : sequences.error().message.c_str());
        QCOMPARE(sequences->size(), bundledSentences().size());
        const auto scores = scoreHeads(model);
        QVERIFY2(scores, scores ? "" : scores.error().message.c_str());
        QCOMPARE(scores->measuredOn(HeadTypeId::SubjectVerb).input,
                 std::to_string(bundledSentences().size()) + " bundled sentences");
        QVERIFY(scores->measuredOn(HeadTypeId::Previous).input.starts_with("10 random"));
        // Both inputs have a word on previous-token heads, and not the same.
        const HeadScore& previous = scores->at(HeadTypeId::Previous, {0, 0});
        QVERIFY(previous.on_sentences > 0.0 && previous.on_sentences != previous.score);
        QVERIFY(std::isnan(scores->at(HeadTypeId::Current, {0, 0}).on_sentences));
        for (const HeadScore& score : scores->scores) {
            const double least = score.type == HeadTypeId::CopyingWeights ? -1.0 : 0.0;
            QVERIFY(std::isnan(score.score) ||
                    (score.score >= least - 1e-9 && score.score <= 1.0 + 1e-9));
        }
    }

    void withoutATokenizer() { QVERIFY(!sentenceSequences(Model{}, bundledSentences())); }
};

const headscope::test::TestRegistration<TestWordMeters> registration;

} // namespace test_word_meters

#include "test_word_meters.moc"
