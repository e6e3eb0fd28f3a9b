// What is asked of pruning in words, and what of it is refused.

#include "core/export/pruning_words.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

namespace test_pruning_words {

using namespace headscope;
using namespace headscope::test;

namespace {

std::string refusalOf(const PruningWords& words, const ModelSpec& spec) {
    const auto question = readPruningQuestion(words, spec);
    return question ? std::string() : question.error().message;
}

} // namespace

class TestPruningWords : public QObject {
    Q_OBJECT

private slots:
    void ordersAreReadInTheirOrder() {
        const ModelSpec spec = loadFixture("gpt2")->spec;
        std::vector<std::string> names;
        for (const OrderSpec& order : require(readOrders("gradient,random:3,taylor", 7, spec)))
            names.push_back(order.name());
        QCOMPARE(names, (std::vector<std::string>{"gradient", "random:7", "random:8", "random:9",
                                                  "taylor"}));
        for (const char* text : {"", "love", "gradient:2", "random:0", "random:1001", "random:x"})
            QVERIFY2(!readOrders(text, 0, spec), text);
    }

    void aListIsAFile() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("heads.txt")).toStdString();
        const ModelSpec spec = loadFixture("gpt2")->spec;
        QVERIFY(!readOrders("list:" + path, 0, spec));
        std::ofstream(path) << "1.1 0.2\n";
        const auto orders = require(readOrders("list:" + path, 0, spec));
        QCOMPARE(orders.size(), std::size_t{1});
        QCOMPARE(orders.front().name(), std::string("list:heads.txt"));
        QCOMPARE(orders.front().own_list, (HeadSet{{1, 1}, {0, 2}}));
    }

    void sharesOfTheHeads() {
        const ModelSpec spec = loadFixture("gpt2")->spec;
        const auto heads = static_cast<double>(spec.allHeads().size());
        QCOMPARE(require(readShare("25%", spec)), 0.25);
        QCOMPARE(require(readShare("3", spec)), 3.0 / heads);
        for (const char* text : {"", "0", "-1", "101%", "some", "3 heads", "nan", "1000"})
            QVERIFY2(!readShare(text, spec), text);
    }

    void namesThatThereAreNotAreRefused() {
        const ModelSpec spec = loadFixture("gpt2")->spec;
        QCOMPARE(refusalOf({}, spec), std::string());
        QCOMPARE(refusalOf({.unit = "row"}, spec),
                 std::string("\"row\" is none of head, group and layer."));
        QVERIFY(!refusalOf({.ablation = "ones"}, spec).empty());
        QVERIFY(!refusalOf({.compensate = "money"}, spec).empty());
        QVERIFY(!refusalOf({.protect = "9.9"}, spec).empty());
        QCOMPARE(refusalOf({.tasks = {"none", "chess"}}, spec),
                 std::string("\"chess\" is no task; use some of indirect_object, verb_agreement, "
                             "none."));
        QVERIFY(require(readPruningQuestion({.tasks = {"none"}}, spec)).tasks.empty());
    }
};

const headscope::test::TestRegistration<TestPruningWords> registration;

} // namespace test_pruning_words

#include "test_pruning_words.moc"
