#include "core/export/export_patterns.h"
#include "core/export/provenance.h"
#include "tests/export/sample_arrays.h"
#include "tests/support/runner.h"

#include <QTest>

namespace test_provenance {

using namespace headscope;

class TestProvenance : public QObject {
    Q_OBJECT

private slots:
    void jsonIsOneLineWithSortedKeys() {
        QByteArray expected =
            "{'ablation':'none','app_version':'0.1.0','has_bos':false,'ids':[7,300],"
            "'model_family':'gpt2','model_name':'tiny','model_sha256':'abc','note':'',"
            "'pieces':['Hi,',' \\'you\\''],'prompt_id':'84c1acc1','prompt_text':'Hi, \\'you\\''}";
        expected.replace('\'', '"');
        QCOMPARE(QByteArray::fromStdString(test::sampleProvenance().json()), expected);
    }

    void jsonSurvivesBrokenText() {
        Provenance provenance;
        provenance.model_name = "bad\xFFname";
        QVERIFY(provenance.json().find("bad\xEF\xBF\xBDname") != std::string::npos);
    }

    void promptIdDependsOnOrderAndId() {
        const auto idOf = [](TokenIds ids) {
            Provenance provenance;
            provenance.ids = std::move(ids);
            return provenance.promptId();
        };
        QCOMPARE(idOf({7, 300}), idOf({7, 300}));
        QVERIFY(idOf({7, 300}) != idOf({300, 7}));
        QVERIFY(idOf({7}) != idOf({7, 0}));
        QCOMPARE(idOf({}).size(), 8u);
    }

    void modelAndMaskAreTold() {
        Model model;
        model.name = "tiny";
        model.sha256 = "abc";
        model.spec.family = "gpt2";
        HeadMask mask;
        QCOMPARE(provenanceOf(model, {}, mask).ablation, std::string("none"));
        mask.set({4, 2}, AblationKind::Zero);
        mask.set({4, 1}, AblationKind::Zero);
        QCOMPARE(provenanceOf(model, {}, mask).ablation, std::string("zero: 4.1 4.2"));
        mask.set({0, 3}, AblationKind::Mean);
        const Provenance provenance = provenanceOf(model, {}, mask);
        QCOMPARE(provenance.ablation, std::string("mean: 0.3; zero: 4.1 4.2"));
        QCOMPARE(provenance.model_sha256, std::string("abc"));
        QCOMPARE(provenance.app_version, std::string(HEADSCOPE_VERSION));
    }

    void fileNames_data() {
        QTest::addColumn<int>("layer");
        QTest::addColumn<int>("head");
        QTest::addColumn<std::string>("name");
        QTest::newRow("head") << 4 << 1 << std::string("tiny_84c1acc1_L04H01_pattern.npz");
        QTest::newRow("large") << 104 << 12 << std::string("tiny_84c1acc1_L104H12_pattern.npz");
        QTest::newRow("layer") << 4 << -1 << std::string("tiny_84c1acc1_L04_pattern.npz");
        QTest::newRow("all") << -1 << -1 << std::string("tiny_84c1acc1_pattern.npz");
    }
    void fileNames() {
        QFETCH(int, layer);
        QFETCH(int, head);
        QFETCH(std::string, name);
        PatternSelection selection;
        if (layer >= 0)
            selection.layer = static_cast<std::size_t>(layer);
        if (head >= 0)
            selection.head = static_cast<std::size_t>(head);
        QCOMPARE(patternFileName(test::sampleProvenance(), selection, ".npz"), name);
    }
};

const headscope::test::TestRegistration<TestProvenance> registration;

} // namespace test_provenance

#include "test_provenance.moc"
