#include "tests/support/hostile_markup.h"
#include "tests/support/model_variant.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/markup/markup.h"
#include "ui/views/prompt/prompt_bar.h"
#include "ui/views/window/messages.h"
#include "ui/views/window/project_keeper.h"
#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/token_strip.h"

#include <QLabel>
#include <QMenu>
#include <QSignalSpy>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>

namespace test_hostile_markup {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;
using headscope::test::ModelVariant;

namespace {

constexpr std::size_t kFirstWord = 300; ///< the byte tokens come before
constexpr char kMask[] = "mask";
constexpr auto kBytesInName = 255;

/// As a byte-level vocabulary writes it.
std::string asPiece(QString text) {
    return text.replace(QLatin1Char(' '), QChar(0x120))
        .replace(QLatin1Char('\n'), QChar(0x10a))
        .toStdString();
}

/// The BERT sample with these texts as the tokens that it knows, and `mask` as its mask.
ModelVariant withTokens(const QStringList& texts, const QString& mask) {
    ModelVariant model("bert-mini-4l");
    auto tokenizer = nlohmann::json::parse(model.tokenizer.value());
    auto& vocabulary = tokenizer["model"]["vocab"];
    for (auto& added : tokenizer["added_tokens"])
        if (added["content"] == "[MASK]")
            added["content"] = mask.toStdString();
    const auto token_id = vocabulary["[MASK]"];
    vocabulary.erase("[MASK]");
    vocabulary[mask.toStdString()] = token_id;
    if (texts.isEmpty()) {
        model.tokenizer = tokenizer.dump();
        return model;
    }
    tokenizer["model"]["merges"] = nlohmann::json::array();
    nlohmann::json renamed;
    for (const auto& [piece, id] : vocabulary.items()) {
        const auto place = id.get<std::size_t>();
        const std::size_t word = place - kFirstWord;
        const auto count = static_cast<std::size_t>(texts.size());
        if (place < kFirstWord)
            renamed[piece] = id;
        else if (word < count)
            renamed[texts[static_cast<qsizetype>(word)].toStdString()] = id; // an added token
        else
            renamed[asPiece(texts[static_cast<qsizetype>(word % count)]) + std::to_string(place)] =
                id;
    }
    vocabulary = renamed;
    for (qsizetype i = 0; i < texts.size(); ++i)
        tokenizer["added_tokens"].push_back({{"id", kFirstWord + static_cast<std::size_t>(i)},
                                             {"content", texts[i].toStdString()},
                                             {"single_word", false},
                                             {"lstrip", false},
                                             {"rstrip", false},
                                             {"normalized", false},
                                             {"special", false}});
    model.tokenizer = tokenizer.dump();
    return model;
}

/// As the name of a file, which has no slash.
QString asFileName(QString text) {
    return text.replace(QLatin1Char('/'), QStringLiteral("&#47;"));
}

QString plain(const QLabel* label) {
    QString text = label->textFormat() == Qt::PlainText ? label->text() : textOfTip(label->text());
    return text.simplified();
}

/// A folder with bait, and the texts that point at it. The campaign names the folder, so that it
/// can watch it, and how many texts there is time for.
struct Bait {
    explicit Bait(const QString& temporary)
        : folder(qEnvironmentVariable("HEADSCOPE_MARKUP_FOLDER", temporary)),
          pipe(QDir(folder).filePath(QStringLiteral("pipe"))), texts(hostileMarkup(folder)) {
        if (qEnvironmentVariableIsSet("HEADSCOPE_MARKUP_HARMLESS"))
            texts = harmless(texts);
        constexpr int usual = 12; // for all of them the campaign takes minutes
        const int named = qEnvironmentVariableIntValue("HEADSCOPE_MARKUP_TEXTS");
        if (const int most = named > 0 ? named : usual; most < texts.size()) {
            const qsizetype step = std::max<qsizetype>(1, texts.size() / most);
            QStringList some;
            for (qsizetype i = 0; i < texts.size(); i += step + 1) // so that each address comes
                some << texts[i];
            texts = some;
        }
    }

    QString folder;
    BaitPipe pipe;
    QStringList texts;
};

} // namespace

class TestHostileMarkup : public QObject {
    Q_OBJECT

private slots:
    void thereAreEnoughTexts() {
        const QTemporaryDir folder;
        const QStringList texts = hostileMarkup(folder.path());
        QCOMPARE(texts.size(), 200);
        QCOMPARE(QSet<QString>(texts.begin(), texts.end()).size(), 200);
    }

