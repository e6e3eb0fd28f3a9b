#include "core/tensor/startup.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <string>

namespace test_allowed_threads {

using namespace headscope;

class TestAllowedThreads : public QObject {
    Q_OBJECT

private slots:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void slurmComesFirst() {
        write("proc/self/cgroup", "0::/\n");
        write("sys/fs/cgroup/cpu.max", "100000 100000\n");
        QCOMPARE(allowed("6"), 6);
        QCOMPARE(allowed(nullptr), 1);
        for (const char* odd : {"", "0", "-3", "many", "4(x2)"})
            QCOMPARE(allowed(odd), 1);
    }

    void nothingIsSaid() {
        QCOMPARE(allowed(nullptr), -1);
        write("proc/self/cgroup", "0::/user.slice\n");
        write("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
        QCOMPARE(allowed(nullptr), -1);
        write("sys/fs/cgroup/user.slice/cpu.max", "nonsense");
        QCOMPARE(allowed(nullptr), -1);
    }

    void theLeastQuotaOnTheWayCounts() {
        write("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
        write("sys/fs/cgroup/slurm/cpu.max", "1600000 100000\n");
        write("sys/fs/cgroup/slurm/job_7/cpu.max", "350000 100000\n");
        write("sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "max 100000\n");
        QCOMPARE(allowed(nullptr), 3);
        write("sys/fs/cgroup/slurm/job_7/cpu.max", "50000 100000\n"); // half a processor
        QCOMPARE(allowed(nullptr), 1);
    }

    void theFirstVersionIsReadToo() {
        write("proc/self/cgroup", "5:memory:/a\n4:cpu,cpuacct:/a\n");
        write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "400000\n");
        write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
        write("sys/fs/cgroup/memory/a/cpu.cfs_quota_us", "100000\n"); // not of this controller
        write("sys/fs/cgroup/memory/a/cpu.cfs_period_us", "100000\n");
        QCOMPARE(allowed(nullptr), 4);
        write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n"); // none
        QCOMPARE(allowed(nullptr), -1);
    }

private:
    std::filesystem::path root() const { return folder_->path().toStdString(); }
    void write(const std::string& path, const std::string& text) const {
        std::filesystem::create_directories((root() / path).parent_path());
        std::ofstream(root() / path) << text;
    }
    /// -1: nothing is said
    int allowed(const char* slurm_cpus) const {
        const auto threads = allowedThreads(slurm_cpus, root());
        return threads ? static_cast<int>(*threads) : -1;
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

const headscope::test::TestRegistration<TestAllowedThreads> registration;

} // namespace test_allowed_threads

#include "test_allowed_threads.moc"
