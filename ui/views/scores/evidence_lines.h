#pragma once

#include "core/trust/label_trust.h"

#include <QList>
#include <QWidget>

namespace headscope::ui {

class TextLabel;

/// What is known of one label: its word, and a mark for each part of it. All have their places
/// before anything is measured, so that nothing moves.
class EvidenceLines : public QWidget {
    Q_OBJECT

public:
    /// `key` is that of the type, for the names of objects.
    explicit EvidenceLines(const QString& key, QWidget* parent = nullptr);

    /// Null: nothing is known.
    void setTrust(const LabelTrust* trust);

private:
    TextLabel* word_ = nullptr;
    QList<TextLabel*> parts_; ///< as trustParts()
};

} // namespace headscope::ui