    void aMaskTokenIsShownAsItIs() {
        const TemporarySettings settings;
        const Bait bait(settings.path({}));
        const QString mask = bait.texts.first();
        const ModelVariant model = withTokens({}, mask);
        WindowUnderTest window;
        StartOptions options;
        options.model = QString::fromStdString(model.write().string());
        options.text = QStringLiteral("Mary went home");
        QVERIFY(window.start(options));
        QVERIFY(window.hasRun());
        auto* outcome = window.find<QLabel>("outcomeLabel");
        QCOMPARE(plain(outcome),
                 QStringLiteral("Write %1 where the model should fill in a token.").arg(mask));
        QCOMPARE(outcome->accessibleName().simplified(), plain(outcome));
        lookAtEverything(*window);
        window.document().setPromptText(QStringLiteral("Mary went ") + mask);
        QVERIFY(window.hasRun());
        const QString shown = QString(mask).replace(u' ', u'·'); // as chips show it
        QVERIFY2(plain(outcome).startsWith(QStringLiteral("at %1:").arg(shown)),
                 qPrintable(plain(outcome)));
        lookAtEverything(*window);
        window.document().setPromptText(mask + QStringLiteral(" went ") + mask);
        QVERIFY(window.hasRun());
        QVERIFY2(plain(outcome).startsWith(QStringLiteral("at the first of 2 %1, ").arg(shown)),
                 qPrintable(plain(outcome)));
        QVERIFY2(plain(window.find<QLabel>("headCardReads")).contains(shown),
                 qPrintable(plain(window.find<QLabel>("headCardReads"))));
        lookAtEverything(*window);
        QVERIFY(!bait.pipe.wasRead());
        QCOMPARE(labelsThatLoad(*window), QStringList());
    }

    void whyTypesCannotBeToldIsShownAsItIs() {
        const TemporarySettings settings;
        const Bait bait(settings.path({}));
        const QString text = bait.texts.first();
        const ModelVariant part = headscope::test::without("gpt2-mini-6l", "ln_1.weight");
        FakeDialogs dialogs;
        MainWindow window(dialogs, windowCommands, [&](const auto&...) -> Result<HeadScores> {
            return Error{ErrorCode::Unsupported, text.toStdString()};
        });
        window.show();
        StartOptions options;
        options.model = QString::fromStdString(part.write().string());
        window.start(options);
        QTRY_VERIFY_WITH_TIMEOUT(!window.document().headScorer().error().isEmpty(), kPatience);
        const auto* types = window.findChild<QLabel*>(QStringLiteral("headCardTypes"));
        QTRY_COMPARE_WITH_TIMEOUT(textOfTip(types->toolTip()), text, kPatience);
        lookAtEverything(window);
        QVERIFY(!bait.pipe.wasRead());
        QCOMPARE(labelsThatLoad(window), QStringList());
    }

    /// All texts as tokens, prompts and notes; as names and paths; in errors.
    void everyTextIsShownAsItIs() {
        const TemporarySettings settings;
        const Bait bait(settings.path({}));
        const ModelVariant model = withTokens(bait.texts, QString::fromLatin1(kMask));
        WindowUnderTest window;
        QVERIFY(window.startOn(QString::fromStdString(model.write().string())));
        Document& document = window.document();
        const auto* outcome = window.find<QLabel>("outcomeLabel");
        const auto* strip = window.find<TokenStrip>("tokenStrip");
        QVERIFY(document.model()->spec.mask_token);
        for (const QString& text : bait.texts) {
            document.setPromptText(text + QString::fromLatin1(kMask));
            document.notes().setNote({0, 0}, {text.toStdString(), true});
            document.selection().select({0, 0});
            QVERIFY(window.hasRun());
            QVERIFY2(plain(outcome).startsWith(QStringLiteral("at mask:")),
                     qPrintable(plain(outcome)));
            QVERIFY2(std::ranges::any_of(strip->chips(),
                                         [&](const TokenChip& chip) {
                                             return chip.text.simplified().size() > 1 &&
                                                    chip.text != QStringLiteral("mask");
                                         }),
                     qPrintable(text));
            window->grab();
            showTipAt(window.find<QWidget>("outcomeLabel"), {5, 5});
            QVERIFY2(!bait.pipe.wasRead(), qPrintable(text));
        }
        lookAtEverything(*window);
        QCOMPARE(labelsThatLoad(*window), QStringList());
        QVERIFY(!bait.pipe.wasRead());
    }

