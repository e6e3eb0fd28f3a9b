#include "core/loading/load_model.h"
#include "core/loading/tokenizer_files.h"
#include "core/model/prompt.h"
#include "core/tokenizer/tokenizer.h"
#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <sys/stat.h>

#include <algorithm>

namespace test_tokenizer_files {

using namespace headscope;
using headscope::test::ModelVariant;
using namespace Qt::StringLiterals;

namespace {

const QByteArray kWords = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ncat\nmat";
const QByteArray kVocabulary = R"({"<|endoftext|>": 0, "c": 1, "a": 2, "t": 3, "at": 4})";
const QByteArray kMerges = "#version: 0.2\na t\n";

QByteArray dataFile(const QString& name) {
    QFile file(QStringLiteral(HEADSCOPE_TEST_DATA "/tokenizers/") + name);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("%s cannot be read", qPrintable(name));
    return file.readAll();
}

/// A tiny model in a folder of its own, and whatever lies beside it.
class Folder {
public:
    Folder() : variant_("gpt2") {
        variant_.config.erase("bos_token_id");
        variant_.config.erase("eos_token_id");
        dir_ = QDir(QString::fromStdString(variant_.write().parent_path().string()));
    }

    const QDir& dir() const { return dir_; }
    nlohmann::json& config() { return variant_.config; }
    void putInside(const QByteArray& tokenizer) { variant_.tokenizer = tokenizer.toStdString(); }

    void put(const QString& name, const QByteArray& content) const {
        const QString path = dir_.filePath(name);
        dir_.mkpath(QFileInfo(path).path());
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("%s cannot be written", qPrintable(path));
    }

    std::shared_ptr<const Model> load() const { return variant_.loaded(); }

private:
    ModelVariant variant_;
    QDir dir_;
};

QString kind(const Model& model) {
    return model.tokenizer ? QString::fromUtf8(model.tokenizer->kind().data()) : QString();
}

bool hasNote(const Model& model, const QString& note) {
    return std::ranges::find(model.report.notes, note.toStdString()) != model.report.notes.end();
}

QString notes(const Model& model) {
    QString text;
    for (const std::string& note : model.report.notes)
        text += QString::fromStdString(note) + u'\n';
    return text;
}

} // namespace

/// Where a model's tokenizer is found, what is said about it, and what its files say of BOS.
class TestTokenizerFiles : public QObject {
    Q_OBJECT

private slots:
    void kinds_data();
    void kinds();
    void order();
    void kerasConfigIsPassedOver();
    void settingsAreUsed();
    void brokenSettingsAreNoted();
    void jsonOfOldFiles();
    void unusable_data();
    void unusable();
    void linksAndPipes();
    void maskToken();
    void bos_data();
    void bos();
    void bosWithoutTokenizer();
    void bosIsNeverTwice();
};

void TestTokenizerFiles::kinds_data() {
    QTest::addColumn<QStringList>("names");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("source");
    const auto row = [](const QStringList& names, const QString& kind, const QString& source) {
        QTest::newRow(qPrintable(names.join(u' ')))
            << names << kind << source + u" beside gpt2.h5"_s;
    };
    row({u"tokenizer.json"_s}, u"Unigram"_s, u"tokenizer.json"_s);
    for (const auto& name :
         {u"tokenizer.model"_s, u"spiece.model"_s, u"assets/tokenizer/vocabulary.spm"_s})
        row({name}, u"sentencepiece BPE"_s, name);
    row({u"vocab.json"_s, u"merges.txt"_s}, u"byte-level BPE"_s, u"vocab.json and merges.txt"_s);
    row({u"assets/tokenizer/vocabulary.json"_s, u"assets/tokenizer/merges.txt"_s},
        u"byte-level BPE"_s, u"assets/tokenizer/vocabulary.json and assets/tokenizer/merges.txt"_s);
    row({u"vocab.txt"_s}, u"WordPiece"_s, u"vocab.txt"_s);
    row({u"assets/tokenizer/vocabulary.txt"_s}, u"WordPiece"_s,
        u"assets/tokenizer/vocabulary.txt"_s);
}

namespace {

QByteArray contentOf(const QString& name) {
    if (name == u"tokenizer.json"_s)
        return dataFile(u"t5.tokenizer.json"_s);
    if (name.endsWith(u".txt"_s))
        return name.endsWith(u"merges.txt"_s) ? kMerges : kWords;
    return name.endsWith(u".json"_s) ? kVocabulary : dataFile(u"sentencepiece_bpe.model"_s);
}

} // namespace

void TestTokenizerFiles::kinds() {
    QFETCH(QStringList, names);
    QFETCH(QString, kind);
    QFETCH(QString, source);
    Folder folder;
    QVERIFY(hasNote(*folder.load(), u"No tokenizer: prompts are token ids."_s));
    for (const QString& name : names)
        folder.put(name, contentOf(name));
    const auto model = folder.load();
    QVERIFY2(model->tokenizer, qPrintable(notes(*model)));
    QCOMPARE(test_tokenizer_files::kind(*model), kind);
    QCOMPARE(QString::fromStdString(model->report.tokenizer_source), source);
    QVERIFY(model->tokenizer->encode("cat", false));
}

/// The weight file itself, then beside it from the most to the least that a file says.
void TestTokenizerFiles::order() {
    Folder folder;
    const auto source = [&] {
        return QString::fromStdString(folder.load()->report.tokenizer_source);
    };
    folder.put(u"vocab.txt"_s, kWords);
    QCOMPARE(source(), u"vocab.txt beside gpt2.h5"_s);
    folder.put(u"merges.txt"_s, kMerges);
    QCOMPARE(source(), u"vocab.txt beside gpt2.h5"_s); // merges alone are nothing
    folder.put(u"vocab.json"_s, kVocabulary);
    QCOMPARE(source(), u"vocab.json and merges.txt beside gpt2.h5"_s);
    folder.put(u"tokenizer.model"_s, contentOf(u"tokenizer.model"_s));
    QCOMPARE(source(), u"tokenizer.model beside gpt2.h5"_s);
    folder.put(u"tokenizer.json"_s, contentOf(u"tokenizer.json"_s));
    QCOMPARE(source(), u"tokenizer.json beside gpt2.h5"_s);
    folder.putInside(dataFile(u"gpt2.tokenizer.json"_s));
    QCOMPARE(source(), u"attribute 'tokenizer' of gpt2.h5"_s);
}

void TestTokenizerFiles::kerasConfigIsPassedOver() {
    Folder folder;
    folder.put(u"tokenizer.json"_s,
               R"({"module": "keras_hub.src.models.gpt2.gpt2_tokenizer", "class_name":
                   "GPT2Tokenizer", "config": {"name": "gpt2_tokenizer"}, "registered_name":
                   "keras_hub>GPT2Tokenizer"})");
    const QString note = u"tokenizer.json beside gpt2.h5 is the config of a Keras object and no "
                         "tokenizer; it is passed over."_s;
    folder.put(u"assets/tokenizer/vocabulary.json"_s, kVocabulary);
    folder.put(u"assets/tokenizer/merges.txt"_s, kMerges);
    const auto model = folder.load();
    QVERIFY(hasNote(*model, note));
    QCOMPARE(kind(*model), u"byte-level BPE"_s);
    QCOMPARE(model->tokenizer->encode("cat", false)->ids, (TokenIds{1, 4}));
}

