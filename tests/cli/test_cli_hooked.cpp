#include "tests/cli/cli_process.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

namespace test_cli_hooked {

using namespace headscope::test;

/// What the command line says of TransformerLens checkpoints, above all of those whose logits are
/// of classes.
class TestCliHooked : public QObject {
    Q_OBJECT

private slots:
    void infoSaysWhatItIs() {
        const CliResult info = runCli({"info", fixture("hooked-classifier.h5")});
        QVERIFY2(info.exit_code == 0, info.err.c_str());
        QVERIFY(contains(info.out, "hooked_transformer · 3 layers × 3 heads"));
        QVERIFY(contains(info.out, "bidirectional · 2 classes"));
        const auto spec =
            runCli({"info", fixture("hooked-classifier.h5"), "--json"}).json().at("spec");
        QCOMPARE(spec.at("d_vocab").get<int>(), 61);
        QCOMPARE(spec.at("d_vocab_out").get<int>(), 2);
        const CliResult metadata = runCli({"info", fixture("hooked-plain.safetensors")});
        QVERIFY2(metadata.exit_code == 0, metadata.err.c_str());
        QVERIFY(contains(metadata.out, "attribute 'cfg' of hooked-plain.safetensors"));
    }

    void classesAreCalledSo() {
        const CliResult both = runCli({"run", fixture("hooked-classifier.h5"), "--ids", "1,2,3"});
        QVERIFY2(both.exit_code == 0, both.err.c_str());
        QVERIFY2(contains(both.out, "classes at 0") && contains(both.out, "class 1"),
                 both.out.c_str());
        QVERIFY(!contains(both.out, "loss") && !contains(both.out, "next token"));
        const CliResult causal = runCli({"run", fixture("hooked-plain.h5"), "--ids", "1,2,3"});
        QVERIFY2(contains(causal.out, "classes at 2"), causal.out.c_str());
        QVERIFY(!contains(causal.out, "nats per token"));
        const CliResult lens =
            runCli({"lens", fixture("hooked-classifier.h5"), "--ids", "1,2,3", "--token", "1"});
        QVERIFY2(lens.exit_code == 0 && contains(lens.out, "class 1"), lens.err.c_str());
        const CliResult attribution = runCli({"attribute", fixture("hooked-classifier.h5"), "--ids",
                                              "1,2,3", "--token", "1", "--against", "0"});
        QVERIFY2(attribution.exit_code == 0, attribution.err.c_str());
        QVERIFY2(contains(attribution.out, "logit of class 1 − class 0 at 0"),
                 attribution.out.c_str());
    }

    void classesAreMeasured() {
        const CliResult sweep = runCli({"sweep", fixture("hooked-classifier.h5"), "--ids", "1,2,3",
                                        "--metric", "probability", "--target", "1"});
        QVERIFY2(sweep.exit_code == 0, sweep.err.c_str());
        const CliResult loss =
            runCli({"sweep", fixture("hooked-plain.h5"), "--ids", "1,2,3", "--target", "12"});
        QVERIFY2(loss.exit_code == 0, loss.err.c_str());
    }

    void whatNeedsTokensIsRefused_data() {
        QTest::addColumn<Arguments>("arguments");
        QTest::addColumn<std::string>("expected");
        const std::string model = fixture("hooked-plain.h5");
        const auto row = [](const char* name, const Arguments& arguments, const char* expected) {
            QTest::newRow(name) << arguments << std::string(expected);
        };
        row("loss", {"sweep", model, "--ids", "1,2,3"},
            "The logits of this network are of classes, so it predicts no next token; say for the "
            "loss which class");
        row("no class", {"lens", model, "--ids", "1,2,3", "--token", "13"},
            "There is no class 13: the logits of hooked-plain are of classes 0 to 12.");
        row("no number", {"lens", model, "--ids", "1,2", "--token", " Mary"},
            "is no class: the logits of hooked-plain are of classes 0");
        row("copying", {"circuits", model, "--copying"},
            "The logits of this model are of classes and not of its tokens");
        row("pruning", {"prune", model, "--orders", "gradient", "-o", "unwritten.json"},
            "predicts classes and not the tokens of a text");
        row("choice of layout", {"info", model, "--transpose-heads"},
            "so there is nothing to transpose; open the file without --transpose-heads.");
    }
    void whatNeedsTokensIsRefused() {
        QFETCH(Arguments, arguments);
        QFETCH(std::string, expected);
        const CliResult result = runCli(arguments);
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY2(contains(result.err, expected), result.err.c_str());
    }

    void convertedFilesOpenAgain() {
        const QTemporaryDir folder;
        for (const char* name : {"hooked-grouped", "hooked-plain", "hooked-solu"}) {
            const std::string original = fixture(std::string(name) + ".h5");
            const std::string converted =
                folder.filePath(QStringLiteral("converted.h5")).toStdString();
            const CliResult written = runCli({"convert", original, "-o", converted});
            QVERIFY2(written.exit_code == 0, written.err.c_str());
            const auto predictions = [](const std::string& model) {
                const CliResult run = runCli({"run", model, "--ids", "1,2,3,4,5,6", "--json"});
                return run.json().at("predictions");
            };
            QVERIFY(predictions(converted) == predictions(original));
            QVERIFY(QFile::remove(QString::fromStdString(converted)));
        }
    }
};

const headscope::test::TestRegistration<TestCliHooked> registration;

} // namespace test_cli_hooked

#include "test_cli_hooked.moc"
