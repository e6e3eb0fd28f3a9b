#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <algorithm>

namespace test_pruned_heads {

using namespace headscope;
using headscope::test::FileTensor;
using headscope::test::loadUnchanged;
using headscope::test::ModelVariant;

namespace {

constexpr std::size_t kWidth = 48; // d_model, 4 heads of 12
constexpr std::size_t kHead = 12;

/// Heads 0 and 2 are cut out of layer 1.
bool isKept(std::size_t position) {
    const std::size_t head = position % kWidth / kHead;
    return head != 0 && head != 2;
}

void keepRows(FileTensor& tensor) {
    const std::size_t cols = tensor.shape.size() == 2 ? tensor.shape[1] : 1;
    std::vector<float> kept;
    for (std::size_t r = 0; r < tensor.shape[0]; ++r)
        if (isKept(r))
            kept.insert(kept.end(), tensor.values.begin() + static_cast<std::ptrdiff_t>(r * cols),
                        tensor.values.begin() + static_cast<std::ptrdiff_t>((r + 1) * cols));
    tensor.shape[0] = kept.size() / cols;
    tensor.values = std::move(kept);
}

void keepColumns(FileTensor& tensor) {
    std::vector<float> kept;
    for (std::size_t i = 0; i < tensor.values.size(); ++i)
        if (isKept(i % tensor.shape[1]))
            kept.push_back(tensor.values[i]);
    tensor.shape[1] = kept.size() / tensor.shape[0];
    tensor.values = std::move(kept);
}

/// As transformers 4 prunes: rows of a Linear's q, k and v and columns of its output; the other
/// way round in GPT-2, whose Conv1D lies the other way.
ModelVariant pruned(const QString& name) {
    ModelVariant variant(name.toStdString());
    variant.config["pruned_heads"] = {{"1", {2, 0}}};
    if (name == QLatin1String("gpt2")) {
        keepColumns(variant.tensor("transformer.h.1.attn.c_attn.weight"));
        keepRows(variant.tensor("transformer.h.1.attn.c_attn.bias"));
        keepRows(variant.tensor("transformer.h.1.attn.c_proj.weight"));
        return variant;
    }
    const bool distilbert = name == QLatin1String("distilbert");
    const std::string layer = distilbert ? "distilbert.transformer.layer.1.attention."
                                         : name.toStdString() + ".encoder.layer.1.attention.";
    for (const std::string part : {"query", "key", "value"}) {
        const std::string linear = distilbert ? part.substr(0, 1) + "_lin" : "self." + part;
        keepRows(variant.tensor(layer + linear + ".weight"));
        keepRows(variant.tensor(layer + linear + ".bias"));
    }
    keepColumns(variant.tensor(layer + (distilbert ? "out_lin" : "output.dense") + ".weight"));
    return variant;
}

} // namespace

/// What old versions of transformers cut out comes back as zeros, in its place.
class TestPrunedHeads : public QObject {
    Q_OBJECT

private slots:
    void zerosStandInTheirPlace_data();
    void zerosStandInTheirPlace();
    void narrowTensorsWithoutTheKey();
};

void TestPrunedHeads::zerosStandInTheirPlace_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"gpt2", "bert", "distilbert", "roberta"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestPrunedHeads::zerosStandInTheirPlace() {
    QFETCH(QString, name);
    const auto whole = loadUnchanged(name.toStdString());
    const auto model = pruned(name).loaded();
    QCOMPARE(model->spec.n_heads, whole->spec.n_heads);
    const AttentionWeights& found = model->weights.layers[1].attn;
    const AttentionWeights& expected = whole->weights.layers[1].attn;
    for (std::size_t c = 0; c < 3 * kWidth; ++c) {
        QCOMPARE(found.b_QKV(c), isKept(c) ? expected.b_QKV(c) : 0.0f);
        for (std::size_t r = 0; r < kWidth; ++r)
            QCOMPARE(found.W_QKV(r, c), isKept(c) ? expected.W_QKV(r, c) : 0.0f);
    }
    for (std::size_t r = 0; r < kWidth; ++r)
        for (std::size_t c = 0; c < kWidth; ++c)
            QCOMPARE(found.W_O(r, c), isKept(r) ? expected.W_O(r, c) : 0.0f);
    QVERIFY(std::ranges::equal(model->weights.layers[0].attn.W_QKV.floats().values(),
                               whole->weights.layers[0].attn.W_QKV.floats().values()));
    QCOMPARE(model->report.notes.front(),
             std::string("Heads were cut out of the file (pruned_heads): 1.0, 1.2. Zeros stand in "
                         "their place, so ablating them changes nothing."));
}

void TestPrunedHeads::narrowTensorsWithoutTheKey() {
    ModelVariant variant = pruned(QStringLiteral("gpt2"));
    variant.config.erase("pruned_heads");
    const QString message = QString::fromStdString(variant.refusal());
    QVERIFY2(message.startsWith(QStringLiteral("gpt2.h5: the tensor 'transformer.h.1.attn.c_attn."
                                               "weight' is [48, 72], expected [d_model, (n_heads")),
             qPrintable(message));
}

const headscope::test::TestRegistration<TestPrunedHeads> registration;

} // namespace test_pruned_heads

#include "test_pruned_heads.moc"
