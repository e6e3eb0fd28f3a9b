#include "core/export/head_notes.h"
#include "tests/support/runner.h"

#include <QTest>

namespace test_head_notes {

using namespace headscope;

namespace {

constexpr LayerHead kHead{4, 1};

std::string text(const HeadNotes& notes) {
    const auto found = notes.find(kHead);
    return found == notes.end() ? "none" : found->second.text;
}

HeadNotes saying(const std::string& text, bool is_bookmarked = false) {
    return {{kHead, {text, is_bookmarked}}};
}

} // namespace

class TestHeadNotes : public QObject {
    Q_OBJECT

private slots:
    void whatBothSayStays() {
        QCOMPARE(text(joinedNotes(saying("mine"), saying("theirs"))), std::string("mine | theirs"));
        QCOMPARE(text(joinedNotes(saying("mine"), saying("mine"))), std::string("mine"));
        QCOMPARE(text(joinedNotes(saying("mine"), {})), std::string("mine"));
        QCOMPARE(text(joinedNotes({}, saying("theirs"))), std::string("theirs"));
        // A word inside of another note is a note of its own.
        QCOMPARE(text(joinedNotes(saying("a cat"), saying("cat"))), std::string("a cat | cat"));
        // Joined a second time, nothing is said twice.
        QCOMPARE(text(joinedNotes(saying("mine | theirs"), saying("theirs"))),
                 std::string("mine | theirs"));
        QVERIFY(joinedNotes(saying("mine"), saying("", true)).at(kHead).is_bookmarked);
    }

    void onlyWhatIsNotSaidIsBeside() {
        QVERIFY(notesBeside(saying("mine", true), saying("mine")).empty());
        QCOMPARE(text(notesBeside(saying("mine"), saying("mine | theirs"))), std::string("theirs"));
        QVERIFY(notesBeside(saying("mine"), saying("mine", true)).at(kHead).is_bookmarked);
        QCOMPARE(text(notesBeside({}, saying("theirs"))), std::string("theirs"));
    }

    /// Compared each with each they would take many minutes.
    void aNoteOfManyTexts() {
        std::string mine;
        std::string theirs;
        for (int i = 0; i < 500'000; ++i) {
            mine += std::to_string(2 * i) + " | ";
            theirs += std::to_string(2 * i + 1) + " | ";
        }
        const std::string both = text(joinedNotes(saying(mine), saying(theirs)));
        QCOMPARE(text(notesBeside(saying(both), saying(theirs))), std::string("none"));
    }

    void whoChangedANoteIsRight() {
        const HeadNotes base = saying("before");
        QCOMPARE(text(mergedNotes(base, saying("mine"), base)), std::string("mine"));
        QCOMPARE(text(mergedNotes(base, base, saying("theirs"))), std::string("theirs"));
        QCOMPARE(text(mergedNotes(base, {}, base)), std::string("none")); // was removed here
        QCOMPARE(text(mergedNotes(base, base, {})), std::string("none")); // and there
        QCOMPARE(text(mergedNotes(base, saying("mine"), saying("theirs"))),
                 std::string("mine | theirs"));
        QCOMPARE(text(mergedNotes(base, {}, saying("theirs"))), std::string("theirs"));
        QCOMPARE(text(mergedNotes({}, saying("mine"), saying("theirs"))),
                 std::string("mine | theirs"));
    }
};

const headscope::test::TestRegistration<TestHeadNotes> registration;

} // namespace test_head_notes

#include "test_head_notes.moc"
