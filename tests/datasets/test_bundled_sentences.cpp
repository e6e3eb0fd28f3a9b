#include "core/datasets/bundled.h"
#include "core/datasets/conllu.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <set>

namespace test_bundled_sentences {

using namespace headscope;

namespace {

std::size_t countRelation(std::string_view relation) {
    std::size_t count = 0;
    for (const Sentence& sentence : bundledSentences())
        count +=
            static_cast<std::size_t>(std::ranges::count(sentence.words, relation, &Word::relation));
    return count;
}

const Sentence& sentenceWith(std::string_view text) {
    for (const Sentence& sentence : bundledSentences())
        if (sentence.text == text)
            return sentence;
    qFatal("'%s' is not among the bundled sentences", std::string(text).c_str());
}

const Word& wordOf(const Sentence& sentence, std::string_view form) {
    const auto word = std::ranges::find(sentence.words, form, &Word::form);
    if (word == sentence.words.end())
        qFatal("'%s' has no word %s", sentence.text.c_str(), std::string(form).c_str());
    return *word;
}

bool isQuotationMark(std::string_view form) {
    static const std::set<std::string_view> marks{"\"", "'", "“", "”"};
    return marks.contains(form);
}

} // namespace

/// The ground truth that types are judged by: whole, and what the documentation says of it.
class TestBundledSentences : public QObject {
    Q_OBJECT

private slots:
    void readsWithoutError() {
        const auto read = readConllu(bundledText(), "sentences.conllu");
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(read->size(), bundledSentences().size());
    }

    void enoughOfEverything() {
        QVERIFY(bundledSentences().size() >= 120);
        QVERIFY(countRelation("nsubj") >= 60);
        QVERIFY(countRelation("obj") >= 60);
        QVERIFY(countRelation("advmod") >= 50);
        QVERIFY(countRelation("amod") >= 50);
        std::size_t links = 0;
        std::size_t quotations = 0;
        for (const Sentence& sentence : bundledSentences()) {
            quotations += sentence.quotations.size();
            for (const Word& word : sentence.words)
                links += word.antecedent ? 1 : 0;
        }
        QVERIFY(links >= 40);
        QVERIFY(quotations >= 30);
    }

    void everyKindOfPunctuation_data() {
        QTest::addColumn<QByteArray>("mark");
        for (const char* mark :
             {".", ",", ";", ":", "?", "!", "…", "—", "-", "(", ")", "\"", "'", "“", "”"})
            QTest::addRow("%s", mark) << QByteArray(mark);
    }

    void everyKindOfPunctuation() {
        QFETCH(QByteArray, mark);
        const bool found = std::ranges::any_of(bundledSentences(), [&](const Sentence& sentence) {
            const auto word = std::ranges::find(sentence.words, mark.toStdString(), &Word::form);
            return word != sentence.words.end() && word->word_class == "PUNCT";
        });
        QVERIFY(found);
    }

    void differentSentencesWithNames() {
        std::set<std::string> ids;
        std::set<std::string> texts;
        for (const Sentence& sentence : bundledSentences()) {
            ids.insert(sentence.id);
            texts.insert(sentence.text);
        }
        QCOMPARE(ids.size(), bundledSentences().size());
        QCOMPARE(texts.size(), bundledSentences().size());
    }

    void sixToTwentyFiveWords() {
        for (const Sentence& sentence : bundledSentences()) {
            const auto words = std::ranges::count_if(
                sentence.words, [](const Word& word) { return word.word_class != "PUNCT"; });
            QVERIFY2(words >= 6 && words <= 72, sentence.text.c_str());
        }
    }

    void wordsTileTheText() {
        for (const Sentence& sentence : bundledSentences()) {
            std::size_t at = 0;
            for (const Word& word : sentence.words) {
                if (word.begin != at)
                    QCOMPARE(sentence.text.substr(at, word.begin - at), std::string(" "));
                QCOMPARE(sentence.text.substr(word.begin, word.end - word.begin), word.form);
                at = word.end;
            }
            QCOMPARE(at, sentence.text.size());
        }
    }

    void wordClassesAndRelations() {
        static const std::set<std::string> classes{"ADJ",  "ADP",   "ADV",   "AUX",   "CCONJ",
                                                   "DET",  "INTJ",  "NOUN",  "NUM",   "PART",
                                                   "PRON", "PROPN", "PUNCT", "SCONJ", "VERB"};
        static const std::set<std::string> relations{
            "acl",      "acl:relcl",  "advcl",     "advmod", "amod",     "appos",    "aux",
            "aux:pass", "case",       "cc",        "ccomp",  "compound", "conj",     "cop",
            "det",      "det:predet", "discourse", "iobj",   "mark",     "nmod",     "nmod:poss",
            "nsubj",    "nsubj:pass", "nummod",    "obj",    "obl",      "obl:tmod", "parataxis",
            "punct",    "root",       "xcomp"};
        for (const Sentence& sentence : bundledSentences())
            for (const Word& word : sentence.words) {
                QVERIFY2(classes.contains(word.word_class), sentence.text.c_str());
                QVERIFY2(relations.contains(word.relation), sentence.text.c_str());
                QCOMPARE(word.relation == "punct", word.word_class == "PUNCT");
            }
    }

