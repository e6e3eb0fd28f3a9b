// With which token prompts begin is the same before and after a conversion.

#include "core/export/conversions/other_forms.h"
#include "core/export/convert_model.h"
#include "core/io/atomic_file.h"
#include "core/loading/load_model.h"
#include "core/model/prompt.h"
#include "tests/support/model_variant.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

namespace test_converted_bos {

using namespace headscope;
using namespace headscope::test;

namespace fs = std::filesystem;

class TestConvertedBos : public QObject {
    Q_OBJECT

private slots:
    void sameBefore_data() {
        QTest::addColumn<QByteArray>("settings");
        QTest::addColumn<bool>("begins");
        // The config of the sample names a BOS token, its tokenizer adds none.
        QTest::newRow("by the config") << QByteArray() << true;
        QTest::newRow("by the settings") << QByteArray(R"({"add_bos_token": true})") << true;
        QTest::newRow("denied by the settings")
            << QByteArray(R"({"add_bos_token": false})") << false;
    }

    void sameBefore() {
        QFETCH(QByteArray, settings);
        QFETCH(bool, begins);
        const QTemporaryDir folder;
        const fs::path parent(folder.path().toStdString());
        const fs::path model = parent / "from" / "model.h5";
        const fs::path elsewhere = parent / "to";
        fs::create_directory(model.parent_path());
        fs::create_directory(elsewhere);
        fs::copy_file(modelPath("gpt2-mini-6l"), model);
        if (!settings.isEmpty())
            QVERIFY(writeFileAtomically(model.parent_path() / "tokenizer_config.json",
                                        settings.toStdString()));
        const TokenIds ids = idsOf(model);
        QCOMPARE(ids.size(), begins ? 4u : 3u);
        require(convertModel(model, elsewhere / "model.h5", FloatFormat::Float16));
        require(convertToGguf(model, elsewhere / "model.gguf", GgufFormat::Float16));
        require(
            convertModel(elsewhere / "model.gguf", elsewhere / "again.h5", FloatFormat::Float16));
        for (const char* name : {"model.h5", "model.gguf", "again.h5"})
            QVERIFY2(idsOf(elsewhere / name) == ids, name);
    }

private:
    static TokenIds idsOf(const fs::path& path) {
        const auto model = require(loadModel(path));
        return require(promptFromText(*model, "Once upon a", BosMode::Auto)).ids;
    }
};

const headscope::test::TestRegistration<TestConvertedBos> registration;

} // namespace test_converted_bos

#include "test_converted_bos.moc"
