#include "core/base/text.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

namespace test_glob {

using namespace headscope;

class TestGlob : public QObject {
    Q_OBJECT

private slots:
    void matchesTheWholeText_data() {
        QTest::addColumn<QString>("glob");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("expected");

        QTest::newRow("same") << "hook_embed"
                              << "hook_embed" << true;
        QTest::newRow("both empty") << ""
                                    << "" << true;
        QTest::newRow("empty glob") << ""
                                    << "a" << false;
        QTest::newRow("star takes nothing") << "*"
                                            << "" << true;
        QTest::newRow("star takes all") << "*"
                                        << "blocks.0.attn.hook_z" << true;
        QTest::newRow("star in the middle") << "blocks.*.hook_z"
                                            << "blocks.11.attn.hook_z" << true;
        QTest::newRow("star needs the rest") << "blocks.*.hook_z"
                                             << "blocks.1.attn.hook_q" << false;
        QTest::newRow("prefix only") << "blocks"
                                     << "blocks.0" << false;
        QTest::newRow("suffix only") << "hook_z"
                                     << "attn.hook_z" << false;
        QTest::newRow("one character") << "blocks.?.ln1"
                                       << "blocks.3.ln1" << true;
        QTest::newRow("one, not two") << "blocks.?.ln1"
                                      << "blocks.13.ln1" << false;
        QTest::newRow("one, not none") << "a?"
                                       << "a" << false;
        QTest::newRow("star gives back") << "*ab*ab"
                                         << "abxabab" << true;
        QTest::newRow("star after the text") << "ab**"
                                             << "ab" << true;
        QTest::newRow("dot is a dot") << "a.b"
                                      << "axb" << false;
        QTest::newRow("many stars, no match") << "*a*a*a*a*a*a*a*b"
                                              << "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" << false;
    }

    void matchesTheWholeText() {
        QFETCH(QString, glob);
        QFETCH(QString, text);
        QFETCH(bool, expected);
        QCOMPARE(globMatches(glob.toStdString(), text.toStdString()), expected);
    }
};

const headscope::test::TestRegistration<TestGlob> registration;

} // namespace test_glob

#include "test_glob.moc"
