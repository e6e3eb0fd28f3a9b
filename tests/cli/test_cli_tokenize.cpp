#include "tests/cli/cli_process.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTemporaryFile>
#include <QTest>

namespace test_cli_tokenize {

using namespace headscope::test;

namespace {

const std::string kText = "Once upon a time";

CliResult tokenizeAs(const Arguments& format, const Arguments& more) {
    return runCli(Arguments{"tokenize", sampleModel("gpt2-mini-6l.h5")} + format + more);
}

CliResult tokenize(const Arguments& more) {
    return tokenizeAs({"--json"}, more);
}

std::string joinedPieces(const nlohmann::json& tokens, std::size_t from) {
    std::string text;
    for (std::size_t i = from; i < tokens.size(); ++i)
        text += tokens[i]["piece"].get<std::string>();
    return text;
}

} // namespace

class TestCliTokenize : public QObject {
    Q_OBJECT

private slots:
    void piecesSpellTheText() {
        const CliResult result = tokenize({"--text", kText, "--bos", "no"});
        QCOMPARE(result.exit_code, 0);
        const nlohmann::json json = result.json();
        QVERIFY(json["has_bos"] == false);
        QCOMPARE(joinedPieces(json["tokens"], 0), kText);
        QVERIFY(json["tokens"][0]["offsets"] == (nlohmann::json{0, 4}));
        QVERIFY(json["tokens"][1]["position"] == 1);
        QVERIFY(json["provenance"]["prompt_text"] == kText);
    }

    void bosIsOneMoreToken() {
        const nlohmann::json without = tokenize({"--text", kText, "--bos", "no"}).json();
        const nlohmann::json with = tokenize({"--text", kText, "--bos", "yes"}).json();
        QVERIFY(with["has_bos"] == true);
        QCOMPARE(with["tokens"].size(), without["tokens"].size() + 1);
        QVERIFY(with["tokens"][1]["id"] == without["tokens"][0]["id"]);
    }

    void nothingIsNoToken() {
        const CliResult result = tokenize({"--text", "", "--bos", "no"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.json()["tokens"].empty());
        QCOMPARE(tokenize({"--text", ""}).json()["tokens"].size(), 1u);
    }

    void idsGiveTheSameTokensBack() {
        const nlohmann::json text = tokenize({"--text", kText, "--bos", "no"}).json();
        std::vector<std::int32_t> ids;
        for (const auto& token : text["tokens"])
            ids.push_back(token["id"]);
        const nlohmann::json again = tokenize({"--ids", idsText(ids), "--bos", "no"}).json();
        QCOMPARE(joinedPieces(again["tokens"], 0), kText);
    }

    void aFileLosesItsLastLineEnd_data() {
        QTest::addColumn<std::string>("content");
        QTest::newRow("none") << kText;
        QTest::newRow("unix") << kText + "\n";
        QTest::newRow("dos") << kText + "\r\n";
    }
    void aFileLosesItsLastLineEnd() {
        QFETCH(std::string, content);
        QTemporaryFile file;
        QVERIFY(file.open());
        file.write(QByteArray::fromStdString(content));
        file.close();
        const CliResult result =
            tokenize({"--text-file", file.fileName().toStdString(), "--bos", "no"});
        QCOMPARE(joinedPieces(result.json()["tokens"], 0), kText);
    }

    void tableShowsWhitespace() {
        const CliResult result = tokenizeAs({}, {"--text", kText, "--bos", "no"});
        QCOMPARE(result.exit_code, 0);
        QVERIFY2(result.out.starts_with("4 tokens. BOS is switched off.\n\nposition  id"),
                 result.out.c_str());
        QVERIFY(contains(result.out, "·time"));
        QVERIFY(tokenizeAs({}, {"--text", ""}).out.starts_with("1 token. "));
    }

    void csvHasARowPerToken() {
        const CliResult result = tokenizeAs({"--csv"}, {"--text", kText, "--bos", "yes"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY2(result.out.starts_with("position,id,piece,begin,end,has_bos,bos_reason,prompt,"
                                        "model,model_sha256,app_version\n"
                                        "0,0,<|endoftext|>,0,0,yes,"),
                 result.out.c_str());
        QVERIFY(contains(result.out, "\n2,519, upon,4,9,yes,"));
        const auto prompt = tokenize({"--text", kText}).json()["provenance"]["prompt_id"];
        QVERIFY(contains(result.out, "," + prompt.get<std::string>() + ",gpt2-mini-6l,"));
    }

    void fileHoldsWhatWouldBePrinted() {
        const QTemporaryDir folder;
        for (const std::string format : {"csv", "json"}) {
            const std::string path = folder.path().toStdString() + "/tokens." + format;
            const CliResult result = tokenizeAs({"-o", path}, {"--text", kText});
            QVERIFY2(result.exit_code == 0, result.err.c_str());
            QCOMPARE(readFile(path), tokenizeAs({"--" + format}, {"--text", kText}).out);
        }
    }
};

const headscope::test::TestRegistration<TestCliTokenize> registration;

} // namespace test_cli_tokenize

#include "test_cli_tokenize.moc"
