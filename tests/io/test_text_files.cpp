#include "core/io/atomic_file.h"
#include "tests/io/io_files.h"
#include "tests/support/runner.h"

#include <QTest>

#include <string>

namespace test_text_files {

using namespace headscope;
using namespace headscope::test;
using namespace std::string_literals;

/// What texts come with that is none of them.
class TestTextFiles : public QObject {
    Q_OBJECT

private slots:
    void marksOfByteOrder_data() {
        QTest::addColumn<std::string>("bytes");
        QTest::addColumn<std::string>("expected");
        QTest::newRow("none") << "text"s
                              << "text"s;
        QTest::newRow("UTF-8") << "\xEF\xBB\xBFtext"s
                               << "text"s;
        QTest::newRow("UTF-8, nothing else") << "\xEF\xBB\xBF"s
                                             << ""s;
        QTest::newRow("twice: the second is text") << "\xEF\xBB\xBF\xEF\xBB\xBFtext"s
                                                   << "\xEF\xBB\xBFtext"s;
        QTest::newRow("inside: text") << "a\xEF\xBB\xBF"s
                                      << "a\xEF\xBB\xBF"s;
        const std::string utf16 = "names.txt is a text in UTF-16; save it as UTF-8.";
        const std::string utf32 = "names.txt is a text in UTF-32; save it as UTF-8.";
        QTest::newRow("UTF-16, little") << "\xFF\xFEt\0"s << utf16;
        QTest::newRow("UTF-16, big") << "\xFE\xFF\0t"s << utf16;
        QTest::newRow("UTF-32, little") << "\xFF\xFE\0\0t\0\0\0"s << utf32;
        QTest::newRow("UTF-32, big") << "\0\0\xFE\xFF\0\0\0t"s << utf32;
    }

    void marksOfByteOrder() {
        QFETCH(std::string, bytes);
        QFETCH(std::string, expected);
        const Folder folder;
        writeBytes(folder / "names.txt", bytes);
        const auto text = readTextFile(folder / "names.txt", 100);
        QCOMPARE(text ? *text : text.error().message, expected);
    }
};

const headscope::test::TestRegistration<TestTextFiles> registration;

} // namespace test_text_files

#include "test_text_files.moc"
