#include "tests/support/runner.h"
#include "ui/document/remembered.h"

#include <QFileInfo>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

namespace test_recent_files {

using namespace headscope::ui;

class TestRecentFiles : public QObject {
    Q_OBJECT

private slots:
    void init() {
        QCoreApplication::setOrganizationName(QStringLiteral("HeadscopeTest"));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder_.path());
        QSettings().clear();
    }

    void newestComesFirstAndOnce() {
        RecentFiles recent;
        recent.add(QStringLiteral("/models/a.h5"));
        recent.add(QStringLiteral("/models/b.h5"));
        recent.add(QStringLiteral("/models/a.h5"));
        QCOMPARE(recent.paths(),
                 QStringList({QStringLiteral("/models/a.h5"), QStringLiteral("/models/b.h5")}));
    }

    void tenAreKept() {
        RecentFiles recent;
        for (int i = 0; i < 15; ++i)
            recent.add(QStringLiteral("/models/%1.h5").arg(i));
        QCOMPARE(recent.paths().size(), 10);
        QCOMPARE(recent.paths().first(), QStringLiteral("/models/14.h5"));
    }

    void theyOutliveTheProgram() {
        RecentFiles().add(QStringLiteral("/models/a.h5"));
        QCOMPARE(RecentFiles().paths(), QStringList{QStringLiteral("/models/a.h5")});
        RecentFiles().clear();
        QVERIFY(RecentFiles().paths().isEmpty());
    }

    void pathsAreAbsolute() {
        RecentFiles recent;
        recent.add(QStringLiteral("a.h5"));
        QCOMPARE(recent.paths().first(), QFileInfo(QStringLiteral("a.h5")).absoluteFilePath());
    }

private:
    QTemporaryDir folder_;
};

const headscope::test::TestRegistration<TestRecentFiles> registration;

} // namespace test_recent_files

#include "test_recent_files.moc"
