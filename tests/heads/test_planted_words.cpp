// Heads that are made to look at words of the bundled sentences in a certain way: each has the
// label of what it does, and impostors that only look alike have none.

#include "core/datasets/bundled.h"
#include "core/heads/annotation.h"
#include "core/heads/head_type.h"
#include "core/heads/score_sequences.h"
#include "core/heads/sequences.h"
#include "tests/heads/pattern_run.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/support/show_patterns.h"

#include <QTest>

#include <algorithm>
#include <string_view>
#include <vector>

namespace test_planted_words {

using namespace headscope;
using namespace headscope::test;

namespace {

using enum HeadTypeId;
using Keys = std::vector<std::size_t>;

/// The keys that a query looks at evenly; none: it rests on position 0.
using Look = Keys (*)(const Annotation& annotation, const Keys& word_of, std::size_t q);

bool isOf(const Annotation& annotation, std::size_t word, std::string_view word_class) {
    return word < annotation.words.size() &&
           annotation.sentence.words[word].word_class == word_class;
}

/// Tokens from 1 up to `last` whose word is of this class.
Keys tokensOf(const Annotation& annotation, const Keys& word_of, std::size_t last,
              std::string_view word_class) {
    Keys keys;
    for (std::size_t k = 1; k <= last; ++k)
        if (isOf(annotation, word_of[k], word_class))
            keys.push_back(k);
    return keys;
}

Keys lastOf(const Keys& keys) {
    return keys.empty() ? keys : Keys{keys.back()};
}

Keys marks(const Annotation& annotation, const Keys& word_of, std::size_t q) {
    return tokensOf(annotation, word_of, q, "PUNCT");
}
Keys lastMark(const Annotation& annotation, const Keys& word_of, std::size_t q) {
    return lastOf(marks(annotation, word_of, q));
}
Keys firstWords(const Annotation&, const Keys&, std::size_t q) {
    Keys keys;
    for (std::size_t k = 1; k <= std::min<std::size_t>(q, 8); ++k)
        keys.push_back(k);
    return keys;
}
Keys quotationMark(const Annotation& annotation, const Keys&, std::size_t q) {
    for (const auto& each : annotation.sentence.quotations)
        if (q >= annotation.words[each.open].end && q < annotation.words[each.close].end)
            return {annotation.words[each.open].end - 1};
    return {};
}
Keys lastNoun(const Annotation& annotation, const Keys& word_of, std::size_t q) {
    return lastOf(tokensOf(annotation, word_of, q - 1, "NOUN"));
}
Keys subject(const Annotation& annotation, const Keys& word_of, std::size_t q) {
    for (const WordPair pair : linkedWords(annotation.sentence, WordLink::SubjectVerb))
        if (word_of[q] == pair.later && annotation.words[pair.earlier].first > 0)
            return {annotation.words[pair.earlier].first};
    return {};
}
/// Without a word of its class it looks one back: it never rests.
Keys ownClass(const Annotation& annotation, const Keys& word_of, std::size_t q) {
    Keys keys;
    for (std::size_t k = 1; k < q; ++k)
        if (word_of[q] < annotation.words.size() && word_of[k] != word_of[q] &&
            isOf(annotation, word_of[k], annotation.sentence.words[word_of[q]].word_class))
            keys.push_back(k);
    return keys.empty() ? Keys{q - 1} : keys;
}
/// What looks at its own token elsewhere.
Keys sameWord(const Annotation& annotation, const Keys& word_of, std::size_t q) {
    Keys keys;
    for (std::size_t k = 1; k < q; ++k)
        if (word_of[q] < annotation.words.size() && word_of[k] < annotation.words.size() &&
            annotation.sentence.words[word_of[k]].form ==
                annotation.sentence.words[word_of[q]].form &&
            word_of[k] != word_of[q])
            keys.push_back(k);
    return keys;
}
Keys firstToken(const Annotation&, const Keys&, std::size_t) {
    return {1};
}
Keys eightBack(const Annotation&, const Keys&, std::size_t q) {
    return {q > 8 ? q - 8 : 1};
}
Keys oneBack(const Annotation&, const Keys&, std::size_t q) {
    return {q - 1};
}

/// The earlier tokens of its word.
Keys itsWord(const Annotation&, const Keys& word_of, std::size_t q) {
    Keys keys;
    for (std::size_t k = 1; k < q; ++k)
        if (word_of[k] == word_of[q])
            keys.push_back(k);
    return keys;
}
/// Likewise, and of a token that begins a word the token itself.
Keys beginningOfWord(const Annotation& annotation, const Keys& word_of, std::size_t q) {
    return word_of[q] < annotation.words.size() ? Keys{annotation.words[word_of[q]].first} : Keys{};
}
Keys threeBack(const Annotation&, const Keys&, std::size_t q) {
    Keys keys;
    for (std::size_t k = q > 3 ? q - 3 : 1; k <= q; ++k)
        keys.push_back(k);
    return keys;
}

struct Case {
    const char* name;
    Look look;
    double sink; ///< what rests on position 0, of every query
    HeadTypeId type;
    bool is_of_type;
};

const Case kCases[] = {
    {"quotation", quotationMark, 0.0, Quotation, true},
    {"quotation, half at rest", quotationMark, 0.5, Quotation, true},
    {"all marks", marks, 0.0, Quotation, false},
    {"the last mark", lastMark, 0.0, Quotation, false},
    {"the first words", firstWords, 0.0, Quotation, false},
    {"all marks are punctuation", marks, 0.0, Punctuation, true},
    {"subject", subject, 0.0, SubjectVerb, true},
    {"subject, half at rest", subject, 0.5, SubjectVerb, true},
    {"the last noun", lastNoun, 0.0, SubjectVerb, false},
    {"word class without a sink", ownClass, 0.0, WordClass, true},
    {"one back is no class", oneBack, 0.0, WordClass, false},
    {"the same word is no class", sameWord, 0.0, WordClass, false},
    {"earlier pieces of a word", itsWord, 0.0, Subword, true},
    {"earlier pieces of a word, half at rest", itsWord, 0.5, Subword, true},
    {"the first piece of a word", beginningOfWord, 0.0, Subword, true},
    {"three back are no word", threeBack, 0.0, Subword, false},
    {"the same word is not its pieces", sameWord, 0.0, Subword, false},
    {"what a sink leaves is no word", itsWord, 0.987, Subword, false},
    {"the first token", firstToken, 0.0, LongRange, true},
    {"eight back", eightBack, 0.0, LongRange, false},
    {"local", oneBack, 0.0, Local, true},
    {"what a sink leaves is not local", oneBack, 0.987, Local, false},
    {"what a sink leaves is no punctuation", marks, 0.987, Punctuation, false},
    {"what a sink leaves is no subject", subject, 0.987, SubjectVerb, false},
};

} // namespace

class TestPlantedWords : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        sequences_ = require(sentenceSequences(*loadSample("gpt2-mini-6l"), bundledSentences()));
    }

    void labelsAreOfWhatIsDone_data() {
        QTest::addColumn<std::size_t>("place");
        for (std::size_t place = 0; place < std::size(kCases); ++place)
            QTest::newRow(kCases[place].name) << place;
    }
    void labelsAreOfWhatIsDone() {
        QFETCH(std::size_t, place);
        const Case& planted_case = kCases[place];
        const HeadScores scores = planted(planted_case);
        const auto found = labels(scores, kGiven, {});
        const HeadScore& score = scores.at(planted_case.type, kGiven);
        QVERIFY2((std::ranges::count(found, planted_case.type) == 1) == planted_case.is_of_type,
                 qPrintable(QStringLiteral("score %1, from %2, baseline %3")
                                .arg(score.score)
                                .arg(score.low)
                                .arg(score.baseline)));
    }

