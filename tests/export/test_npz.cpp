#include "core/export/formats/numpy.h"
#include "core/export/formats/stored_zip.h"
#include "core/export/named_array.h"
#include "tests/export/sample_arrays.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cmath>
#include <fstream>
#include <string>
#include <utility>

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
        // Section 4.3 of the format, read by hand: minizip 1.1 does not read zip64's fields.
        const std::string bytes = test::readFile(path);
        const auto number = [&bytes](std::size_t at, std::size_t size) {
            std::size_t value = 0;
            for (std::size_t i = size; i-- > 0;)
                value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
            return value;
        };
        const std::size_t end = bytes.find("PK\x06\x06");
        QCOMPARE(number(end + 32, 8), std::size_t{3}); // members
        std::size_t entry = number(end + 48, 8);       // of the directory, the first
        QCOMPARE(entry + number(end + 40, 8), end);
        QCOMPARE(number(bytes.find("PK\x06\x07") + 8, 8), end);
        const std::array<std::pair<std::string, std::string>, 3> expected{
            {{"first.npy", first}, {"second.npy", second}, {"thïrd.npy", third}}};
        for (const auto& [name, content] : expected) {
            QCOMPARE(bytes.substr(entry, 4), std::string("PK\x01\x02"));
            QCOMPARE(bytes.substr(entry + 46, name.size()), name);
            const bool large = name != "first.npy";
            const std::size_t extra = entry + 46 + name.size();
            std::size_t offset = number(entry + 42, 4);
            std::size_t size = number(entry + 24, 4);
            if (large) {
                QCOMPARE(offset, std::size_t{0xFFFFFFFF});
                QCOMPARE(size, std::size_t{0xFFFFFFFF});
                QCOMPARE(number(extra, 2), std::size_t{1});
                QCOMPARE(number(extra + 2, 2), std::size_t{24});
                size = number(extra + 4, 8);
                QCOMPARE(number(extra + 12, 8), size);
                offset = number(extra + 20, 8);
            }
            QCOMPARE(size, content.size());
            QCOMPARE(bytes.substr(offset, 4), std::string("PK\x03\x04"));
            QCOMPARE(bytes.substr(offset + 30, name.size()), name);
            const std::size_t begin = offset + 30 + name.size() + number(offset + 28, 2);
            QVERIFY(bytes.substr(begin, size) == content);
            entry = extra + number(entry + 30, 2);
        }
        QCOMPARE(entry, end);
    }

    void everyMemberHasTheSameFixedDate() {
        for (const auto& [name, member] : members_)
            QCOMPARE(member.dos_date, 0x00210000UL);
    }
};

const headscope::test::TestRegistration<TestNpz> registration;

} // namespace test_npz

#include "test_npz.moc"
