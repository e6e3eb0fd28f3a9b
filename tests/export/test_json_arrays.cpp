#include "core/export/formats/text_arrays.h"
#include "tests/export/sample_arrays.h"
#include "tests/support/runner.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <sstream>

namespace test_json_arrays {

using namespace headscope;

class TestJsonArrays : public QObject {
    Q_OBJECT

private slots:
    /// The format is a promise to other people's programs: the whole text is compared.
    void textIsStable() {
        Provenance provenance;
        provenance.ablation = "none";
        std::ostringstream out;
        writeJsonArrays(out, std::vector{test::sampleIds(), test::sampleTensor()}, provenance);
        QCOMPARE(QByteArray::fromStdString(out.str()),
                 QByteArray(R"({"arrays":{"blocks.0.hook_x":{"dtype":"float32","shape":[2,1,3],)"
                            R"("values":[[[0.1,-2,1e-20]],[[null,null,null]]]},)"
                            R"("input_ids":{"dtype":"int32","shape":[2],"values":[7,300]}},)"
                            R"("provenance":{"ablation":"none","app_version":"","has_bos":false,)"
                            R"("ids":[],"model_family":"","model_name":"","model_sha256":"",)"
                            R"("note":"","pieces":[],"prompt_id":"00000000","prompt_text":""}})"
                            "\n"));
    }

    void floatsReadBackExactly() {
        const std::vector<float> values{0.1f, 1.0f / 3.0f, 1e-45f, 3.4028235e38f};
        std::ostringstream out;
        writeJsonArrays(out, std::vector<NamedArray>{{"x", {4}, values}}, {});
        const auto read = nlohmann::json::parse(out.str())["arrays"]["x"]["values"];
        for (std::size_t i = 0; i < values.size(); ++i)
            QCOMPARE(static_cast<float>(read[i].get<double>()), values[i]);
    }

    void emptyAxesStayEmpty() {
        std::ostringstream out;
        writeJsonArrays(out, std::vector<NamedArray>{{"x", {2, 0}, std::vector<float>{}}}, {});
        QVERIFY(out.str().find(R"("values":[[],[]])") != std::string::npos);
    }
};

const headscope::test::TestRegistration<TestJsonArrays> registration;

} // namespace test_json_arrays

#include "test_json_arrays.moc"
