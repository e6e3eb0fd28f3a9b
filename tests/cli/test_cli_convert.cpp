#include "core/io/tensor_source.h"
#include "tests/cli/cli_process.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

namespace test_cli_convert {

using namespace headscope;
using namespace Qt::StringLiterals;
using namespace headscope::test;

class TestCliConvert : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::string file(const std::string& name) const {
        return folder_.path().toStdString() + "/" + name;
    }

    static std::string weightFile(const std::string& name) {
        return HEADSCOPE_TEST_DATA "/weight_files/" + name;
    }

private slots:
    void shardsBecomeOneFile() {
        const CliResult result =
            runCli({"convert", weightFile("gpt2-sharded"), "-o", file("gpt2.h5")});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY2(contains(result.out, "config.json beside model.safetensors.index.json"),
                 result.out.c_str());
        QVERIFY(contains(result.out, "There is no tokenizer; prompts will be token ids."));
        const auto json = runCli({"info", file("gpt2.h5"), "--json"}).json();
        QCOMPARE(json["spec"]["family"].get<std::string>(), "gpt2");
    }

    void tokenizerIsTakenAlong() {
        const CliResult result = runCli(
            {"convert", sampleModel("gpt2-mini-6l.h5"), "-o", file("mini.h5"), "--dtype", "bf16"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY2(contains(result.out, "tokenizer (attribute 'tokenizer' of gpt2-mini-6l.h5)"),
                 result.out.c_str());
        const CliResult tokens = runCli({"tokenize", file("mini.h5"), "--text", "Hello"});
        QVERIFY2(tokens.exit_code == 0, tokens.err.c_str());
    }

    void toGgufAndBack() {
        const CliResult there = runCli({"convert", sampleModel("gpt2-mini-6l.h5"), "-o",
                                        file("mini.gguf"), "--dtype", "q8_0"});
        QVERIFY2(there.exit_code == 0, there.err.c_str());
        const CliResult info = runCli({"info", file("mini.gguf")});
        QVERIFY2(contains(info.out, "Q8_0, 8.5 bits"), info.out.c_str());
        QVERIFY2(contains(info.out, "the metadata of mini.gguf"), info.out.c_str());
        const CliResult back = runCli({"convert", file("mini.gguf"), "-o", file("back.h5")});
        QVERIFY2(back.exit_code == 0, back.err.c_str());
        const auto ids = [&](const char* name) {
            return runCli({"tokenize", file(name), "--text", "Hello there", "--json"})
                .json()["tokens"]
                .dump();
        };
        QCOMPARE(ids("back.h5"), ids("mini.gguf"));
    }

    void modelItselfIsNotOverwritten() {
        std::filesystem::copy(fixture("gpt2.h5"), file("own.h5"));
        std::filesystem::create_symlink("own.h5", file("link.h5"));
        for (const char* name : {"own.h5", "link.h5"}) {
            const CliResult result = runCli({"convert", file("own.h5"), "-o", file(name)});
            QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
            QVERIFY2(contains(result.err, "it belongs to what this command reads"),
                     result.err.c_str());
        }
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exit_code");
        QTest::addColumn<QString>("message");
        const QString input = QString::fromStdString(fixture("gpt2.h5"));
        QTest::newRow("no config")
            << QStringList{QString::fromStdString(fixture("gpt2.reference.h5")), u"-o"_s,
                           u"/tmp/never.h5"_s}
            << 1 << u"has no attribute 'config' and there is no config.json beside it"_s;
        QTest::newRow("no model") << QStringList{u"/no/model.h5"_s, u"-o"_s, u"/tmp/never.h5"_s}
                                  << 1 << u"there is no such file"_s;
        QTest::newRow("no folder")
            << QStringList{input, u"-o"_s, u"/no/folder/x.h5"_s} << 1 << u"does not exist"_s;
        QTest::newRow("extension")
            << QStringList{input, u"-o"_s, u"x.safetensors"_s} << 2 << u"use .h5"_s;
        QTest::newRow("type") << QStringList{input, u"-o"_s, u"x.h5"_s, u"--dtype"_s, u"f8"_s} << 2
                              << u"f8"_s;
        QTest::newRow("type of GGUF")
            << QStringList{input, u"-o"_s, u"x.h5"_s, u"--dtype"_s, u"q8_0"_s} << 2
            << u"--dtype q8_0 is a format of GGUF; write to a .gguf file."_s;
        QTest::newRow("no output") << QStringList{input} << 2 << u"--output is required"_s;
    }
    void refusals() {
        QFETCH(QStringList, arguments);
        QFETCH(int, exit_code);
        QFETCH(QString, message);
        Arguments all{"convert"};
        for (const QString& argument : arguments)
            all.push_back(argument.toStdString());
        const CliResult result = runCli(all);
        QCOMPARE(result.exit_code, exit_code);
        QVERIFY2(contains(result.err, message.toStdString()), result.err.c_str());
        QVERIFY(!std::filesystem::exists("/tmp/never.h5"));
    }
};

const headscope::test::TestRegistration<TestCliConvert> registration;

} // namespace test_cli_convert

#include "test_cli_convert.moc"
