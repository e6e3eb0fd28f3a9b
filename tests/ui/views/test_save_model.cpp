#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/export/save_model_dialog.h"
#include "ui/views/window/messages.h"

#include <QAction>
#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace test_save_model {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

struct OpenDialog : OpenedDialog<SaveModelDialog> {
    explicit OpenDialog(WindowUnderTest& window)
        : OpenedDialog(window, "actionSaveModel", "saveModelDialog") {}

    void save(const QString& path) const {
        find<QLineEdit>("savePath")->setText(path);
        QTest::mouseClick(find<QPushButton>("saveWrite"), Qt::LeftButton);
    }
};

} // namespace

class TestSaveModel : public QObject {
    Q_OBJECT

private slots:
    void theCopyGivesTheSameLogits() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const auto before = window.document().promptRunner().result();
        const OpenDialog dialog(window);
        const QString path = settings.path(QStringLiteral("copy.h5"));
        dialog.save(path);
        auto* bar = window.find<MessageBar>("messageBar");
        QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kPatience);
        QVERIFY2(bar->text().contains(path), qPrintable(bar->text()));
        QTest::mouseClick(window.find<QPushButton>("messageAction"), Qt::LeftButton);
        QVERIFY(
            QTest::qWaitFor([&] { return window.document().model()->name == "copy"; }, kPatience));
        QVERIFY(window.settled());
        QCOMPARE(window.document().promptText(), QString::fromStdString(before->prompt.text));
        QVERIFY(
            std::ranges::equal(window.document().promptRunner().result()->masked->logits.values(),
                               before->masked->logits.values()));
    }

    void halfPrecisionHalvesTheFile() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.startOn(fixturePath(QStringLiteral("llama")))); // of float32, not packed
        qint64 sizes[2];
        for (const int i : {0, 1}) {
            const OpenDialog dialog(window);
            dialog.find<QComboBox>("saveFormat")->setCurrentIndex(i);
            const QString path = settings.path(QStringLiteral("copy%1.h5").arg(i));
            dialog.save(path);
            QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(path), kPatience);
            sizes[i] = QFileInfo(path).size();
            QTRY_VERIFY_WITH_TIMEOUT(!window.find<SaveModelDialog>("saveModelDialog"), kPatience);
        }
        QVERIFY(sizes[1] < sizes[0] * 6 / 10);
    }

    void theModelItselfIsNotOverwritten() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const OpenDialog dialog(window);
        QVERIFY(dialog.find<QLineEdit>("savePath")
                    ->text()
                    .endsWith(QStringLiteral("microgpt-copy.h5")));
        const QString own = samplePath(QStringLiteral("microgpt"));
        const qint64 size = QFileInfo(own).size();
        dialog.save(own);
        auto* state = dialog.find<QLabel>("saveState");
        QTRY_VERIFY_WITH_TIMEOUT(state->text().contains(QStringLiteral("another name")), kPatience);
        QVERIFY(dialog.dialog->isVisible());
        QCOMPARE(QFileInfo(own).size(), size);
    }

    void aFolderThatIsNotThereIsExplained() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const OpenDialog dialog(window);
        dialog.save(QStringLiteral("/no/such/folder/model.h5"));
        auto* state = dialog.find<QLabel>("saveState");
        QTRY_VERIFY_WITH_TIMEOUT(state->text().contains(QStringLiteral("/no/such/folder")),
                                 kPatience);
        QVERIFY(dialog.find<QPushButton>("saveWrite")->isEnabled());
    }
};

const headscope::test::TestRegistration<TestSaveModel> registration;

} // namespace test_save_model

#include "test_save_model.moc"
