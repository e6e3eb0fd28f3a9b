// Values that a run keeps, so that another can go on from it.

#include "core/engine/engine.h"
#include "core/engine/run_memory.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

namespace test_kept_values {

using namespace headscope;
using namespace headscope::test;

class TestKeptValues : public QObject {
    Q_OBJECT

private slots:
    void valuesAreKeptWithAttention() {
        const auto model = loadSample("gpt2-mini-6l");
        const TokenIds ids{5, 17, 3, 42};
        Request request;
        request.keep_values = true;
        request.keep_attention = false;
        QVERIFY(require(runModel(model, ids, request))->attention.empty());
        request.keep_attention = true;
        QCOMPARE(require(runModel(model, ids, request))->attention[2].v.shape(),
                 (Shape{ids.size(), model->spec.n_kv_heads, model->spec.d_head}));
        request.keep_values = false;
        QVERIFY(require(runModel(model, ids, request))->attention[2].v.empty());
    }

    void valuesAreCountedAsMemory() {
        ModelSpec spec = loadFixture("gpt2")->spec;
        Request request;
        request.logits = false;
        request.keep_values = true;
        const RunMemory with_values = runMemory(spec, 100, request);
        request.keep_values = false;
        const RunMemory without = runMemory(spec, 100, request);
        std::size_t values = 0;
        for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
            values += 100 * spec.valueWidth(layer) * sizeof(float);
        QCOMPARE(with_values.kept, without.kept + values);
        QCOMPARE(with_values.workspace, without.workspace);
    }
};

const TestRegistration<TestKeptValues> registration;

} // namespace test_kept_values

#include "test_kept_values.moc"