    /// The reader refuses circles, so one root makes a tree.
    void oneRoot() {
        for (const Sentence& sentence : bundledSentences()) {
            std::size_t roots = 0;
            for (const Word& word : sentence.words) {
                QCOMPARE(word.relation == "root", !word.head.has_value());
                roots += word.head ? 0 : 1;
                if (word.head) {
                    QVERIFY(*word.head < sentence.words.size());
                    QVERIFY(sentence.words[*word.head].word_class != "PUNCT");
                }
            }
            QCOMPARE(roots, std::size_t{1});
        }
    }

    void noHeadHasTwoSubjectsOrObjects() {
        for (const Sentence& sentence : bundledSentences())
            for (const std::string_view relation : {"nsubj", "obj", "cop"}) {
                std::set<std::size_t> heads;
                for (const Word& word : sentence.words)
                    if (word.relation == relation)
                        QVERIFY2(heads.insert(*word.head).second, sentence.text.c_str());
            }
    }

    void antecedentsAreEarlierNominals() {
        static const std::set<std::string> nominals{"NOUN", "PROPN", "PRON"};
        for (const Sentence& sentence : bundledSentences())
            for (std::size_t i = 0; i < sentence.words.size(); ++i) {
                const Word& word = sentence.words[i];
                if (!word.antecedent)
                    continue;
                QVERIFY(*word.antecedent < i);
                QVERIFY2(nominals.contains(word.word_class), sentence.text.c_str());
                QVERIFY2(nominals.contains(sentence.words[*word.antecedent].word_class),
                         sentence.text.c_str());
            }
    }

    /// Every mark is of a quotation, the two fit, and one quotation is inside or outside another.
    void quotationsMatch() {
        for (const Sentence& sentence : bundledSentences()) {
            std::set<std::size_t> marks;
            for (const Quotation& quotation : sentence.quotations) {
                const std::string& open = sentence.words[quotation.open].form;
                const std::string& close = sentence.words[quotation.close].form;
                QCOMPARE(close, open == "“" ? std::string("”") : open);
                QVERIFY(quotation.open + 1 < quotation.close);
                marks.insert({quotation.open, quotation.close});
                for (const Quotation& other : sentence.quotations)
                    QVERIFY(other.open <= quotation.open || other.open > quotation.close ||
                            other.close < quotation.close);
            }
            for (std::size_t i = 0; i < sentence.words.size(); ++i)
                QCOMPARE(marks.contains(i), isQuotationMark(sentence.words[i].form));
        }
    }

    void teachingExamples_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("pronoun");
        QTest::addColumn<QByteArray>("antecedent");
        QTest::addRow("tired animal")
            << QByteArray("The animal did not cross the street because it was too tired.")
            << QByteArray("it") << QByteArray("animal");
        QTest::addRow("wide street")
            << QByteArray("The animal did not cross the street because it was too wide.")
            << QByteArray("it") << QByteArray("street");
        QTest::addRow("big trophy")
            << QByteArray("The trophy does not fit into the brown suitcase because it is too big.")
            << QByteArray("it") << QByteArray("trophy");
        QTest::addRow("small suitcase")
            << QByteArray(
                   "The trophy does not fit into the brown suitcase because it is too small.")
            << QByteArray("it") << QByteArray("suitcase");
        QTest::addRow("law") << QByteArray(
                                    "The law is strict, but its application is often quite mild.")
                             << QByteArray("its") << QByteArray("law");
        QTest::addRow("cat") << QByteArray("The black cat that sleepily sat on the warm mat slowly "
                                           "closed its eyes.")
                             << QByteArray("its") << QByteArray("cat");
    }

    void teachingExamples() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, pronoun);
        QFETCH(QByteArray, antecedent);
        const Sentence& sentence = sentenceWith(text.toStdString());
        const Word& word = wordOf(sentence, pronoun.toStdString());
        QVERIFY(word.antecedent);
        QCOMPARE(sentence.words[*word.antecedent].form, antecedent.toStdString());
    }

    void headsOfTheBlackCat_data() {
        QTest::addColumn<QByteArray>("dependent");
        QTest::addColumn<QByteArray>("relation");
        QTest::addColumn<QByteArray>("head");
        const std::vector<std::array<const char*, 3>> links{
            {"sleepily", "advmod", "sat"}, {"slowly", "advmod", "closed"},
            {"black", "amod", "cat"},      {"sat", "acl:relcl", "cat"},
            {"cat", "nsubj", "closed"},    {"eyes", "obj", "closed"}};
        for (const auto& [dependent, relation, head] : links)
            QTest::addRow("%s", dependent)
                << QByteArray(dependent) << QByteArray(relation) << QByteArray(head);
    }

    void headsOfTheBlackCat() {
        QFETCH(QByteArray, dependent);
        QFETCH(QByteArray, relation);
        QFETCH(QByteArray, head);
        const Sentence& sentence =
            sentenceWith("The black cat that sleepily sat on the warm mat slowly closed its eyes.");
        const Word& word = wordOf(sentence, dependent.toStdString());
        QCOMPARE(word.relation, relation.toStdString());
        QCOMPARE(sentence.words[*word.head].form, head.toStdString());
    }
};

const headscope::test::TestRegistration<TestBundledSentences> registration;

} // namespace test_bundled_sentences

#include "test_bundled_sentences.moc"
