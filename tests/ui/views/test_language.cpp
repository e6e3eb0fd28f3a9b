#include "core/heads/head_type.h"
#include "core/trust/label_trust.h"
#include "tests/support/runner.h"
#include "tests/ui/views/mnemonics.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/tables/core_text.h"
#include "ui/tables/head_text.h"
#include "ui/tables/trust_text.h"
#include "ui/views/language.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFont>
#include <QMenuBar>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QXmlStreamReader>

#include <cmath>

namespace test_language {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

/// One text of a .ts file.
struct Message {
    QString source;
    QString translation;
    bool is_finished = false;
};

/// By what it is looked up by: context, text and what tells it from the same text elsewhere.
using Messages = QMap<QStringList, Message>;

Messages readMessages(const QString& path) {
    Messages messages;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return messages;
    QXmlStreamReader xml(&file);
    QString context;
    QString comment;
    Message message;
    while (!xml.atEnd()) {
        const auto token = xml.readNext();
        if (token == QXmlStreamReader::EndElement && xml.name() == QLatin1String("message"))
            messages.insert({context, message.source, comment}, message);
        if (token != QXmlStreamReader::StartElement)
            continue;
        if (xml.name() == QLatin1String("name")) {
            context = xml.readElementText();
        } else if (xml.name() == QLatin1String("message")) {
            message = {};
            comment.clear();
        } else if (xml.name() == QLatin1String("source")) {
            message.source = xml.readElementText();
        } else if (xml.name() == QLatin1String("comment")) {
            comment = xml.readElementText();
        } else if (xml.name() == QLatin1String("translation")) {
            message.is_finished = !xml.attributes().hasAttribute(QLatin1String("type"));
            message.translation = xml.readElementText();
        }
    }
    return xml.hasError() ? Messages() : messages;
}

/// What a translation must have as often as its source: numbers to put in, tags, mnemonics, the
/// dots of what asks further, and the spaces by which it is joined to other texts.
QStringList marksOf(const QString& text) {
    static const QRegularExpression mark(
        QStringLiteral(R"(%\d+|</?[a-z]+>|&(?![a-z]+;)|…|\n|^\s+|\s+$)"));
    QStringList marks;
    for (auto found = mark.globalMatch(text); found.hasNext();)
        marks << found.next().captured();
    marks.sort();
    return marks;
}

QString translations() {
    return QStringLiteral(HEADSCOPE_TRANSLATIONS);
}

QString menuTitles(const MainWindow& window) {
    return textsOf(window.menuBar()->actions()).join(QLatin1Char(' '));
}

} // namespace

class TestLanguage : public QObject {
    Q_OBJECT

    /// What is said of a label of this type is said in the language of the window.
    static void saysInGerman(const HeadType& type) {
        LabelTrust label;
        label.score.type = type.id;
        label.score.score = 0.5;
        label.score.baseline = 0.02;
        label.score.control = 0.1;
        label.score.above_control = 0.3;
        label.threshold = 0.4;
        label.output = 0.7;
        const auto is_said = [&](TrustPart part) {
            const QString sentence = toQString(trustSentence(label, part));
            const QString said = coreText(sentence);
            QVERIFY2(said != sentence, qPrintable(sentence));
            if (type.control)
                QVERIFY2(!said.contains(toQString(type.control->what)), qPrintable(said));
        };
        for (const TrustPart part : trustParts()) {
            QVERIFY(partName(part) != toQString(trustPartName(part)));
            is_said(part);
        }
        label.sets.assign(5, {"tokens of a bundled text", 8, 0.5, 0.02, 0.4, 0.6});
        label.stable_share = 0.9;
        label.resamples = 900;
        is_said(TrustPart::Transfers);
        is_said(TrustPart::Stable);
        label.sets.back().score = std::nan("");
        is_said(TrustPart::Transfers);
        label.sets.resize(1);
        is_said(TrustPart::Transfers);
        if (type.control)
            QVERIFY2(!controlText(type).contains(toQString(type.control->what)),
                     qPrintable(controlText(type)));
    }

private slots:
    void everyTextIsTranslated_data() {
        QTest::addColumn<QString>("name");
        for (const QString& name : QDir(translations()).entryList({QStringLiteral("*.ts")}))
            QTest::addRow("%s", qPrintable(name)) << name;
    }
    void everyTextIsTranslated() {
        QFETCH(const QString, name);
        const Messages messages = readMessages(QDir(translations()).filePath(name));
        QVERIFY(messages.size() > 1000);
        for (const Message& message : messages) {
            QVERIFY2(message.is_finished && !message.translation.isEmpty(),
                     qPrintable(message.source));
            QVERIFY2(marksOf(message.translation) == marksOf(message.source),
                     qPrintable(message.translation));
        }
    }