void TestTokenizerFiles::settingsAreUsed() {
    Folder folder;
    folder.put(u"vocab.txt"_s, kWords);
    QVERIFY(notes(*folder.load()).contains(u"Texts are made lower case, because"_s));
    folder.put(u"tokenizer_config.json"_s, R"({"do_lower_case": false})");
    folder.put(u"added_tokens.json"_s, R"({"[TOOL]": 7})");
    const auto model = folder.load();
    QVERIFY(!notes(*model).contains(u"lower case"_s));
    QCOMPARE(model->tokenizer->encode("cat Mat [TOOL]", false)->ids, (TokenIds{5, 1, 7}));
    folder.put(u"tokenizer.model"_s, contentOf(u"tokenizer.model"_s));
    QCOMPARE(folder.load()->tokenizer->prefixToken(), std::optional<TokenId>(1));
    folder.put(u"tokenizer_config.json"_s, R"({"add_bos_token": false, "add_eos_token": true})");
    const auto tokenizer = folder.load()->tokenizer;
    QVERIFY(!tokenizer->prefixToken());
    QCOMPARE(tokenizer->encode("cat", true)->ids.back(), 2);
}

void TestTokenizerFiles::brokenSettingsAreNoted() {
    Folder folder;
    folder.put(u"vocab.txt"_s, kWords);
    folder.put(u"tokenizer_config.json"_s, R"({"do_lower_case": 3, "tokenizer_class": "X"})");
    const auto model = folder.load();
    QVERIFY(model->tokenizer);
    QVERIFY2(hasNote(*model,
                     u"What tokenizer_config.json says is left aside: tokenizer_config.json "
                     "beside gpt2.h5: the tokenizer's do_lower_case must be true or false, "
                     "found 3."_s),
             qPrintable(notes(*model)));
}

void TestTokenizerFiles::jsonOfOldFiles() {
    Folder folder;
    folder.put(u"vocab.txt"_s, kWords);
    const auto source = openTensorSource(folder.load()->path);
    const auto found = findTokenizer(**source);
    QVERIFY(found && *found);
    const auto again = readTokenizerJson((*found)->json, "rewritten");
    QVERIFY(again);
    QCOMPARE((*again)->encode("cat mat", true)->ids, (TokenIds{2, 5, 6, 3}));
}

