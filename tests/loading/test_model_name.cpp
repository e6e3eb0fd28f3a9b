#include "core/loading/config/model_name.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

namespace test_model_name {

using namespace headscope;

class TestModelName : public QObject {
    Q_OBJECT

private slots:
    void names_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("name");
        const auto row = [](const char* path, const char* name) {
            QTest::newRow(path) << QString::fromUtf8(path) << QString::fromUtf8(name);
        };
        row("/m/gpt2-mini-6l.h5", "gpt2-mini-6l");
        row("/m/llama-3.2-1b.safetensors", "llama-3.2-1b");
        row("/m/my.model.hdf5", "my.model");
        row("/m/gpt2/model.safetensors", "gpt2");
        row("/m/gpt2/model.safetensors.index.json", "gpt2");
        row("/m/gpt2/model-00001-of-00003.safetensors", "gpt2");
        row("/m/bert/tf_model.h5", "bert");
        row("/m/bert/tf_model.h5.index.json", "bert");
        row("/m/gemma_2b/model.weights.h5", "gemma_2b");
        row("/m/gemma_2b/model.weights.json", "gemma_2b");
        row("/m/gemma_2b/model.keras", "gemma_2b");
        row("/c/models--openai--gpt2-xl/snapshots/0a1b2c/model.safetensors", "gpt2-xl");
        row("/c/other/snapshots/0a1b2c/model.safetensors", "0a1b2c");
        row("/m/minilm/0_Transformer/model.safetensors", "minilm");
        row("/m/-of-.h5", "-of-");
        row("/m/a-list-of-names.h5", "a-list-of-names");
        row("/m/plain", "plain");
        row("/model.h5", "model");
    }

    void names() {
        QFETCH(QString, path);
        QFETCH(QString, name);
        QCOMPARE(QString::fromStdString(modelName(path.toStdString())), name);
    }
};

const headscope::test::TestRegistration<TestModelName> registration;

} // namespace test_model_name

#include "test_model_name.moc"
