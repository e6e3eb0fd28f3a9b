#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/help/verify_dialog.h"

#include <QAction>
#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>

#include <nlohmann/json.hpp>

namespace test_verify_dialog {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

const QString kReferences = QStringLiteral(HEADSCOPE_TEST_DATA "/sample_models/%1.reference.h5");

struct OpenVerify : OpenedDialog<VerifyDialog> {
    explicit OpenVerify(WindowUnderTest& window)
        : OpenedDialog(window, "actionVerify", "verifyDialog") {}

    void click(const char* button) const {
        QTest::mouseClick(find<QPushButton>(button), Qt::LeftButton);
    }

    bool hasReport() const {
        auto* copy = find<QPushButton>("verifyCopy");
        return QTest::qWaitFor([copy] { return copy->isEnabled(); }, kPatience);
    }

    QString state() const { return find<QLabel>("verifyState")->text(); }

    /// All checks in one text.
    QString checks() const {
        QString text;
        const auto* tree = find<QTreeWidget>("verifyChecks");
        for (int i = 0; i < tree->topLevelItemCount(); ++i)
            for (int j = 0; j < tree->topLevelItem(i)->childCount(); ++j)
                text += tree->topLevelItem(i)->child(j)->text(0) + QLatin1Char('\n');
        return text;
    }
};

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestVerifyDialog : public QObject {
    Q_OBJECT

private slots:
    void checksTheOpenModel() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenVerify dialog(window);
        QVERIFY(dialog.hasReport());
        QVERIFY2(dialog.state().contains(QStringLiteral(" 0 failed, 0 not verified")),
                 qPrintable(dialog.state()));
        const QString checks = dialog.checks();
        for (const char* check :
             {"✓ Induction scores", "✓ Every hook point fires", "✓ Heads sum to attention's output",
              "✓ Texts are predicted better", "✓ Queries, keys and values exchanged",
              "– Published heads"})
            QVERIFY2(checks.contains(QString::fromUtf8(check)), check);
    }

    /// A config that says half the heads, as a wrong export could.
    void wrongExportIsNotVerified() {
        const TemporarySettings settings;
        QByteArray bytes = contentOf(QStringLiteral(HEADSCOPE_SAMPLE_MODELS "/attn-only-2l.h5"));
        bytes.replace("\"n_head\": 8", "\"n_head\": 4");
        const QString path = settings.path(QStringLiteral("wrong.h5"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
        file.close();
        WindowUnderTest window;
        QVERIFY(window.startOn(path));
        const OpenVerify dialog(window);
        QVERIFY(dialog.hasReport());
        QVERIFY2(dialog.state().startsWith(QStringLiteral("Not verified: ")),
                 qPrintable(dialog.state()));
        QVERIFY2(dialog.checks().contains(QStringLiteral("? Another number of heads")),
                 qPrintable(dialog.checks()));
    }

    void referenceIsCompared() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        window.dialogs.to_open = kReferences.arg(QStringLiteral("microgpt"));
        const OpenVerify dialog(window);
        QVERIFY(dialog.hasReport());
        QVERIFY(!dialog.checks().contains(QStringLiteral("emma: logits")));
        dialog.click("verifyBrowse");
        dialog.click("verifyRun");
        QVERIFY(dialog.hasReport());
        QVERIFY2(dialog.checks().contains(QStringLiteral("✓ emma: logits")),
                 qPrintable(dialog.checks()));
    }

    void misfitIsExplained() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const OpenVerify dialog(window);
        QVERIFY(dialog.hasReport());
        dialog.find<QLineEdit>("verifyReference")
            ->setText(kReferences.arg(QStringLiteral("attn-only-2l")));
        dialog.click("verifyRun");
        QTRY_VERIFY_WITH_TIMEOUT(dialog.state().contains(QStringLiteral("does not fit this model")),
                                 kPatience);
        QVERIFY(!dialog.find<QPushButton>("verifyCopy")->isEnabled());
        QVERIFY(dialog.find<QPushButton>("verifyRun")->isEnabled());
    }

    void copiesAndSaves() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const OpenVerify dialog(window);
        QVERIFY(dialog.hasReport());
        dialog.click("verifyCopy");
        const QString copied = QGuiApplication::clipboard()->text();
        QVERIFY(copied.contains(QStringLiteral("Model      microgpt (microgpt)")));
        window.dialogs.to_save = settings.path(QStringLiteral("report.txt"));
        dialog.click("verifySave");
        QCOMPARE(QString::fromUtf8(contentOf(window.dialogs.to_save)), copied);
        window.dialogs.to_save = settings.path(QStringLiteral("report.json"));
        dialog.click("verifySave");
        const auto json = nlohmann::json::parse(contentOf(window.dialogs.to_save).toStdString());
        QVERIFY(json["model"]["name"] == "microgpt");
        window.dialogs.to_save = QStringLiteral("/no/such/folder/report.txt");
        dialog.click("verifySave");
        QVERIFY2(dialog.state().contains(QStringLiteral("/no/such/folder")),
                 qPrintable(dialog.state()));
    }

    void canBeStoppedAndDoneAgain() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenVerify dialog(window);
        dialog.click("verifyStop");
        QCOMPARE(dialog.state(), QStringLiteral("Stopped."));
        QVERIFY(!dialog.find<QPushButton>("verifySave")->isEnabled());
        dialog.click("verifyRun");
        QVERIFY(dialog.hasReport());
    }

    void withoutAModel() {
        const TemporarySettings settings;
        WindowUnderTest window;
        const OpenVerify dialog(window);
        QVERIFY(dialog.hasReport());
        QVERIFY(dialog.state().contains(QStringLiteral("No model is open")));
        QVERIFY(!dialog.find<QLineEdit>("verifyReference")->isEnabled());
    }
};

const headscope::test::TestRegistration<TestVerifyDialog> registration;

} // namespace test_verify_dialog

#include "test_verify_dialog.moc"