void TestTokenizerFiles::unusable_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("message");
    QTest::newRow("tokenizer.json") << u"tokenizer.json"_s << QByteArray("{}")
                                    << u"tokenizer.json beside gpt2.h5: the tokenizer's model must "
                                       "be an object, found null."_s;
    QTest::newRow("sentencepiece") << u"tokenizer.model"_s << QByteArray("version https://git-lfs")
                                   << u"tokenizer.model beside gpt2.h5: the sentencepiece model is "
                                      "cut off or no sentencepiece model."_s;
    QTest::newRow("fairseq") << u"sentencepiece.bpe.model"_s << QByteArray("x")
                             << u"sentencepiece.bpe.model beside gpt2.h5 is for models that number "
                                "its pieces as fairseq does, which Headscope does not implement; "
                                "put the model's tokenizer.json there."_s;
    QTest::newRow("words") << u"vocab.txt"_s << QByteArray("a\na")
                           << u"vocab.txt beside gpt2.h5: line 2 of the vocabulary repeats \"a\" "
                              "of line 1."_s;
}

/// The model opens all the same.
void TestTokenizerFiles::unusable() {
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    QFETCH(QString, message);
    Folder folder;
    folder.put(name, content);
    const auto model = folder.load();
    QVERIFY(!model->tokenizer);
    QVERIFY(model->report.tokenizer_source.empty());
    QVERIFY2(hasNote(*model,
                     u"Prompts are token ids, because the tokenizer cannot be used: "_s + message),
             qPrintable(notes(*model)));
}

/// A link to a regular file elsewhere is followed (that is how caches keep models); a pipe would
/// wait for its writer.
void TestTokenizerFiles::linksAndPipes() {
    Folder elsewhere;
    elsewhere.put(u"words"_s, kWords);
    Folder folder;
    QVERIFY(
        QFile::link(elsewhere.dir().filePath(u"words"_s), folder.dir().filePath(u"vocab.txt"_s)));
    QCOMPARE(kind(*folder.load()), u"WordPiece"_s);
    const QByteArray pipe = QFile::encodeName(folder.dir().filePath(u"tokenizer.model"_s));
    QCOMPARE(::mkfifo(pipe.constData(), 0600), 0);
    const auto model = folder.load();
    QVERIFY(!model->tokenizer);
    QVERIFY2(notes(*model).contains(u"it is a device or a pipe; choose a regular file"_s),
             qPrintable(notes(*model)));
    QVERIFY(QFile::remove(folder.dir().filePath(u"tokenizer.model"_s)));
    QVERIFY(folder.dir().mkdir(u"tokenizer.model"_s));
    QVERIFY(!folder.load()->tokenizer);
}

