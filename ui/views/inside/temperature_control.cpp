#include "ui/views/inside/temperature_control.h"

#include "ui/markup/markup.h"
#include "ui/views/inside/inside_text.h"
#include "ui/widgets/elided_text.h"
#include "ui/widgets/labels.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QSlider>
#include <QToolButton>

#include <cmath>

namespace headscope::ui {
namespace {

constexpr int kStepsPerPower = 50; ///< of ten
constexpr int kPageStep = 10;
constexpr int kSliderWidth = 120;
constexpr int kLeastText = 36; ///< pixels, of what is shortened in a narrow window

} // namespace

TemperatureControl::TemperatureControl(QWidget* parent) : QWidget(parent) {
    slider_ = new QSlider(Qt::Horizontal, this);
    slider_->setObjectName(QStringLiteral("insideTemperature"));
    slider_->setAccessibleName(tr("Temperature of the softmax, a what-if"));
    slider_->setToolTip(asTip(tr("What if the scores were divided by a temperature before the "
                                 "softmax: below 1 the head looks at fewer keys, above 1 at more. "
                                 "The network's own is 1; a double click leads back to it.")));
    slider_->setRange(-kStepsPerPower, kStepsPerPower);
    slider_->setPageStep(kPageStep);
    slider_->setMinimumWidth(kSliderWidth / 2);
    slider_->setMaximumWidth(kSliderWidth);
    slider_->installEventFilter(this);
    value_ = new TextLabel(this);
    value_->setObjectName(QStringLiteral("insideTemperatureValue"));
    value_->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("10.00")));
    reset_ = new ElidedButton(this);
    reset_->setObjectName(QStringLiteral("insideOwnTemperature"));
    reset_->setText(tr("Back to 1"));
    reset_->setToolTip(asTip(tr("The network's own softmax")));
    reset_->setFocusPolicy(Qt::StrongFocus);
    reset_->setMinimumWidth(kLeastText);
    auto* name = new ElidedLabel(this);
    name->setText(tr("What if: temperature"));
    name->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    name->setMinimumWidth(kLeastText);
    name->setBuddy(slider_);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    for (QWidget* widget : {static_cast<QWidget*>(name), static_cast<QWidget*>(slider_),
                            static_cast<QWidget*>(value_), static_cast<QWidget*>(reset_)})
        row->addWidget(widget);
    connect(slider_, &QSlider::valueChanged, this, [this] {
        showTemperature();
        emit changed();
    });
    connect(reset_, &QToolButton::clicked, this, &TemperatureControl::reset);
    showTemperature();
}

double TemperatureControl::temperature() const {
    return std::pow(10.0, slider_->value() / static_cast<double>(kStepsPerPower));
}

void TemperatureControl::reset() {
    slider_->setValue(0);
}

void TemperatureControl::showTemperature() {
    value_->setText(temperatureText(temperature()));
    reset_->setEnabled(slider_->value() != 0);
}

bool TemperatureControl::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::MouseButtonDblClick)
        return QWidget::eventFilter(watched, event);
    reset();
    return true;
}

} // namespace headscope::ui
