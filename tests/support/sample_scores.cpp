#include "tests/support/sample_scores.h"

#include "core/model/model.h"

#include <QByteArray>
#include <QCoreApplication>
#include <QDataStream>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QString>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace headscope::test {

namespace {

static_assert(std::is_trivially_copyable_v<HeadScore>);

/// What scores depend on besides the weights: the kernels of BLAS, and the program, which holds all
/// libraries of core.
QByteArray key() {
    const QFileInfo runner(QCoreApplication::applicationFilePath());
    return QByteArray::number(runner.lastModified().toMSecsSinceEpoch()) + ' ' +
           qgetenv("OPENBLAS_CORETYPE");
}

QString fileOf(const Model& model) {
    const QFileInfo runner(QCoreApplication::applicationFilePath());
    return runner.dir().filePath(QStringLiteral("sample-scores/%1-%2")
                                     .arg(runner.fileName(), QString::fromStdString(model.sha256)));
}

void writeText(QDataStream& to, const std::string& text) {
    to << QByteArray::fromStdString(text);
}

std::string readText(QDataStream& from) {
    QByteArray text;
    from >> text;
    return text.toStdString();
}

void write(const HeadScores& scores, const QString& path) {
    QDir().mkpath(QFileInfo(path).path());
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return;
    QDataStream to(&file);
    to << key() << quint64{scores.types.size()} << quint64{scores.unread.size()};
    for (std::size_t i = 0; i < scores.types.size(); ++i) {
        const MeasuredOn& on = scores.measured_on[i];
        to << static_cast<int>(scores.types[i]) << quint64{on.sequences};
        writeText(to, on.input);
        writeText(to, on.bos);
    }
    for (const auto& [type, reason] : scores.unread) {
        to << static_cast<int>(type);
        writeText(to, reason);
    }
    to << QByteArray(reinterpret_cast<const char*>(scores.scores.data()),
                     static_cast<qsizetype>(scores.scores.size() * sizeof(HeadScore)));
    file.commit();
}

HeadTypeId readType(QDataStream& from) {
    int type = 0;
    from >> type;
    return static_cast<HeadTypeId>(type);
}

/// Nothing where none are kept, or those of another key.
std::optional<HeadScores> read(const Model& model, const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    QDataStream from(&file);
    QByteArray its_key;
    from >> its_key;
    if (its_key != key())
        return std::nullopt;
    HeadScores scores;
    scores.heads = headIndex(model.spec);
    quint64 types = 0;
    quint64 unread = 0;
    from >> types >> unread;
    for (quint64 i = 0; i < types; ++i) {
        scores.types.push_back(readType(from));
        quint64 sequences = 0;
        from >> sequences;
        std::string input = readText(from);
        std::string bos = readText(from);
        scores.measured_on.push_back({std::move(input), std::move(bos), sequences});
    }
    for (quint64 i = 0; i < unread; ++i) {
        const HeadTypeId type = readType(from);
        scores.unread.emplace(type, readText(from));
    }
    QByteArray numbers;
    from >> numbers;
    scores.scores.resize(scores.types.size() * scores.heads.size());
    const auto bytes = static_cast<qsizetype>(scores.scores.size() * sizeof(HeadScore));
    if (from.status() != QDataStream::Ok || numbers.size() != bytes)
        return std::nullopt;
    std::copy_n(reinterpret_cast<const HeadScore*>(numbers.constData()), scores.scores.size(),
                scores.scores.begin());
    return scores;
}

} // namespace

Result<HeadScores> scoreSamplesOnce(const std::shared_ptr<const Model>& model,
                                    const RepeatOptions& options, const Progress& progress,
                                    const std::stop_token& stop, const PartialScores& partial) {
    static std::mutex guard;
    if (model->path.parent_path() != HEADSCOPE_SAMPLE_MODELS || options != RepeatOptions())
        return scoreHeads(model, options, progress, stop, partial);
    const std::scoped_lock lock(guard);
    const QString path = fileOf(*model);
    if (auto known = read(*model, path))
        return *std::move(known);
    auto scores = scoreHeads(model, options, progress, stop, partial);
    if (scores)
        write(*scores, path);
    return scores;
}

} // namespace headscope::test
