#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/theme.h"
#include "ui/views/window/messages.h"

#include <QCheckBox>
#include <QColor>
#include <QImage>
#include <QLabel>
#include <QStyleOptionButton>
#include <QToolButton>

#include <cmath>

namespace test_theme {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

double luminance(const QColor& colour) {
    const auto linear = [](float channel) {
        return channel <= 0.04045f ? channel / 12.92
                                   : std::pow((static_cast<double>(channel) + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

/// WCAG 2.1: 1 to 21; text needs 4.5.
double contrast(const QColor& a, const QColor& b) {
    const double la = luminance(a) + 0.05;
    const double lb = luminance(b) + 0.05;
    return std::max(la, lb) / std::min(la, lb);
}

/// Of the text on what is painted behind it.
double contrastOf(const QWidget& text, QWidget& ground) {
    const QColor behind = ground.grab().toImage().pixelColor(3, 3);
    return contrast(text.palette().color(QPalette::WindowText), behind);
}

} // namespace

class TestTheme : public QObject {
    Q_OBJECT

private slots:
    void cleanup() { applyTheme(Theme::System); }

    /// WCAG 2.1, 1.4.11: 3 to 1 for what shows that a control is there.
    void boxesWithoutATickAreSeenInBothThemes() {
        for (const Theme theme : {Theme::Dark, Theme::Light}) {
            applyTheme(theme);
            QCheckBox box;
            box.resize(box.sizeHint());
            QStyleOptionButton option;
            option.initFrom(&box);
            const QRect indicator =
                box.style()->subElementRect(QStyle::SE_CheckBoxIndicator, &option, &box);
            const QImage picture = box.grab().toImage();
            const QColor frame = picture.pixelColor(indicator.left(), indicator.center().y());
            const double found = contrast(frame, box.palette().color(QPalette::Window));
            QVERIFY2(found >= 3.0, qPrintable(themeKey(theme) + QString::number(found)));
        }
    }

    void messagesAndStripStayReadableInBothThemes() {
        const TemporarySettings settings;
        WindowUnderTest window;
        applyTheme(Theme::Light);
        QVERIFY(window.start(QStringLiteral("microgpt")));
        window.document().ablation().toggleHead({0, 1});
        window->messages().showError(QStringLiteral("Something is wrong."));
        for (const Theme theme : {Theme::Dark, Theme::Light, Theme::Dark}) {
            applyTheme(theme);
            QCoreApplication::processEvents();
            const double of_bar = contrastOf(*window.find<QLabel>("messageText"),
                                             *window.find<QWidget>("messageBar"));
            QVERIFY2(of_bar >= 4.5, qPrintable(QString::number(of_bar)));
            const double of_strip = contrastOf(*window.find<QLabel>("ablatedCount"),
                                               *window.find<QWidget>("ablationStrip"));
            QVERIFY2(of_strip >= 4.5, qPrintable(QString::number(of_strip)));
        }
    }

    void aButtonThatIsOnCanBeTold() {
        const TemporarySettings settings;
        WindowUnderTest window;
        applyTheme(Theme::Dark);
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const auto ground = [&](const char* name) {
            auto* button = window.find<QToolButton>(name);
            return button->grab().toImage().pixelColor(button->width() / 2, 3);
        };
        const double difference = contrast(ground("oneHeadButton"), ground("allHeadsButton"));
        QVERIFY2(difference >= 1.5, qPrintable(QString::number(difference)));
    }
};

const headscope::test::TestRegistration<TestTheme> registration;

} // namespace test_theme

#include "test_theme.moc"