    void everyAnalysisShowsTokensAsTheyAre() {
        const TemporarySettings settings;
        const Bait bait(settings.path({}));
        const ModelVariant model = withTokens(bait.texts, QString::fromLatin1(kMask));
        WindowUnderTest window;
        StartOptions options;
        options.model = QString::fromStdString(model.write().string());
        options.text = bait.texts[0] + bait.texts.last() + QString::fromLatin1(kMask);
        QVERIFY(window.start(options));
        QVERIFY(window.hasRun());
        for (const char* action :
             {"actionModelCard",  "actionLoadReport", "actionAttribution", "actionCircuits",
              "actionAllScores",  "actionSimilarity", "actionCompare",     "actionPatch",
              "actionExamples",   "actionPromptSet",  "actionExport",      "actionReport",
              "actionVerify",     "actionHelp",       "actionTypesHelp",   "actionAblateHead",
              "actionTestEffect", "actionText",       "actionLines",       "actionWhy",
              "actionInside",     "actionAllHeads"}) {
            auto* command = window.find<QAction>(action);
            QVERIFY2(command, action);
            command->trigger();
            QVERIFY2(window.settled(), action);
            QTest::qWait(100); // for what the page reads
            lookAtEverything(*window);
            QVERIFY2(!bait.pipe.wasRead(), action);
            QVERIFY2(labelsThatLoad(*window).isEmpty(),
                     qPrintable(labelsThatLoad(*window).join(u'\n')));
        }
    }

    /// Models and projects of every name.
    void everyNameIsShownAsItIs() {
        const TemporarySettings settings;
        const Bait bait(settings.path({}));
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const QString source = samplePath(QStringLiteral("microgpt"));
        for (const QString& text : bait.texts) {
            const QString name = asFileName(text);
            if (name.toUtf8().size() + 10 > kBytesInName)
                continue;
            const QString path = settings.path(name + QStringLiteral(".h5"));
            if (QFileInfo::exists(path))
                continue; // two texts that differ by a slash
            QVERIFY2(QFile::link(source, path), qPrintable(path));
            window->openPath(path);
            QVERIFY2(window.settled(), qPrintable(path));
            QTRY_VERIFY2_WITH_TIMEOUT(textOfTitle(window->windowTitle()).contains(name),
                                      qPrintable(window->windowTitle()), kPatience);
            window.dialogs.to_save = settings.path(name + QStringLiteral(".headscope"));
            window.find<QAction>("actionSaveProjectAs")->trigger();
            auto* recent = window.find<QMenu>("recentMenu");
            emit recent->aboutToShow();
            QVERIFY(!recent->actions().isEmpty());
            QCOMPARE(recent->actions().constFirst()->text(),
                     asCaption(window->recentFiles().paths().constFirst().section(u'/', -1)));
            window->grab();
            lookAtEverything(*recent);
            QVERIFY2(!bait.pipe.wasRead(), qPrintable(text));
        }
        lookAtEverything(*window);
        QCOMPARE(labelsThatLoad(*window), QStringList());
    }

    /// Sentences about files that are not there and configs that are not understood.
    void everyErrorIsShownAsItIs() {
        const TemporarySettings settings;
        const Bait bait(settings.path({}));
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        QSignalSpy refused(&window.document(), &Document::loadFailed);
        const auto* message = window.find<QLabel>("messageText");
        for (const QString& text : bait.texts) {
            ModelVariant odd("gpt2");
            odd.config["model_type"] = text.toStdString();
            odd.config["architectures"] = {text.toStdString()};
            for (const QString& path :
                 {settings.path(asFileName(text)), QString::fromStdString(odd.write().string())}) {
                refused.clear();
                window->openPath(path);
                QVERIFY2(QTest::qWaitFor([&] { return !refused.isEmpty(); }, kPatience),
                         qPrintable(path));
                QVERIFY(message->text().contains(refused.first().at(1).toString()));
                window->grab();
                showTipAt(window.find<QWidget>("messageText"), {5, 5});
                QVERIFY2(!bait.pipe.wasRead(), qPrintable(text));
            }
        }
        lookAtEverything(*window);
        QCOMPARE(labelsThatLoad(*window), QStringList());
    }
};

const headscope::test::TestRegistration<TestHostileMarkup> registration;

} // namespace test_hostile_markup

#include "test_hostile_markup.moc"