void TestTokenizerFiles::maskToken() {
    ModelVariant bert("bert");
    const auto path = bert.write();
    const auto put = [&](const char* name, const QByteArray& content) {
        QFile file(QString::fromStdString((path.parent_path() / name).string()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    };
    put("vocab.txt", kWords + "\n<blank>");
    QCOMPARE((*loadModel(path))->spec.mask_token, std::optional<TokenId>(4));
    put("special_tokens_map.json", R"({"mask_token": "<blank>"})");
    QCOMPARE((*loadModel(path))->spec.mask_token, std::optional<TokenId>(7));
}

void TestTokenizerFiles::bos_data() {
    QTest::addColumn<QString>("prefix");
    QTest::addColumn<int>("config_token");
    QTest::addColumn<QByteArray>("settings");
    QTest::addColumn<TokenIds>("ids");
    QTest::addColumn<QString>("reason");
    const QByteArray yes = R"({"add_bos_token": true, "bos_token": "<s>"})";
    const QByteArray no = R"({"add_bos_token": false, "bos_token": "<s>"})";
    const QByteArray unsaid = R"({"bos_token": "<s>"})";
    const QString own = u"The tokenizer adds no BOS token by itself"_s;
    const QString first = u"The tokenizer begins every text with token 3 (<s>)"_s;
    const auto row = [](const char* name, bool prefix, int config, const QByteArray& settings,
                        const TokenIds& ids, const QString& reason) {
        QTest::newRow(name) << (prefix ? u"<s>"_s : QString()) << config << settings << ids
                            << reason;
    };
    row("nothing", false, -1, "{}", {2},
        u"Neither the config nor the tokenizer says that texts begin with a BOS token, so prompts "
        "have none."_s);
    row("named only", false, -1, unsaid, {2},
        u"Neither the config nor the tokenizer says that texts begin with a BOS token, so prompts "
        "have none."_s);
    row("config", false, 3, "{}", {3, 2},
        own + u"; the config names bos_token_id 3 (<s>), so prompts begin with it once."_s);
    row("settings", false, -1, yes, {3, 2},
        own + u", but its settings say add_bos_token, so prompts begin with token 3 (<s>) "
              "once."_s);
    row("settings and config", false, 3, yes, {3, 2},
        own + u", but its settings say add_bos_token, so prompts begin with token 3 (<s>) "
              "once."_s);
    row("settings against config", false, 1, yes, {3, 2},
        own + u", but its settings say add_bos_token, so prompts begin with token 3 (<s>) "
              "once."_s);
    row("denied", false, -1, no, {2},
        own + u" and its settings say add_bos_token false, so prompts have none."_s);
    row("denied, config names one", false, 3, no, {2},
        own + u" and its settings say add_bos_token false, so prompts have none, although "
              "the config names bos_token_id 3 (<s>)."_s);
    row("tokenizer", true, -1, "{}", {3, 2}, first + u"; prompts begin with it once."_s);
    row("tokenizer and config", true, 3, "{}", {3, 2},
        first + u", the config's bos_token_id; prompts begin with it once."_s);
    row("tokenizer against config", true, 1, "{}", {3, 2},
        first + u" and not with the config's bos_token_id 1 (b); prompts begin with it once."_s);
    row("tokenizer and settings", true, 3, yes, {3, 2},
        first + u", the config's bos_token_id; prompts begin with it once."_s);
    row("tokenizer against settings", true, 3, no, {3, 2},
        first + u", the config's bos_token_id, although its settings say add_bos_token "
                "false; prompts begin with it once."_s);
}

namespace {

QByteArray smallTokenizer(bool with_prefix) {
    nlohmann::json file = nlohmann::json::parse(R"({"added_tokens": [{"id": 3, "content": "<s>",
        "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
        "special": true}], "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2},
        "merges": ["a b"]}})");
    if (with_prefix)
        file["post_processor"] = nlohmann::json::parse(R"({"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}],
            "special_tokens": {"<s>": {"ids": [3], "tokens": ["<s>"]}}})");
    return QByteArray::fromStdString(file.dump());
}

} // namespace

void TestTokenizerFiles::bos() {
    QFETCH(QString, prefix);
    QFETCH(int, config_token);
    QFETCH(QByteArray, settings);
    QFETCH(TokenIds, ids);
    QFETCH(QString, reason);
    Folder folder;
    folder.put(u"tokenizer.json"_s, smallTokenizer(!prefix.isEmpty()));
    folder.put(u"tokenizer_config.json"_s, settings);
    if (config_token >= 0)
        folder.config()["bos_token_id"] = config_token;
    const auto model = folder.load();
    QVERIFY2(model->tokenizer, qPrintable(notes(*model)));
    QCOMPARE(QString::fromStdString(model->report.bos_rule), reason);
    const auto prompt = promptFromText(*model, "ab", BosMode::Auto);
    QVERIFY(prompt);
    QCOMPARE(prompt->ids, ids);
    QCOMPARE(prompt->has_bos, ids.size() == 2);
    QCOMPARE(QString::fromStdString(prompt->bos_reason), reason);
}

void TestTokenizerFiles::bosWithoutTokenizer() {
    Folder folder;
    folder.config()["bos_token_id"] = 5;
    QCOMPARE(folder.load()->report.bos_rule,
             std::string("The config names bos_token_id 5, so random sequences begin with it once; "
                         "token ids are run as they are given."));
    folder.config().erase("bos_token_id");
    QVERIFY(!bosRule(*folder.load()).add);
}

/// However BOS comes about, a text that begins with it gets no second one.
void TestTokenizerFiles::bosIsNeverTwice() {
    for (const bool with_prefix : {false, true}) {
        Folder folder;
        folder.put(u"tokenizer.json"_s, smallTokenizer(with_prefix));
        folder.put(u"tokenizer_config.json"_s, R"({"add_bos_token": true, "bos_token": "<s>"})");
        folder.config()["bos_token_id"] = 3;
        const auto model = folder.load();
        for (const BosMode mode : {BosMode::Auto, BosMode::Yes})
            QCOMPARE(promptFromText(*model, "<s>ab", mode)->ids, (TokenIds{3, 2}));
    }
    Folder llama;
    llama.put(u"tokenizer.model"_s, contentOf(u"tokenizer.model"_s));
    const auto model = llama.load();
    QVERIFY2(model->tokenizer, qPrintable(notes(*model)));
    QCOMPARE(model->tokenizer->encode("<s>\n", true)->ids.front(), 1);
    const auto prompt = promptFromText(*model, "<s>\n", BosMode::Auto);
    QVERIFY(!prompt || std::ranges::count(prompt->ids, 1) == 1);
}

const headscope::test::TestRegistration<TestTokenizerFiles> registration;

} // namespace test_tokenizer_files

#include "test_tokenizer_files.moc"
