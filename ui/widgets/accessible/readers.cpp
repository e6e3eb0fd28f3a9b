#include "ui/widgets/accessible/readers.h"

#include <QAccessible>

#include <utility>

namespace headscope::ui {
namespace {

ReaderStandIn& standIn() {
    static ReaderStandIn stand_in;
    return stand_in;
}

} // namespace

bool someoneReads() {
    return standIn() || QAccessible::isActive();
}

void tellReaders(QAccessibleEvent& event) {
    if (standIn())
        standIn()(event);
    else
        QAccessible::updateAccessibility(&event);
}

void setReaderStandIn(ReaderStandIn stand_in) {
    standIn() = std::move(stand_in);
}

} // namespace headscope::ui
