#include "core/export/named_array.h"
#include "tests/export/sample_arrays.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

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

    void everyMemberHasTheSameFixedDate() {
        for (const auto& [name, member] : members_)
            QCOMPARE(member.dos_date, 0x00210000UL);
    }
};

const headscope::test::TestRegistration<TestNpz> registration;

} // namespace test_npz

#include "test_npz.moc"