    /// Else ./resources/translations/update is to be run, and what is new in the files translated.
    void theFilesHoldTheTextsOfTheWindow_data() { everyTextIsTranslated_data(); }
    void theFilesHoldTheTextsOfTheWindow() {
        QFETCH(const QString, name);
        const QTemporaryDir folder;
        const QString kept = QDir(translations()).filePath(name);
        const QString renewed = folder.filePath(name);
        QVERIFY(QFile::copy(kept, renewed));
        QCOMPARE(QProcess::execute(QDir(translations()).filePath(QStringLiteral("update")),
                                   {folder.path()}),
                 0);
        const auto there = readMessages(kept).keys();
        const auto wanted = readMessages(renewed).keys();
        for (const QStringList& text : wanted)
            QVERIFY2(there.contains(text), qPrintable(text.join(QStringLiteral(": "))));
        for (const QStringList& text : there)
            QVERIFY2(wanted.contains(text), qPrintable(text.join(QStringLiteral(": "))));
    }

    /// Before the one after it, since a language stays.
    void englishAndWhatIsNotTranslatedStayEnglish() {
        speakFirstOf({});
        speakFirstOf({QStringLiteral("C"), QStringLiteral("de")});
        speakFirstOf({QStringLiteral("en-GB"), QStringLiteral("de-DE")});
        speakFirstOf({QStringLiteral("fr-FR")});
        const TemporarySettings settings;
        WindowUnderTest window;
        QCOMPARE(menuTitles(*window),
                 QStringLiteral("&File &Edit &View Pa&ges Hea&d &Analyse &Help"));
    }

    /// 1280 pixels, with a font that is a third larger than usual, or with everything as much
    /// larger.
    void aSmallScreenHasRoom_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<double>("font");
        QTest::addColumn<int>("room");
        for (const char* language : {"en", "de"}) {
            QTest::addRow("%s, large font", language)
                << QString::fromLatin1(language) << 1.35 << 1280;
            QTest::addRow("%s, all larger", language)
                << QString::fromLatin1(language) << 1.0 << 1280 * 100 / 135;
        }
    }
    void aSmallScreenHasRoom() {
        QFETCH(const QString, language);
        QFETCH(const double, font);
        QFETCH(const int, room);
        speakFirstOf({language});
        const QFont usual = QApplication::font();
        QFont large = usual;
        large.setPointSizeF(usual.pointSizeF() * font);
        QApplication::setFont(large);
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const int least = window->minimumSizeHint().width();
        window.close();
        QApplication::setFont(usual);
        QVERIFY2(least <= room, qPrintable(QString::number(least)));
    }

    void theWindowSpeaksTheFirstLanguageThatItCan() {
        speakFirstOf({QStringLiteral("fr-FR"), QStringLiteral("de-AT")});
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        QCOMPARE(menuTitles(*window),
                 QStringLiteral("&Datei &Bearbeiten &Ansicht Sei&ten &Kopf A&nalyse &Hilfe"));
        // A table of texts and a class of QObject, which are looked up in two ways.
        QCOMPARE(window.find<QAction>("actionAblateHead")->text(),
                 QStringLiteral("Kopf &ablatieren"));
        QVERIFY(window->windowTitle().startsWith(QStringLiteral("microgpt")));
        QCOMPARE(window.find<QWidget>("headGrid")->accessibleName(),
                 QStringLiteral("Raster der Köpfe"));
        QCOMPARE(coreText(QStringLiteral("scoring heads, sequence 3 of 10, about 2 s left")),
                 QStringLiteral("Köpfe werden bewertet, Folge 3 von 10, noch etwa 2 s"));
        QCOMPARE(coreText(QStringLiteral("reading h.0.attn.c_attn.weight")),
                 QStringLiteral("h.0.attn.c_attn.weight wird gelesen"));
        QCOMPARE(coreText(QStringLiteral("10 random sequences of 50 tokens, repeated, seed 0")),
                 QStringLiteral("10 Zufallsfolgen von 50 Tokens, wiederholt, Seed 0"));
        QCOMPARE(coreText(QStringLiteral("with BOS (id 0)")), QStringLiteral("mit BOS (Id 0)"));
        QCOMPARE(coreText(QStringLiteral("counting sheep")), QStringLiteral("counting sheep"));
        for (const HeadType& type : headTypes())
            saysInGerman(type);
        const QStringList clashes = clashesInMenus(*window) + clashesInWindow(*window);
        QVERIFY2(clashes.isEmpty(), qPrintable(clashes.join(QStringLiteral("; "))));
    }
};

const headscope::test::TestRegistration<TestLanguage> registration;

} // namespace test_language

#include "test_language.moc"
