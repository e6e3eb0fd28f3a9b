#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/running_window.h"

#include <QDBusConnection>
#include <QDBusConnectionInterface>
#include <QDBusReply>
#include <QDialog>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace test_running_window {

using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

constexpr const char* kFirst = "first";
constexpr const char* kSecond = "second";

/// A session's bus of its own.
class Bus {
public:
    Bus() {
        daemon_.start(QStringLiteral("dbus-daemon"),
                      {QStringLiteral("--session"), QStringLiteral("--nofork"),
                       QStringLiteral("--print-address"), QStringLiteral("--address"),
                       QStringLiteral("unix:dir=") + folder_.path()});
        if (daemon_.waitForReadyRead())
            address_ = QString::fromUtf8(daemon_.readLine()).trimmed();
    }
    ~Bus() {
        for (const char* name : {kFirst, kSecond})
            QDBusConnection::disconnectFromBus(QString::fromLatin1(name));
        daemon_.kill();
        daemon_.waitForFinished();
    }
    Q_DISABLE_COPY_MOVE(Bus)

    const QString& address() const { return address_; }
    QDBusConnection connect(const char* name) const {
        return QDBusConnection::connectToBus(address_, QString::fromLatin1(name));
    }

private:
    QTemporaryDir folder_;
    QProcess daemon_;
    QString address_;
};

/// `headscope --reuse ARGUMENT…`, a process of its own on the bus. This one answers it meanwhile.
class SecondStart {
public:
    SecondStart(const Bus& bus, const QStringList& arguments) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("DBUS_SESSION_BUS_ADDRESS"), bus.address());
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        process_.setProcessEnvironment(environment);
        process_.start(QStringLiteral(HEADSCOPE_APP),
                       QStringList{QStringLiteral("--reuse")} + arguments);
    }
    ~SecondStart() {
        process_.kill();
        process_.waitForFinished();
    }
    Q_DISABLE_COPY_MOVE(SecondStart)

    bool ended() const { return process_.state() == QProcess::NotRunning; }
    int exitCode() const { return process_.exitCode(); }
    QString error() { return QString::fromUtf8(process_.readAllStandardError()); }

private:
    QProcess process_;
};

bool isOffered(const QDBusConnection& bus) {
    return bus.interface()->isServiceRegistered(QStringLiteral("org.headscope.Headscope"));
}

} // namespace

/// A second start that hands its model to the window of the first.
class TestRunningWindow : public QObject {
    Q_OBJECT

private slots:
    void init() { settings_ = std::make_unique<TemporarySettings>(); }

    void theModelOpensInTheWindowThatIsThere() {
        const Bus bus;
        QVERIFY2(!bus.address().isEmpty(), "dbus-daemon did not start");
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const RunningWindow running(*window, bus.connect(kFirst));
        SecondStart second(bus, {samplePath(QStringLiteral("notebook"))});
        QTRY_VERIFY_WITH_TIMEOUT(second.ended(), kPatience);
        QCOMPARE(second.exitCode(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(window->windowTitle(), QStringLiteral("notebook — Headscope"),
                                  kPatience);
    }

    void withoutAModelTheWindowComesForward() {
        const Bus bus;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        window->showMinimized();
        const RunningWindow running(*window, bus.connect(kFirst));
        SecondStart second(bus, {});
        QTRY_VERIFY_WITH_TIMEOUT(second.ended(), kPatience);
        QCOMPARE(second.exitCode(), 0);
        QVERIFY(!window->isMinimized());
        QCOMPARE(window->windowTitle(), QStringLiteral("microgpt — Headscope"));
    }

    /// A dialog is about the model that is open; the second start opens a window of its own.
    void aDialogIsNotInterrupted() {
        const Bus bus;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        QDialog dialog(&*window);
        dialog.setModal(true);
        dialog.show();
        QDBusConnection connection = bus.connect(kFirst);
        const RunningWindow running(*window, connection);
        SecondStart second(bus, {samplePath(QStringLiteral("notebook"))});
        // It has waited for the refusal when it offers itself, behind this window.
        const auto owners = [&connection] {
            const QDBusReply<QStringList> queued = connection.interface()->call(
                QStringLiteral("ListQueuedOwners"), QStringLiteral("org.headscope.Headscope"));
            return queued.value().size();
        };
        QTRY_COMPARE_WITH_TIMEOUT(owners(), 2, kPatience);
        QVERIFY(!second.ended());
        QCOMPARE(window->windowTitle(), QStringLiteral("microgpt — Headscope"));
    }

    void nobodyTakesItWhereNoWindowIs() {
        const Bus bus;
        QVERIFY(!isOffered(bus.connect(kSecond)));
        QVERIFY(!openInRunningWindow(samplePath(QStringLiteral("notebook")), bus.connect(kSecond)));
        QVERIFY(!openInRunningWindow(QString(), QDBusConnection(QStringLiteral("no bus"))));
    }

    void oneModelAndNothingElse() {
        const Bus bus;
        for (const QStringList& more :
             {QStringList{samplePath(QStringLiteral("microgpt"))},
              QStringList{QStringLiteral("--text"), QStringLiteral("a")},
              QStringList{QStringLiteral("--head"), QStringLiteral("0.1")}}) {
            SecondStart second(bus, QStringList{samplePath(QStringLiteral("notebook"))} + more);
            QTRY_VERIFY_WITH_TIMEOUT(second.ended(), kPatience);
            QCOMPARE(second.exitCode(), 1);
            QVERIFY(second.error().contains(QStringLiteral("headscope: --reuse hands one model")));
        }
    }

private:
    std::unique_ptr<TemporarySettings> settings_;
};

const headscope::test::TestRegistration<TestRunningWindow> registration;

} // namespace test_running_window

#include "test_running_window.moc"
