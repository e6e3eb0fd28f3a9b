#include "core/export/formats/numpy.h"
#include "tests/export/sample_arrays.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QTest>

#include <sstream>

namespace test_npy {

using namespace headscope;

class TestNpy : public QObject {
    Q_OBJECT

private slots:
    /// The bytes that numpy.lib.format 1.0 writes.
    void headerIsNumpys_data() {
        QTest::addColumn<std::string>("descr");
        QTest::addColumn<QList<int>>("shape");
        QTest::addColumn<QByteArray>("dict");
        QTest::newRow("rank 0") << std::string("<f4") << QList<int>{}
                                << QByteArray("{'descr': '<f4', 'fortran_order': False, "
                                              "'shape': (), }");
        QTest::newRow("rank 1") << std::string("<i4") << QList<int>{3}
                                << QByteArray("{'descr': '<i4', 'fortran_order': False, "
                                              "'shape': (3,), }");
        QTest::newRow("rank 3") << std::string("<f4") << QList<int>{8, 15, 4096}
                                << QByteArray("{'descr': '<f4', 'fortran_order': False, "
                                              "'shape': (8, 15, 4096), }");
    }
    void headerIsNumpys() {
        QFETCH(std::string, descr);
        QFETCH(QList<int>, shape);
        QFETCH(QByteArray, dict);
        const QByteArray expected =
            QByteArray("\x93NUMPY\x01\x00\x76\x00", 10) + dict.leftJustified(117, ' ') + '\n';
        const std::string found = npyHeader(descr, Shape(shape.begin(), shape.end()));
        QCOMPARE(QByteArray::fromStdString(found), expected);
    }

    void headerGrowsInStepsOf64() {
        const std::string header = npyHeader("<f4", Shape(30, 1));
        QCOMPARE(header.size() % 64, 0u);
        QVERIFY(header.size() > 128);
        QCOMPARE(test::parseNpy(header).shape, Shape(30, 1));
    }

    void longHeaderIsVersion2() {
        const Shape shape(30000, 1);
        const std::string header = npyHeader("<f4", shape);
        QCOMPARE(QByteArray::fromStdString(header.substr(0, 8)),
                 QByteArray("\x93NUMPY\x02\x00", 8));
        // The length is read from the header: wrong in any byte, it would not end at a multiple
        // of 64.
        QVERIFY(header.starts_with("\x93NUMPY\x02"));
        QCOMPARE(header.size() % 64, 0u);
        QCOMPARE(header.back(), '\n');
    }

    void numbersAreLittleEndianRowMajor() {
        std::ostringstream out;
        writeNpy(out, {"x", {2}, std::vector<std::int32_t>{1, -2}});
        QCOMPARE(QByteArray::fromStdString(out.str().substr(128)),
                 QByteArray("\x01\x00\x00\x00\xFE\xFF\xFF\xFF", 8));
    }

    void floatsComeBack() {
        std::ostringstream out;
        writeNpy(out, test::sampleMatrix());
        const test::NpyArray read = test::parseNpy(out.str());
        QCOMPARE(read.shape, (Shape{2, 2}));
        QCOMPARE(read.floats(), (std::vector<float>{1.0f, 0.0f, 0.25f, 0.75f}));
    }

    void textIsUtf32() {
        const test::NpyArray text = test::parseNpy(npyText("a\xE2\x9F\xA8\xF0\x9F\x98\x80"));
        QCOMPARE(text.descr, std::string("<U3"));
        QCOMPARE(QByteArray::fromStdString(text.bytes),
                 QByteArray("a\0\0\0\xE8\x27\0\0\x00\xF6\x01\0", 12));
    }

    void brokenTextKeepsItsPlaces() {
        const test::NpyArray text = test::parseNpy(npyText("\xFFz"));
        QCOMPARE(QByteArray::fromStdString(text.bytes), QByteArray("\xFD\xFF\0\0z\0\0\0", 8));
    }
};

const headscope::test::TestRegistration<TestNpy> registration;

} // namespace test_npy

#include "test_npy.moc"
