#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"

#include <QDirIterator>
#include <QSignalSpy>

namespace test_strangers_in_window {

using namespace headscope::ui::test;

namespace {

/// The files of strangers that are known here, and those below HEADSCOPE_HDF5_COLLECTION.
QStringList hostileFiles() {
    QStringList files;
    for (const QString& folder : {QStringLiteral(HEADSCOPE_TEST_DATA "/hostile"),
                                  qEnvironmentVariable("HEADSCOPE_HDF5_COLLECTION")}) {
        QDirIterator found(folder, QDir::Files, QDirIterator::Subdirectories);
        while (!folder.isEmpty() && found.hasNext())
            files.append(found.next());
    }
    return files;
}

} // namespace

class TestStrangersInWindow : public QObject {
    Q_OBJECT

private slots:
    void theWindowKeepsItsModel() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        auto& document = window.document();
        const auto model = document.model();
        QSignalSpy refused(&document, &headscope::ui::Document::loadFailed);
        for (const QString& file : hostileFiles()) {
            refused.clear();
            document.open(file);
            QVERIFY2(QTest::qWaitFor([&] { return refused.size() == 1; }, kPatience),
                     qPrintable(file));
            const QString message = refused.first().at(1).toString();
            QVERIFY2(message.endsWith(u'.') && !message.contains(u'\n'), qPrintable(message));
            QVERIFY2(document.model() == model, qPrintable(file));
        }
        document.setPromptText(QStringLiteral("emma"));
        QVERIFY(window.hasRun());
    }
};

const headscope::test::TestRegistration<TestStrangersInWindow> registration;

} // namespace test_strangers_in_window

#include "test_strangers_in_window.moc"
