#include "core/loading/config/config_reader.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

namespace test_config_reader {

using namespace headscope;

namespace {

ConfigReader reader(const char* text) {
    return *ConfigReader::parse(text, "test.json");
}

} // namespace

class TestConfigReader : public QObject {
    Q_OBJECT

private slots:
    void readsSynonymsInOrder();
    void nullCountsAsAbsent();
    void keepsTheFirstFailure();
    void namesAllSynonymsOfAMissingKey();
    void nestedObjectsShareState();
    void tokensOutsideTheVocabularyAreNoted();
    void unusedKeysLeaveOutTheUnimportant();
    void refuseAllowsSwitchedOffFeatures();
};

void TestConfigReader::readsSynonymsInOrder() {
    ConfigReader config = reader(R"({"hidden_size": 64, "n_embd": 48})");
    QCOMPARE(config.size({"n_embd", "hidden_size"}), std::size_t{48});
    QCOMPARE(config.size({"d_model", "hidden_size"}), std::size_t{64});
    QCOMPARE(config.sizeOr({"n_inner"}, 7), std::size_t{7});
    QCOMPARE(config.positiveOr({"eps"}, 1e-5), 1e-5);
    QVERIFY(!config.error());
}

void TestConfigReader::nullCountsAsAbsent() {
    ConfigReader config = reader(R"({"n_inner": null, "tied": null, "type": null, "rope": null})");
    QCOMPARE(config.sizeOr({"n_inner"}, 192), std::size_t{192});
    QCOMPARE(config.flagOr({"tied"}, true), true);
    QCOMPARE(config.textOr({"type"}, "default"), std::string("default"));
    QVERIFY(!config.object("rope"));
    QVERIFY(!config.error());
}

void TestConfigReader::keepsTheFirstFailure() {
    ConfigReader config = reader(R"({"a": "x", "b": -1})");
    QCOMPARE(config.size({"a"}), std::size_t{1});
    QCOMPARE(config.size({"b"}), std::size_t{1});
    QVERIFY(config.error());
    QCOMPARE(config.error()->code, ErrorCode::Malformed);
    QCOMPARE(config.error()->message,
             std::string("test.json has 'a' = \"x\", expected a whole number from 1 to 16777216; "
                         "correct the config."));
}

void TestConfigReader::namesAllSynonymsOfAMissingKey() {
    ConfigReader config = reader("{}");
    config.size({"n_embd", "hidden_size"});
    QCOMPARE(config.error()->message,
             std::string("test.json lacks the key 'n_embd' or 'hidden_size'; add it to the "
                         "config."));
}

void TestConfigReader::nestedObjectsShareState() {
    ConfigReader config = reader(R"({"rope": {"factor": 0, "spare": 1}})");
    auto rope = config.object("rope");
    QVERIFY(rope);
    rope->positiveOr({"factor"}, 1.0);
    QCOMPARE(config.error()->message,
             std::string("test.json has 'rope.factor' = 0, expected a number above 0; correct the "
                         "config."));
    QCOMPARE(config.unusedKeys(), std::vector<std::string>{"rope.spare"});
}

void TestConfigReader::tokensOutsideTheVocabularyAreNoted() {
    ConfigReader config = reader(R"({"bos": 50256, "eos": 96, "pad": -1})");
    QCOMPARE(config.token("eos", 97), std::optional<TokenId>(96));
    QVERIFY(config.notes().empty());
    QVERIFY(!config.token("bos", 97));
    QVERIFY(!config.token("pad", 97));
    QVERIFY(!config.token("absent", 97));
    QVERIFY(!config.error());
    QCOMPARE(config.notes().size(), std::size_t{2});
    QCOMPARE(config.notes().front(),
             std::string("bos 50256 is outside the vocabulary of 97 tokens and is not used."));
}

void TestConfigReader::unusedKeysLeaveOutTheUnimportant() {
    ConfigReader config = reader(
        R"({"zeta": 1, "alpha": {"x": 2}, "read": 3, "nothing": null, "id2label": {"0": "a"},
            "resid_pdrop": 0.1, "hidden_dropout_prob": 0.1, "transformers_version": "5",
            "summary_type": "cls", "_name_or_path": ""})");
    config.size({"read"});
    QCOMPARE(config.unusedKeys(), (std::vector<std::string>{"alpha", "zeta"}));
}

void TestConfigReader::refuseAllowsSwitchedOffFeatures() {
    ConfigReader config = reader(R"({"a": false, "b": null, "c": {}, "d": [], "e": true})");
    for (const char* key : {"a", "b", "c", "d", "absent"})
        config.refuse(key, "it is not supported");
    QVERIFY(!config.error());
    config.refuse("e", "it is not supported");
    QCOMPARE(config.error()->code, ErrorCode::Unsupported);
    QCOMPARE(config.error()->message, std::string("test.json has 'e' = true, and it is not "
                                                  "supported."));
}

const headscope::test::TestRegistration<TestConfigReader> registration;

} // namespace test_config_reader

#include "test_config_reader.moc"
