#include "tests/support/runner.h"

#include <QProcess>
#include <QRegularExpression>
#include <QTest>

namespace test_hardening {

namespace {

#ifdef HEADSCOPE_PROGRAMS
constexpr const char* kPrograms = HEADSCOPE_PROGRAMS;
#else
constexpr const char* kPrograms = ""; // under sanitizers, for one
#endif

#ifdef HEADSCOPE_PYTHON_MODULE
constexpr const char* kPythonModule = ":" HEADSCOPE_PYTHON_MODULE;
#else
constexpr const char* kPythonModule = "";
#endif

QStringList filesOf(const QString& list) {
    return list.split(u':', Qt::SkipEmptyParts);
}

/// What a tool of binutils prints.
QString printed(const QString& tool, const QStringList& arguments) {
    QProcess process;
    process.start(tool, arguments);
    if (!process.waitForFinished() || process.exitCode() != 0)
        return {};
    return QString::fromUtf8(process.readAllStandardOutput());
}

} // namespace

/// Every program that is installed is built with Debian's hardening, as its file shows. What stack
/// clash protection does leaves no mark there.
class TestHardening : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (*kPrograms == '\0')
            QSKIP("this build is not hardened");
    }

    void programs_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("mark");
        struct Mark {
            const char* what;
            const char* options;
            const char* mark;
        };
        constexpr Mark marks[] = {
            {"position-independent (PIE)", "-h", R"(Type:\s+DYN)"},
            {"relocations read-only (RELRO)", "-l", "GNU_RELRO"},
            {"all symbols bound at the start", "-d", R"(BIND_NOW|FLAGS_1.*\bNOW\b)"},
            {"stack protector", "--dyn-syms", "__stack_chk_fail"},
            {"fortified functions of glibc", "--dyn-syms", R"(__\w+_chk\b)"},
            {"checks of libstdc++", "--dyn-syms", "__glibcxx_assert_fail"},
        };
        for (const QString& program : filesOf(QString::fromUtf8(kPrograms)))
            for (const Mark& mark : marks)
                QTest::addRow("%s: %s", qPrintable(program.section(u'/', -1)), mark.what)
                    << program << QString::fromLatin1(mark.options)
                    << QString::fromLatin1(mark.mark);
    }
    void programs() {
        QFETCH(QString, program);
        QFETCH(QString, options);
        QFETCH(QString, mark);
        const QString read =
            printed(QStringLiteral("readelf"), {options, QStringLiteral("-W"), program});
        QVERIFY2(!read.isEmpty(), "readelf shows nothing");
        QVERIFY2(QRegularExpression(mark).match(read).hasMatch(), qPrintable(read.left(2000)));
    }

    /// HDF5 brings curl, LDAP, Kerberos and some 30 more along, which start with the program.
    void onlyOneProgramLoadsHdf5() {
        const QRegularExpression loaded(
            QStringLiteral(R"(\(NEEDED\).*\[lib(hdf5|curl|ldap|krb5|gssapi|sz|aec).*\])"));
        QStringList loading;
        for (const QString& program :
             filesOf(QString::fromUtf8(kPrograms) + QString::fromUtf8(kPythonModule))) {
            const QString read = printed(QStringLiteral("readelf"),
                                         {QStringLiteral("-d"), QStringLiteral("-W"), program});
            QVERIFY2(read.contains(QStringLiteral("(NEEDED)")), qPrintable(program));
            if (loaded.match(read).hasMatch())
                loading << program.section(u'/', -1);
        }
        QCOMPARE(loading, QStringList(QStringLiteral("headscope-hdf5")));
    }

    void indirectBranchesHaveTargets() {
#if !defined(__x86_64__)
        QSKIP("only x86 has them");
#endif
        for (const QString& program : filesOf(QString::fromUtf8(kPrograms))) {
            const QString code =
                printed(QStringLiteral("objdump"), {QStringLiteral("-d"), QStringLiteral("-j"),
                                                    QStringLiteral(".text"), program});
            // Every function that is called through a pointer begins with one.
            QVERIFY2(code.count(QStringLiteral("endbr64")) > 1000, qPrintable(program));
        }
    }
};

const headscope::test::TestRegistration<TestHardening> registration;

} // namespace test_hardening

#include "test_hardening.moc"
