#pragma once

#include "ui/widgets/accessible/painted.h"

#include <QAccessible>
#include <QString>
#include <QVariant>
#include <QWidget>

#include <utility>
#include <vector>

namespace headscope::ui::test {

/// What screen readers are told while it lives. One at a time.
class ReaderEvents {
public:
    struct Told {
        QAccessible::Event type;
        QString name;      ///< of what it is about
        QVariant value;    ///< of a change of value
        bool resets_table; ///< there are other cells
    };

    ReaderEvents() {
        setReaderStandIn([this](QAccessibleEvent& event) { take(event); });
    }
    ~ReaderEvents() { setReaderStandIn(nullptr); }
    ReaderEvents(const ReaderEvents&) = delete;
    ReaderEvents& operator=(const ReaderEvents&) = delete;

    /// Those of one type since the last call or the beginning; forgets all.
    std::vector<Told> taken(QAccessible::Event type) {
        std::erase_if(told_, [type](const Told& told) { return told.type != type; });
        return std::exchange(told_, {});
    }

private:
    void take(QAccessibleEvent& event) {
        Told told{event.type(), {}, {}, false};
        if (QAccessibleInterface* about = event.accessibleInterface())
            told.name = about->text(QAccessible::Name);
        if (told.type == QAccessible::ValueChanged)
            told.value = static_cast<QAccessibleValueChangeEvent&>(event).value();
        if (told.type == QAccessible::TableModelChanged)
            told.resets_table =
                static_cast<QAccessibleTableModelChangeEvent&>(event).modelChangeType() ==
                QAccessibleTableModelChangeEvent::ModelReset;
        told_.push_back(told);
    }

    std::vector<Told> told_;
};

/// What a screen reader has before it.
inline QAccessibleInterface* readerOf(QWidget& widget) {
    return QAccessible::queryAccessibleInterface(&widget);
}

} // namespace headscope::ui::test
