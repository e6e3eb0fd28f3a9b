#include "core/heads/head_type.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/tables/head_text.h"

#include <QAction>
#include <QTextBrowser>

namespace test_types_help {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestTypesHelp : public QObject {
    Q_OBJECT

private slots:
    void everyTypeIsExplained() {
        const TemporarySettings settings;
        WindowUnderTest window;
        window.find<QAction>("actionTypesHelp")->trigger();
        const auto* text = window.find<QTextBrowser>("typesHelpText");
        const QString shown = text->toPlainText();
        for (const HeadType& type : headTypes()) {
            QVERIFY2(shown.contains(toQString(type.name)), type.name.data());
            QVERIFY2(shown.contains(toQString(type.summary)), type.summary.data());
            QVERIFY2(shown.contains(toQString(type.formula)), type.formula.data());
            QVERIFY2(shown.contains(toQString(type.variant)), type.variant.data());
        }
    }

    void lettersAndKeysAreDifferent() {
        QSet<char> letters;
        QSet<QString> keys;
        for (const HeadType& type : headTypes()) {
            letters.insert(type.letter);
            keys.insert(toQString(type.key));
        }
        QCOMPARE(letters.size(), static_cast<qsizetype>(headTypes().size()));
        QCOMPARE(keys.size(), static_cast<qsizetype>(headTypes().size()));
    }
};

const headscope::test::TestRegistration<TestTypesHelp> registration;

} // namespace test_types_help

#include "test_types_help.moc"
