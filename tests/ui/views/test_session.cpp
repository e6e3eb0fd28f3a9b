#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/pattern/pattern_view.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSplitter>

namespace test_session {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestSession : public QObject {
    Q_OBJECT

private slots:
    void reopeningBringsEverythingBack() {
        const TemporarySettings settings;
        QList<int> sizes;
        {
            WindowUnderTest window;
            QVERIFY(window.start(QStringLiteral("llama-mini-gqa-4l")));
            window.document().setPromptText(QStringLiteral("Tom gave Sue a book"));
            window.document().setBosMode(BosMode::No);
            window.document().selection().select({2, 4});
            window.document().setThreshold(HeadTypeId::Sink, 0.77);
            window.document().ablation().setKind(AblationKind::Mean);
            PatternSettings shown = window->patternView().settings();
            shown.colours = ColourMap::Cividis;
            shown.own_scale = true;
            window->patternView().setSettings(shown);
            window.find<QSplitter>("splitter")->setSizes({400, 500, 300});
            sizes = window.find<QSplitter>("splitter")->sizes();
            window.close();
        }
        WindowUnderTest window;
        QVERIFY(window.start(StartOptions()));
        Document& document = window.document();
        QCOMPARE(document.model()->name, std::string("llama-mini-gqa-4l"));
        QCOMPARE(document.promptText(), QStringLiteral("Tom gave Sue a book"));
        QCOMPARE(window.find<QLineEdit>("promptEdit")->text(), document.promptText());
        QCOMPARE(document.promptRunner().result()->prompt.text, std::string("Tom gave Sue a book"));
        QVERIFY(!document.promptRunner().result()->prompt.has_bos);
        QCOMPARE(document.selection().head(), (LayerHead{2, 4}));
        QCOMPARE(document.thresholds().of(HeadTypeId::Sink), 0.77);
        QCOMPARE(document.ablation().kind(), AblationKind::Mean);
        QCOMPARE(window->patternView().settings().colours, ColourMap::Cividis);
        QVERIFY(window->patternView().settings().own_scale);
        QCOMPARE(window.find<QSplitter>("splitter")->sizes(), sizes);
    }

    void nonsenseInTheSettingsIsIgnored() {
        const TemporarySettings settings;
        QSettings().setValue(QStringLiteral("session/bos"), 99);
        QSettings().setValue(QStringLiteral("session/ablation"), QStringLiteral("often"));
        QSettings().setValue(QStringLiteral("thresholds/sink"), 7.5);
        QSettings().setValue(QStringLiteral("session/layer"), 400);
        QSettings().setValue(QStringLiteral("window/geometry"), QStringLiteral("wide"));
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        QCOMPARE(window.document().bosMode(), BosMode::Auto);
        QCOMPARE(window.document().ablation().kind(), AblationKind::Zero);
        QCOMPARE(window.document().thresholds().of(HeadTypeId::Sink), 1.0);
    }

    void closingWhileWorkIsUnderWay() {
        const TemporarySettings settings;
        for (int i = 0; i < 4; ++i) {
            WindowUnderTest window;
            QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
            window.document().scoreHeads();
            window.document().setPromptText(QStringLiteral("Mary and %1").arg(i));
            window->openPath(samplePath(QStringLiteral("bert-mini-4l")));
            window.close();
        }
    }
};

const headscope::test::TestRegistration<TestSession> registration;

} // namespace test_session

#include "test_session.moc"
