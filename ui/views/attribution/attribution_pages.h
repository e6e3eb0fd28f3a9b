#pragma once

#include "core/attribution/logit_lens.h"
#include "ui/document/attribution_reading.h"
#include "ui/document/prompt_run.h"
#include "ui/markup/markup.h"

#include <QAbstractTableModel>
#include <QWidget>

#include <cstddef>
#include <memory>
#include <vector>

class QLabel;
class QTableView;

namespace headscope::ui {

class NumberPage;

/// A logit as the sum of what heads, MLPs, embeddings and biases add to it.
class AttributionPage : public QWidget {
    Q_OBJECT

public:
    explicit AttributionPage(QWidget* parent = nullptr);

    void showAttribution(const RunResult& run, const LogitAttribution& attribution);
    /// Why there is nothing to show.
    void showMessage(const QString& message);

signals:
    void headChosen(LayerHead head);

private:
    QLabel* sum_ = nullptr;
    NumberPage* table_ = nullptr;
    std::vector<LogitPart> parts_; ///< as in the table
};

/// The logit lens: a row per position, a column per depth, the best token in each cell, coloured
/// by its probability.
class LensTable : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setLens(std::shared_ptr<const RunResult> run, std::shared_ptr<const LogitLens> lens);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    Markup tip(const LensReading& reading) const;

    std::shared_ptr<const RunResult> run_;
    std::shared_ptr<const LogitLens> lens_;
};

/// "embedding", "layer 0" …
QString depthName(std::size_t depth);

/// The logit lens of a prompt, and how one token fares at one position from depth to depth.
class LensPage : public QWidget {
    Q_OBJECT

public:
    explicit LensPage(QWidget* parent = nullptr);

    void showLens(std::shared_ptr<const RunResult> run, std::shared_ptr<const LogitLens> lens);
    void showPosition(std::size_t position);
    /// What is shown; null: nothing.
    const std::shared_ptr<const LogitLens>& lens() const { return lens_; }
    /// The run that it was read from.
    const std::shared_ptr<const RunResult>& run() const { return run_; }
    /// Why there is nothing to show.
    void showMessage(const QString& message);

signals:
    void positionChosen(std::size_t position);

private:
    void makeTables();
    void showFollowed();

    std::shared_ptr<const RunResult> run_;
    std::shared_ptr<const LogitLens> lens_;
    std::size_t position_ = 0;
    QLabel* message_ = nullptr;
    LensTable* table_ = nullptr;
    QTableView* view_ = nullptr;
    QLabel* followed_name_ = nullptr;
    QTableView* followed_ = nullptr;
};

} // namespace headscope::ui
