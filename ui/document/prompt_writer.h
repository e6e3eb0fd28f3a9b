#pragma once

#include "core/engine/generate.h"
#include "core/tokenizer/tokenizer.h"
#include "ui/document/repetition.h"
#include "ui/workers/job_runner.h"

#include <QObject>
#include <QString>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace headscope::ui {

class Document;

/// Lets the model continue the prompt, with the ablated heads. What it wrote becomes part of the
/// prompt and stays marked until the text is changed there or before it. Lives on the GUI thread.
class PromptWriter : public QObject {
    Q_OBJECT

public:
    explicit PromptWriter(Document& document, QObject* parent = nullptr);

    struct Settings {
        std::size_t tokens = 20;
        double temperature = 0.0; ///< 0: the most probable token each time

        bool operator==(const Settings&) const = default;
    };
    Settings settings() const { return settings_; }
    void setSettings(const Settings& settings) { settings_ = settings; }
    /// Seed of the next draws; it grows by one each time, so that they differ.
    std::uint64_t seed() const { return seed_; }

    bool canWrite() const; ///< this model predicts what comes next, and the prompt has run
    void write();
    /// Removes the last token of the prompt, whoever wrote it; nothing before the prompt has run.
    void takeLastTokenBack();

    /// The part of the prompt's text that the model wrote, in code points; nothing: none.
    std::optional<TextRange> written() const;
    /// What wrote it last.
    Repetition repetition() const;
    JobRunner* worker() { return &worker_; }

signals:
    /// Whether it can write, or is writing, has changed.
    void stateChanged();
    /// A sentence for the user: what went wrong, or a hint.
    void said(const QString& text);

private:
    bool hasRun() const; ///< the present prompt
    void append(const TokenIds& before, const std::vector<GeneratedToken>& tokens);
    void followText();

    Document& document_;
    Settings settings_;
    std::uint64_t seed_ = 0;
    Repetition written_by_ = Calls();
    QString own_;     ///< what stood there before the model wrote
    QString written_; ///< what it wrote after that
    JobRunner worker_;
};

} // namespace headscope::ui
