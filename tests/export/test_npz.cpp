#include "core/export/formats/numpy.h"
#include "core/export/formats/stored_zip.h"
#include "core/export/named_array.h"
#include "tests/export/sample_arrays.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>

namespace test_npz {

using namespace headscope;

class TestNpz : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::map<std::string, test::NpzMember> members_;

private slots:
    void initTestCase() {
        const std::filesystem::path path =
            std::filesystem::path(folder_.path().toStdString()) / "a.npz";
        const std::vector arrays{test::sampleIds(), test::sampleMatrix(), test::sampleTensor()};
        const auto written = writeArrays(path, ArrayFormat::Npz, arrays, test::sampleProvenance());
        QVERIFY2(written, written ? "" : written.error().message.c_str());
        members_ = test::readNpz(path);
    }

    void holdsTheArraysAndTheProvenance() {
        std::vector<std::string> names;
        for (const auto& [name, member] : members_)
            names.push_back(name);
        QCOMPARE(names, (std::vector<std::string>{"blocks.0.hook_x", "blocks.4.attn.hook_pattern.1",
                                                  "input_ids", "provenance"}));
    }

    void floatsComeBackBitByBit() {
        const test::NpyArray& array = members_.at("blocks.0.hook_x").array;
        QCOMPARE(array.shape, (Shape{2, 1, 3}));
        const std::vector<float> values = array.floats();
        QCOMPARE(values[0], 0.1f);
        QCOMPARE(values[2], 1e-20f);
        QVERIFY(std::isnan(values[3]));
        QCOMPARE(values[5], -std::numeric_limits<float>::infinity());
    }

    void idsComeBackAsIntegers() {
        QCOMPARE(members_.at("input_ids").array.integers(), (std::vector<std::int32_t>{7, 300}));
    }

    void provenanceIsOneText() {
        const std::string json = test::sampleProvenance().json(); // ASCII here
        QCOMPARE(members_.at("provenance").array.text(), std::u32string(json.begin(), json.end()));
    }

    /// As in a file of more than 4 GiB, from the second member on.
    void membersWithLargeSizesAndOffsets() {
        const std::filesystem::path path =
            std::filesystem::path(folder_.path().toStdString()) / "large.npz";
        const std::string first = npyText("a");
        const std::string second = npyText(std::string(500, 'b'));
        const std::string third = npyText("c");
        std::ofstream out(path, std::ios::binary);
        StoredZip zip(out, first.size());
        zip.add("first.npy", {first});
        zip.add("second.npy",
                {std::string_view(second).substr(0, 7), std::string_view(second).substr(7)});
        zip.add("thïrd.npy", {third});
        zip.finish();
        out.close();
        const auto members = test::readNpz(path);
        QCOMPARE(members.size(), std::size_t{3});
        QCOMPARE(members.at("first").array.text(), U"a");
        QCOMPARE(members.at("second").array.text(), std::u32string(500, U'b'));
        QCOMPARE(members.at("thïrd").array.text(), U"c");
        const std::string bytes = test::readFile(path);
        QVERIFY(bytes.find("PK\x06\x06") != std::string::npos); // zip64's end of the directory
    }

    void everyMemberHasTheSameFixedDate() {
        for (const auto& [name, member] : members_)
            QCOMPARE(member.dos_date, 0x00210000UL);
    }
};

const headscope::test::TestRegistration<TestNpz> registration;

} // namespace test_npz

#include "test_npz.moc"