private:
    HeadScores planted(const Case& planted_case) const {
        SequenceScores scores;
        ModelSpec spec;
        for (const InputSequence& sequence : sequences_) {
            const Annotation& annotation = *sequence.annotation;
            const std::size_t positions = sequence.ids.size();
            const Keys word_of = annotation.wordOfToken(positions);
            std::vector<std::vector<double>> weights(positions, std::vector<double>(positions));
            for (std::size_t q = 0; q < positions; ++q) {
                const Keys keys = q == 0 ? Keys{} : planted_case.look(annotation, word_of, q);
                weights[q][0] = keys.empty() ? 1.0 : planted_case.sink;
                for (const std::size_t k : keys)
                    weights[q][k] += (1.0 - planted_case.sink) / static_cast<double>(keys.size());
            }
            const Run run = runWithPattern(
                sequence.ids, [&](std::size_t q, std::size_t k) { return weights[q][k]; });
            SequenceMeters meters(run.model, sequence, {&planted_case.type, 1});
            showPatterns(run, meters);
            scores.add(meters.measurements());
            spec = run.model->spec;
        }
        return scores.scores(spec, {"the sentences", "with BOS", sequences_.size()});
    }

    std::vector<InputSequence> sequences_;
};

const headscope::test::TestRegistration<TestPlantedWords> registration;

} // namespace test_planted_words

#include "test_planted_words.moc"
