#include "core/export/work.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <functional>
#include <set>
#include <string>

namespace test_work_plan {

using namespace headscope;
using headscope::test::require;

namespace {

WorkPlan samplePlan() {
    WorkPlan plan;
    plan.command = "sweep";
    plan.model_name = "m";
    plan.model = {"models/m.h5", std::string(64, 'a')};
    plan.words = {"--text", "When Mary\n\"and\" \xc3\xa4", "--ablation", "mean"};
    plan.files = {{"prompts.txt", std::string(64, 'b')}};
    plan.question = std::string(64, 'c');
    plan.units = {{"prompt 0, layer 0", 40},
                  {"prompt 0, layer 1", 30},
                  {"prompt 0, layer 2", 5},
                  {"prompt 1, layer 0", 40},
                  {"prompt 1, layer 1", 0}};
    return plan;
}

std::string changed(const std::function<void(nlohmann::json&)>& change) {
    nlohmann::json json = nlohmann::json::parse(samplePlan().json());
    change(json);
    return json.dump();
}

} // namespace

class TestWorkPlan : public QObject {
    Q_OBJECT

private slots:
    void readsBack() {
        const WorkPlan plan = samplePlan();
        QVERIFY(require(WorkPlan::read(plan.json(), "plan.json")) == plan);
        QCOMPARE(plan.json(), samplePlan().json());
    }

    void strangersPlansAreRefused_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("named");
        const auto row = [](const char* name, std::string text, std::string named) {
            QTest::newRow(name) << std::move(text) << std::move(named);
        };
        const std::string damaged = "is a damaged plan";
        row("nothing", "", "is not valid JSON");
        row("no JSON", "plan", "is not valid JSON");
        row("a list", "[]", "is no plan");
        row("another JSON", R"({"a": 1})", "is no plan");
        row("deep", std::string(10'000, '['), "is nested more than 3 deep");
        row("a key twice", R"({"format": "a", "format": "headscope work plan"})", "twice");
        row("another version", changed([](auto& json) { json["app_version"] = "0.0.9"; }),
            "was made by version \"0.0.9\"");
        row("another format", changed([](auto& json) { json["format_version"] = 2; }),
            "was made by version");
        row("no words", changed([](auto& json) { json.erase("words"); }), damaged);
        row("words of numbers", changed([](auto& json) { json["words"] = {1, 2}; }), damaged);
        row("a word for words", changed([](auto& json) { json["words"] = "--text"; }), damaged);
        row("units of texts", changed([](auto& json) { json["units"] = {"a"}; }), damaged);
        row("no units", changed([](auto& json) { json["units"] = nlohmann::json::array(); }),
            damaged);
        row("one unit twice", changed([](auto& json) { json["units"][1] = json["units"][0]; }),
            "two of its units have one name");
        row("a negative cost", changed([](auto& json) { json["units"][0]["cost"] = -1; }), damaged);
        row("a cost beyond measure",
            changed([](auto& json) { json["units"][0]["cost"] = 18446744073709551615ULL; }),
            damaged);
        row("a file without a hash", changed([](auto& json) { json["files"][0].erase("sha256"); }),
            damaged);
        row("a number for a model", changed([](auto& json) { json["model"] = 7; }), damaged);
    }
    void strangersPlansAreRefused() {
        QFETCH(std::string, text);
        QFETCH(std::string, named);
        const auto plan = WorkPlan::read(text, "plan.json");
        QVERIFY(!plan);
        QVERIFY2(plan.error().message.starts_with("plan.json "), plan.error().message.c_str());
        QVERIFY2(plan.error().message.find(named) != std::string::npos,
                 plan.error().message.c_str());
    }

    /// What a part is a part of: anything else makes another name.
    void keysTellQuestionsApart() {
        const WorkPlan plan = samplePlan();
        std::set<std::string> keys;
        for (const WorkUnit& unit : plan.units)
            keys.insert(plan.key(unit));
        QCOMPARE(keys.size(), plan.units.size());
        const std::vector<std::function<void(WorkPlan&)>> changes{
            [](WorkPlan& p) { p.command = "heads"; },     [](WorkPlan& p) { p.app_version = "9"; },
            [](WorkPlan& p) { p.model_name = "n"; },      [](WorkPlan& p) { p.model.sha256 = "d"; },
            [](WorkPlan& p) { p.files[0].sha256 = "e"; }, [](WorkPlan& p) { p.words[1] = "other"; },
            [](WorkPlan& p) { p.question = "f"; }};
        for (const auto& change : changes) {
            WorkPlan other = plan;
            change(other);
            QVERIFY(keys.insert(other.key(other.units[0])).second);
        }
        WorkPlan moved = plan; // another machine keeps its models elsewhere
        moved.model.path = "/scratch/m.h5";
        QVERIFY(!keys.insert(moved.key(moved.units[0])).second);
    }

    void shardsCoverThePlanOnce_data() {
        QTest::addColumn<std::size_t>("count");
        for (const std::size_t count : {1U, 2U, 3U, 5U, 7U, 64U})
            QTest::addRow("%zu", count) << count;
    }
    void shardsCoverThePlanOnce() {
        QFETCH(std::size_t, count);
        const WorkPlan plan = samplePlan();
        std::size_t next = 0;
        for (std::size_t index = 0; index < count; ++index) {
            const UnitRange range = plan.shard(index, count);
            QCOMPARE(range.begin, next);
            QVERIFY(range.end >= range.begin);
            next = range.end;
        }
        QCOMPARE(next, plan.units.size());
    }

    void shardsCostAboutTheSame() {
        WorkPlan plan = samplePlan();
        plan.units.clear();
        for (int layer = 0; layer < 12; ++layer)
            plan.units.push_back(
                {"layer " + std::to_string(layer), static_cast<std::uint64_t>(12 - layer)});
        const auto costOf = [&](std::size_t index) {
            std::uint64_t cost = 0;
            const UnitRange range = plan.shard(index, 3);
            for (std::size_t unit = range.begin; unit < range.end; ++unit)
                cost += plan.units[unit].cost;
            return cost;
        };
        for (std::size_t index = 0; index < 3; ++index) // of 78 in all
            QVERIFY2(costOf(index) >= 20 && costOf(index) <= 33, "far from a third");
    }
};

const headscope::test::TestRegistration<TestWorkPlan> registration;

} // namespace test_work_plan

#include "test_work_plan.moc"
