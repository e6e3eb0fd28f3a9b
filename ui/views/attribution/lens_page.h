#pragma once

#include "core/attribution/logit_lens.h"
#include "ui/document/prompt_run.h"

#include <QWidget>

#include <cstddef>
#include <memory>

class QLabel;
class QTableView;

namespace headscope::ui {

class LensTable;
class TableModel;

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
