#include "tests/support/hostile_markup.h"
#include "tests/support/runner.h"
#include "ui/markup/markup.h"
#include "ui/widgets/elided_text.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/message_boxes.h"

#include <QFormLayout>
#include <QImage>
#include <QObject>
#include <QTemporaryDir>
#include <QTest>
#include <QTextDocument>
#include <QTimer>
#include <QUrl>

#include <memory>

namespace test_markup {

using namespace headscope::ui;
using namespace headscope::ui::test;

class TestMarkup : public QObject {
    Q_OBJECT

private slots:
    void textIsEscaped() {
        QCOMPARE(Markup(QStringLiteral("<b> & \"x\"\ny")).html(),
                 QStringLiteral("&lt;b&gt; &amp; &quot;x&quot;<br>y"));
        QCOMPARE(Markup(QStringLiteral("<b> &amp; x\ny")).plainText(),
                 QStringLiteral("<b> &amp; x\ny"));
    }

    void templatesTakeTextAndMarkup() {
        const Markup bold = markup(u"<b>%1</b>", QStringLiteral("<i>"));
        QCOMPARE(bold.html(), QStringLiteral("<b>&lt;i&gt;</b>"));
        QCOMPARE(markup(u"%2 of %1", bold, QStringLiteral("&")).html(),
                 QStringLiteral("&amp; of <b>&lt;i&gt;</b>"));
        QCOMPARE(markup(u"<br>").html(), QStringLiteral("<br>"));
        QCOMPARE(joined({bold, Markup(QStringLiteral("<"))}, markup(u"&nbsp;")).html(),
                 QStringLiteral("<b>&lt;i&gt;</b>&nbsp;&lt;"));
    }

    /// What fills one place is not filled itself.
    void placesAreFilledOnce() {
        QCOMPARE(markup(u"%1 %2", QStringLiteral("%2"), QStringLiteral("%1")).html(),
                 QStringLiteral("%2 %1"));
    }

    void tipsAndTitlesAreReadAsTheyWere() {
        const QTemporaryDir folder;
        for (const QString& text : hostileMarkup(folder.path())) {
            QCOMPARE(textOfTip(asTip(text)).simplified(), text.simplified());
            QCOMPARE(textOfTip(asTip(Markup(text))).simplified(), text.simplified());
            QCOMPARE(Markup(text).plainText().simplified(), text.simplified());
            QCOMPARE(textOfTitle(asTitle(text)), text);
        }
        QCOMPARE(asTip(QStringLiteral("two & three")), QStringLiteral("two & three"));
        QCOMPARE(asCaption(QStringLiteral("a & b")), QStringLiteral("a && b"));
    }

    void widgetsShowTextsAsTheyAre() {
        const QTemporaryDir folder;
        const BaitPipe pipe(folder.filePath(QStringLiteral("pipe")));
        for (const QString& text : hostileMarkup(folder.path())) {
            TextLabel plain(text);
            MarkupLabel rich;
            rich.setMarkup(markup(u"<b>%1</b> %1", text));
            ElidedLabel line;
            line.setText(text);
            line.resize(10, 20);
            line.setToolTip(asTip(text));
            const MarkupPage page(markup(u"<p>%1</p>", text));
            QCOMPARE(page.toPlainText().simplified(), text.simplified());
            for (QWidget* widget : std::initializer_list<QWidget*>{&plain, &rich, &line}) {
                widget->show();
                lookAtEverything(*widget);
            }
            QVERIFY2(!pipe.wasRead(), qPrintable(text));
        }
    }

    /// Not even where one of these texts were markup.
    void aPageLoadsNothing() {
        const QTemporaryDir folder;
        const BaitPipe pipe(folder.filePath(QStringLiteral("pipe")));
        for (const QString& text : hostileMarkup(folder.path())) {
            MarkupPage page(Markup{});
            page.setHtml(text);
            page.setSource(QUrl::fromLocalFile(folder.filePath(QStringLiteral("pipe"))));
            page.resize(400, 300);
            page.grab();
            QVERIFY2(!pipe.wasRead(), qPrintable(text));
        }
        MarkupPage page(Markup{});
        page.setHtml(
            QStringLiteral("<img src='%1'>").arg(folder.filePath(QStringLiteral("picture.png"))));
        page.document()->adjustSize();
        QVERIFY(page.document()->size().width() < 40.0); // the picture is 400 pixels wide
    }

    void ownPicturesAreShown() {
        QImage image(40, 30, QImage::Format_RGB32);
        image.fill(QColor(10, 200, 30));
        MarkupLabel label;
        label.setMarkup(markup(u"%1 under it", picture(image)));
        label.adjustSize();
        QVERIFY(label.width() > 40 && label.height() > 30);
        const QImage shown = label.grab().toImage();
        int coloured = 0;
        for (int y = 0; y < shown.height(); ++y)
            for (int x = 0; x < shown.width(); ++x)
                coloured += shown.pixelColor(x, y) == QColor(10, 200, 30) ? 1 : 0;
        QCOMPARE(coloured, 40 * 30);
        QVERIFY(picture(QImage()).isEmpty());
    }

    /// Labels that Qt makes itself: in forms, message boxes and file dialogs.
    void labelsOfQtArePlain() {
        QWidget form;
        auto* layout = new QFormLayout(&form);
        layout->addRow(QStringLiteral("<b>name</b>"), new QWidget);
        form.show();
        QCOMPARE(form.findChild<QLabel*>()->textFormat(), Qt::PlainText);

        QMessageBox box(QMessageBox::Warning, QStringLiteral("title"),
                        QStringLiteral("<b>name</b> already exists."), QMessageBox::Ok);
        box.show();
        QCOMPARE(box.findChild<QLabel*>(QStringLiteral("qt_msgbox_label"))->textFormat(),
                 Qt::PlainText);
    }

    void boxesAskInPlainTextAndTellInMarkup() {
        Qt::TextFormat format{};
        QString text;
        const auto close = [&] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            const auto* label = box->findChild<QLabel*>(QStringLiteral("qt_msgbox_label"));
            format = label->textFormat();
            text = label->text();
            box->done(QMessageBox::Ok);
        };
        const QString name = QStringLiteral("<img src='/dev/zero'>");
        QTimer::singleShot(0, this, close);
        askInBox(nullptr, QStringLiteral("title"), name, QMessageBox::Ok, QMessageBox::Ok);
        QCOMPARE(format, Qt::PlainText);
        QCOMPARE(text, name);
        QTimer::singleShot(0, this, close);
        tellInBox(nullptr, QStringLiteral("title"), markup(u"<b>%1</b>", name));
        QCOMPARE(format, Qt::RichText);
        QCOMPARE(text, QStringLiteral("<b>&lt;img src='/dev/zero'&gt;</b>"));
    }
};

const headscope::test::TestRegistration<TestMarkup> registration;

} // namespace test_markup

#include "test_markup.moc"
