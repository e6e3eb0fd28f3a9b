#include "core/engine/engine.h"
#include "core/export/export_patterns.h"
#include "core/loading/load_model.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

namespace test_export_patterns {

using namespace headscope;

namespace {

/// One slice [i, j, ..] of the reference's attentions [layer, head, query, key], as an array.
Tensor slice(const Tensor& attentions, std::size_t first, Shape shape) {
    Tensor part(std::move(shape));
    std::copy_n(attentions.data() + first, part.size(), part.data());
    return part;
}

} // namespace

class TestExportPatterns : public QObject {
    Q_OBJECT

    std::shared_ptr<const Run> run_;
    Tensor attentions_; ///< [layer, head, query, key]

    /// The largest difference between an exported array and the slice of the reference that begins
    /// at element `first`.
    double worst(const NamedArray& array, std::size_t first) const {
        Tensor found(array.shape);
        std::ranges::copy(std::get<std::vector<float>>(array.values), found.data());
        const Tensor expected = slice(attentions_, first, array.shape);
        return test::difference(found.view(), expected.view()).absolute;
    }

private slots:
    void initTestCase() {
        const std::filesystem::path data = HEADSCOPE_TEST_DATA "/fixtures";
        const test::ReferenceFile reference(data / "gpt2.reference.h5");
        attentions_ = reference.floats("attentions");
        const auto model = loadModel(data / "gpt2.h5");
        QVERIFY2(model, model ? "" : model.error().message.c_str());
        const auto run = runModel(*model, reference.ids("input_ids"));
        QVERIFY2(run, run ? "" : run.error().message.c_str());
        run_ = *run;
    }

    void oneHead() {
        const auto arrays = patternArrays(*run_, {.layer = 2, .head = 1});
        QCOMPARE(arrays.size(), 2u);
        QCOMPARE(arrays[0].name, std::string("blocks.2.attn.hook_pattern.1"));
        QCOMPARE(arrays[0].shape, (Shape{29, 29}));
        QVERIFY(worst(arrays[0], (2 * 4 + 1) * 29 * 29) <= 1e-5);
        QCOMPARE(arrays[1].name, std::string("input_ids"));
        QCOMPARE(std::get<std::vector<std::int32_t>>(arrays[1].values), run_->ids);
    }

    void oneLayer() {
        const auto arrays = patternArrays(*run_, {.layer = 1, .head = {}});
        QCOMPARE(arrays.size(), 2u);
        QCOMPARE(arrays[0].name, std::string("blocks.1.attn.hook_pattern"));
        QCOMPARE(arrays[0].shape, (Shape{4, 29, 29}));
        QVERIFY(worst(arrays[0], 4 * 29 * 29) <= 1e-5);
    }

    void oneHeadOfEveryLayer() {
        const auto arrays = patternArrays(*run_, {.layer = {}, .head = 3});
        QCOMPARE(arrays.size(), 4u);
        QCOMPARE(arrays[2].name, std::string("blocks.2.attn.hook_pattern.3"));
        QVERIFY(worst(arrays[2], (2 * 4 + 3) * 29 * 29) <= 1e-5);
    }

    void allHeads() {
        const auto arrays = patternArrays(*run_, {});
        QCOMPARE(arrays.size(), 4u);
        for (std::size_t layer = 0; layer < 3; ++layer)
            QVERIFY(worst(arrays[layer], layer * 4 * 29 * 29) <= 1e-5);
    }
};

const headscope::test::TestRegistration<TestExportPatterns> registration;

} // namespace test_export_patterns

#include "test_export_patterns.moc"
