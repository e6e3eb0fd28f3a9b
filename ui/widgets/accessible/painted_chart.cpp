#include "ui/widgets/accessible/painted_chart.h"

#include "ui/widgets/accessible/painted_factory.h"

namespace headscope::ui {

PaintedChart::PaintedChart() {
    installPaintedFactory();
}

} // namespace headscope::ui
