#include "ui/views/prompt/write_button.h"

#include "ui/views/pages/copy_actions.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>
#include <QSettings>

#include <cstddef>

namespace headscope::ui {
namespace {

constexpr std::size_t kCounts[] = {1, 5, 20, 100};
constexpr double kTemperatures[] = {0.0, 0.7, 1.0};
constexpr std::size_t kMostKept = 10'000; // tokens, should the settings hold something absurd

QString tokensKey() {
    return QStringLiteral("writing/tokens");
}
QString temperatureKey() {
    return QStringLiteral("writing/temperature");
}

QString tokensText(std::size_t count) {
    return count == 1 ? WriteButton::tr("1 token") : WriteButton::tr("%1 tokens").arg(count);
}

PromptWriter::Settings keptSettings() {
    PromptWriter::Settings settings;
    const QSettings kept;
    const auto tokens = kept.value(tokensKey(), 0).toULongLong();
    if (tokens > 0 && tokens <= kMostKept)
        settings.tokens = tokens;
    const double temperature = kept.value(temperatureKey(), 0.0).toDouble();
    if (temperature > 0.0 && temperature <= 10.0)
        settings.temperature = temperature;
    return settings;
}

} // namespace

WriteButton::WriteButton(PromptWriter& writer, QWidget* parent)
    : QToolButton(parent), writer_(writer) {
    setObjectName(QStringLiteral("writeButton"));
    setPopupMode(QToolButton::MenuButtonPopup);
    setFocusPolicy(Qt::StrongFocus);
    menu_ = new QMenu(this);
    menu_->setObjectName(QStringLiteral("writeMenu"));
    setMenu(menu_);
    writer_.setSettings(keptSettings());
    fillMenu();
    connect(this, &QToolButton::clicked, this, &WriteButton::act);
    connect(&writer_, &PromptWriter::stateChanged, this, &WriteButton::showState);
    showState();
}

void WriteButton::fillMenu() {
    auto* counts = new QActionGroup(this);
    for (const std::size_t count : kCounts) {
        QAction* action = menu_->addAction(tokensText(count), this, [this, count] {
            auto settings = writer_.settings();
            settings.tokens = count;
            choose(settings);
        });
        action->setObjectName(QStringLiteral("write_%1").arg(count));
        action->setCheckable(true);
        action->setChecked(writer_.settings().tokens == count);
        counts->addAction(action);
    }
    menu_->addSeparator();
    auto* temperatures = new QActionGroup(this);
    for (const double temperature : kTemperatures) {
        QAction* action =
            menu_->addAction(temperature == 0.0 ? tr("The most probable token each time")
                                                : tr("Drawn at temperature %1").arg(temperature),
                             this, [this, temperature] {
                                 auto settings = writer_.settings();
                                 settings.temperature = temperature;
                                 choose(settings);
                             });
        action->setObjectName(QStringLiteral("temperature_%1").arg(temperature));
        action->setCheckable(true);
        action->setChecked(writer_.settings().temperature == temperature);
        temperatures->addAction(action);
    }
    copies_ = new CopyActions(
        this, [this] { return writer_.repetition(); }, CopyActions::Keys::None);
    menu_->addSeparator();
    copies_->addTo(*menu_);
    connect(copies_, &CopyActions::said, &writer_, &PromptWriter::said);
}

void WriteButton::choose(const PromptWriter::Settings& settings) {
    writer_.setSettings(settings);
    QSettings().setValue(tokensKey(), static_cast<qulonglong>(settings.tokens));
    QSettings().setValue(temperatureKey(), settings.temperature);
    showState();
}

void WriteButton::act() {
    if (writer_.worker()->isBusy())
        writer_.worker()->cancel();
    else
        writer_.write();
}

void WriteButton::showState() {
    const bool busy = writer_.worker()->isBusy();
    setText(busy ? tr("Stop") : tr("Write on"));
    setEnabled(busy || writer_.canWrite());
    const PromptWriter::Settings settings = writer_.settings();
    QString tip = tr("Lets the model go on behind the prompt by %1 (Ctrl+G)")
                      .arg(tokensText(settings.tokens));
    if (settings.temperature > 0.0)
        tip += QStringLiteral(", ") + tr("drawn at temperature %1 with seed %2")
                                          .arg(settings.temperature)
                                          .arg(writer_.seed());
    setToolTip(tip);
}

} // namespace headscope::ui
