#include "core/export/part_texts.h"
#include "core/export/pruning_parts.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace test_part_texts {

using namespace headscope;
using headscope::test::loadSample;
using headscope::test::require;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool sameBits(double a, double b) {
    return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

} // namespace

/// What a task writes must come back to the bit, and what a stranger writes must not come in.
class TestPartTexts : public QObject {
    Q_OBJECT

private slots:
    void sweepReadsBackEveryBit() {
        const SweepPart part{0.1 + 0.2, {1.0 / 3.0, -0.0, kNan, kInfinity, -kInfinity, 1e-310, 5}};
        SweepStep step;
        step.units.resize(part.values.size());
        const auto read = readSweepPart(sweepPartText(part), step);
        QVERIFY(read);
        QVERIFY(sameBits(read->full, part.full));
        for (std::size_t i = 0; i < part.values.size(); ++i)
            QVERIFY2(sameBits(read->values[i], part.values[i]), std::to_string(i).c_str());
    }

    void otherSweepsAreNothing_data() {
        QTest::addColumn<std::string>("text");
        for (const char* text :
             {"", "[]", "{}", R"({"full": 1})", R"({"values": [1, 2]})",
              R"({"full": 1, "values": [1]})", R"({"full": 1, "values": [1, 2, 3]})",
              R"({"full": 1, "values": [1, "2"]})", R"({"full": 1, "values": {"0": 1, "1": 2}})",
              R"({"full": [1], "values": [1, 2]})", R"({"full": 1, "values": [1, [[2]]]})"})
            QTest::newRow(text) << std::string(text);
    }
    void otherSweepsAreNothing() {
        QFETCH(std::string, text);
        SweepStep step;
        step.units = {0, 1};
        QVERIFY(readSweepPart(R"({"full": 1, "values": [1, 2]})", step));
        QVERIFY(!readSweepPart(text, step));
    }

    void scoresReadBackEveryBit() {
        const HeadIndex heads(1, 2);
        const std::vector<SequenceReading> readings{
            {{HeadTypeId::Induction,
              {7.0, PerHead<Reading>(heads, {{7.0, 1.0 / 3.0, 0.1, kNan}, {0, kNan, -0.0, 2}})}}},
            {}};
        const auto read = readScorePart(scorePartText(readings), heads, 2);
        QVERIFY(read && read->size() == 2 && read->back().empty());
        const Measurement& measurement = read->front().at(HeadTypeId::Induction);
        QCOMPARE(measurement.rows, 7.0);
        QVERIFY(sameBits(measurement.heads[{0, 0}].score, 1.0 / 3.0));
        QVERIFY(sameBits(measurement.heads[{0, 0}].variant, kNan));
        QVERIFY(sameBits(measurement.heads[{0, 1}].baseline, -0.0));
    }

    void otherScoresAreNothing() {
        const HeadIndex heads(1, 1);
        const std::string good =
            R"({"sequences": [{"induction": {"rows": 1, "readings": [1, 2, 3, 4]}}]})";
        QVERIFY(readScorePart(good, heads, 1));
        QVERIFY(!readScorePart(good, heads, 2));
        QVERIFY(!readScorePart(good, HeadIndex(1, 2), 1));
        for (const char* text :
             {R"({"sequences": [{"size": {"rows": 1, "readings": [1, 2, 3, 4]}}]})",
              R"({"sequences": [{"induction": {"rows": "a", "readings": [1, 2, 3, 4]}}]})",
              R"({"sequences": [{"induction": {"rows": 1, "readings": [1, 2, 3]}}]})",
              R"({"sequences": [7]})", R"({"sequences": {}})", "x"})
            QVERIFY2(!readScorePart(text, heads, 1), text);
    }

    void sectionsReadBack() {
        VerifyReport report;
        report.blas = "OpenBLAS";
        report.kernels = "AVX2";
        report.threads = 2;
        report.sections = {{"Masks",
                            {{"a", Check::Failed, "1", "2", "why"},
                             {"b", Check::NotApplicable, "", "", "none"},
                             {"c", Check::NotVerified, "3", "4", "doubt"}}}};
        const auto read = readSectionPart(sectionPartText(report));
        QVERIFY(read);
        QCOMPARE(read->threads, 2u);
        QCOMPARE(read->blas, report.blas);
        const std::vector<Check>& checks = read->sections.front().checks;
        QCOMPARE(checks.size(), 3u);
        QCOMPARE(checks[2].outcome, Check::NotVerified);
        QCOMPARE(checks[0].outcome, Check::Failed);
        QCOMPARE(checks[0].measured, std::string("2"));
        QCOMPARE(checks[1].outcome, Check::NotApplicable);
        std::string odd = sectionPartText(report);
        odd.replace(odd.find("not applicable"), 14, "not applicably");
        QVERIFY(!readSectionPart(odd));
        for (
            const char* text :
            {"", "{}", R"({"name": "a", "blas": "", "kernels": "", "threads": 1})",
             R"({"name": "a", "blas": "", "kernels": "", "threads": 1, "checks": [{"name": "x"}]})"})
            QVERIFY2(!readSectionPart(text), text);
    }

    void curvesReadBack() {
        const auto model = loadSample("attn-only-2l");
        const CurvePoint whole{0, 0, {{1.0 / 3.0}, {0.0}, {5.0}}, {}};
        const CurvePoint cut{1, 1, {{2.0 / 3.0}, {0.1}, {4.0}}, {}};
        const MeasuredOrder measured{
            whole, cut, {{{OrderKind::Random, 3}, {{{0, 1}}, {{1, 0}}}, {0.0, 1.0}}, {cut}}};
        const std::string text = measuredOrderText(measured);
        const auto read = readMeasuredOrder(text, model->spec);
        QVERIFY(read);
        QCOMPARE(read->whole.sums.loss, whole.sums.loss);
        QVERIFY(read->control && read->control->sums.loss == cut.sums.loss);
        QVERIFY(read->curve.order.spec == measured.curve.order.spec);
        QCOMPARE(read->curve.order.units, measured.curve.order.units);
        QCOMPARE(read->curve.points.size(), 1u);
        QCOMPARE(read->curve.points[0].sums.loss, cut.sums.loss);
        std::string beyond = text;
        beyond.replace(beyond.find("[1,0]"), 5, "[9,0]");
        QVERIFY(!readMeasuredOrder(beyond, model->spec));
        QVERIFY(!readMeasuredOrder("{}", model->spec));
        QVERIFY(!readMeasuredOrder(text.substr(1), model->spec));
    }
};

const headscope::test::TestRegistration<TestPartTexts> registration;

} // namespace test_part_texts

#include "test_part_texts.moc"
