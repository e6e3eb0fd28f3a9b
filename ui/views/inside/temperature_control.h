#pragma once

#include <QWidget>

class QLabel;
class QSlider;
class QToolButton;

namespace headscope::ui {

/// The temperature of a softmax, from 0.1 to 10 by a slider whose middle is 1, the network's own.
/// A what-if: the network has no such thing.
class TemperatureControl : public QWidget {
    Q_OBJECT

public:
    explicit TemperatureControl(QWidget* parent = nullptr);

    double temperature() const;
    void reset();

signals:
    void changed();

protected:
    /// A double click on the slider leads back to 1.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showTemperature();

    QSlider* slider_ = nullptr;
    QLabel* value_ = nullptr;
    QToolButton* reset_ = nullptr;
};

} // namespace headscope::ui
