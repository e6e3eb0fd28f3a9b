#include "core/export/work.h"
#include "tests/support/models.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <string>

namespace test_work_parts {

using namespace headscope;
using headscope::test::readFile;
using headscope::test::require;

namespace {

WorkPlan planOf(const std::string& question) {
    WorkPlan plan;
    plan.command = "sweep";
    plan.question = question;
    plan.units = {{"first"}, {"second"}, {"third"}};
    return plan;
}

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

} // namespace

class TestWorkParts : public QObject {
    Q_OBJECT

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        parts_.emplace(partsOf("a"));
        QVERIFY(parts_->makeFolder());
        QVERIFY(parts_->makeFolder()); // another task made it
    }

    void readsBack() {
        QVERIFY(parts_->write(1, {"AVX-512", R"({"a": 1})"}));
        const WorkPart part = require(parts_->read(1));
        QCOMPARE(part.machine, std::string("AVX-512"));
        QCOMPARE(part.content, std::string(R"({"a": 1})"));
        const auto state = require(parts_->state());
        QCOMPARE(state.done, std::vector<std::size_t>{1});
        QCOMPARE(state.missing, (std::vector<std::size_t>{0, 2}));
        QVERIFY(state.damaged.empty() && state.foreign.empty());
    }

    void missingIsNamed() {
        const auto part = parts_->read(2);
        QVERIFY(!part);
        QCOMPARE(part.error().code, ErrorCode::NotFound);
        QVERIFY(part.error().message.find("third") != std::string::npos);
        QVERIFY(part.error().message.find(parts_->pathOf(2).string()) != std::string::npos);
    }

    void damageIsSeen_data() {
        QTest::addColumn<int>("kind");
        int kind = 0;
        for (const char* name : {"a digit", "the machine", "half of it", "nothing", "one line",
                                 "no line end", "other text"})
            QTest::newRow(name) << kind++;
    }
    void damageIsSeen() {
        QFETCH(int, kind);
        QVERIFY(parts_->write(0, {"AVX2", R"({"value":123})"}));
        std::string text = readFile(parts_->pathOf(0).string());
        switch (kind) {
        case 0:
            text.replace(text.find("123"), 3, "124");
            break;
        case 1:
            text.replace(text.find("AVX2"), 4, "AVX3");
            break;
        case 2:
            text.resize(text.size() / 2);
            break;
        case 3:
            text.clear();
            break;
        case 4:
            text.resize(text.find('\n'));
            break;
        case 5:
            text.pop_back();
            break;
        default:
            text = std::string(5000, '[');
            break;
        }
        write(parts_->pathOf(0), text);
        const auto part = parts_->read(0);
        QVERIFY(!part);
        QCOMPARE(part.error().code, ErrorCode::Malformed);
        QVERIFY(part.error().message.find("first") != std::string::npos);
        QCOMPARE(require(parts_->state()).damaged, std::vector<std::size_t>{0});
    }

    void thePartOfAnotherUnitIsRefused() {
        QVERIFY(parts_->write(0, {"", "{}"}));
        std::filesystem::copy_file(parts_->pathOf(0), parts_->pathOf(1));
        const auto part = parts_->read(1);
        QVERIFY(!part);
        QCOMPARE(part.error().code, ErrorCode::Mismatch);
    }

    void partsOfAnotherPlanAreForeign() {
        const WorkParts other = partsOf("b");
        QVERIFY(other.write(0, {"", "{}"}));
        write(path("notes.txt"), "mine");         // no part
        write(path(".half.part.123"), "in work"); // being written
        const std::vector<std::string> expected{other.pathOf(0).filename().string()};
        QCOMPARE(require(parts_->foreign()), expected);
        QCOMPARE(require(parts_->state()).missing.size(), 3u);
    }

    void aFolderThatCannotBeMadeIsNamed() {
        write(path("file"), "");
        const auto made = WorkParts(path("file"), planOf("a")).makeFolder();
        QVERIFY(!made);
        QVERIFY(made.error().message.find(path("file").string()) != std::string::npos);
    }

private:
    std::filesystem::path path(const char* name) const {
        return folder_->filePath(QStringLiteral("parts")).toStdString() + "/" + name;
    }
    WorkParts partsOf(const std::string& question) const {
        return {folder_->filePath(QStringLiteral("parts")).toStdString(), planOf(question)};
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::optional<WorkParts> parts_;
};

const headscope::test::TestRegistration<TestWorkParts> registration;

} // namespace test_work_parts

#include "test_work_parts.moc"
