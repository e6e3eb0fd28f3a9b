// Times the reading of large tensors against a plain read() of the same bytes. Prints the median of
// five, with the files in the page cache: bench_reading FOLDER [GIGABYTES]
// Or opens a model and prints how much memory that took at most, and how much of it stays:
// bench_reading FILE

#include "core/export/formats/model_file.h"
#include "core/io/tensor_source.h"
#include "core/loading/load_model.h"
#include "tests/benchmarks/measured.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

using namespace headscope;
namespace fs = std::filesystem;

namespace {

double seconds(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i < 5; ++i)
        times.push_back(seconds(work));
    std::ranges::sort(times);
    return times[times.size() / 2];
}

[[noreturn]] void fail(const Error& error) {
    std::fprintf(stderr, "%s\n", error.message.c_str());
    std::exit(1);
}

/// One tensor "w" of small numbers.
class Ramp final : public TensorSource {
public:
    explicit Ramp(std::size_t count) : infos_{{"w", {count}, StoredType::Float32, count * 4}} {}

    const fs::path& path() const override { return path_; }
    std::span<const TensorInfo> tensors() const override { return infos_; }
    std::optional<std::string> text(std::string_view) const override { return std::nullopt; }
    Result<void> read(const TensorInfo&, NumberTarget target, std::stop_token) const override {
        for (std::size_t i = 0; i < target.size(); ++i)
            target.floats[i] = static_cast<float>(i % 1000) / 8.0f;
        return {};
    }

private:
    fs::path path_ = "ramp";
    std::vector<TensorInfo> infos_;
};

void writeHdf5(const fs::path& path, std::size_t count, FloatFormat format) {
    if (const auto written = writeModelFile(path, Ramp(count), {}, format); !written)
        fail(written.error());
}

void writeSafetensors(const fs::path& path, std::size_t count) {
    const std::string header = R"({"w":{"dtype":"F32","shape":[)" + std::to_string(count) +
                               R"(],"data_offsets":[0,)" + std::to_string(4 * count) + "]}}";
    const std::uint64_t length = header.size();
    std::vector<float> values(count);
    static_cast<void>(Ramp(count).read({}, values, {}));
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(&length), sizeof length)
        .write(header.data(), static_cast<std::streamsize>(header.size()))
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(4 * count));
}

void plainRead(const fs::path& path, std::span<std::byte> target) {
    const int fd = ::open(path.c_str(), O_RDONLY);
    for (ssize_t count = 1; count > 0 && !target.empty();) {
        count = ::read(fd, target.data(), target.size());
        if (count > 0)
            target = target.subspan(static_cast<std::size_t>(count));
    }
    ::close(fd);
}

void compare(const char* what, const fs::path& path, std::vector<float>& values) {
    const auto source = openTensorSource(path);
    if (!source)
        fail(source.error());
    const TensorInfo& tensor = (*source)->tensors()[0];
    const auto raw = std::as_writable_bytes(std::span(values)).first(tensor.stored_bytes);
    const double plain = median([&] { plainRead(path, raw); });
    const double ours = median([&] {
        if (const auto read = (*source)->read(tensor, values); !read)
            fail(read.error());
    });
    std::printf("%-22s read() %.3f s, tensor %.3f s, ratio %.2f, %.0f million numbers/s\n", what,
                plain, ours, ours / plain, static_cast<double>(values.size()) / ours / 1e6);
}

/// From the request to the return of read().
void cancelInside(const char* what, const fs::path& path, std::vector<float>& values) {
    const auto source = openTensorSource(path);
    if (!source)
        fail(source.error());
    using Clock = std::chrono::steady_clock;
    std::stop_source stop;
    Clock::time_point asked;
    std::jthread asking([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        asked = Clock::now();
        stop.request_stop();
    });
    const auto read = (*source)->read((*source)->tensors()[0], values, stop.get_token());
    const auto returned = Clock::now();
    asking.join();
    if (read)
        std::printf("%-22s was read before it could be stopped\n", what);
    else
        std::printf("%-22s stopped after %.1f ms\n", what,
                    std::chrono::duration<double, std::milli>(returned - asked).count());
}

/// Beyond what the program takes before.
void measureOpening(const fs::path& path) {
    const double before = bench::megabytes();
    const auto model = bench::require(loadModel(path));
    const double peak = bench::peakMegabytes() - before;
    const double stays = bench::megabytes() - before;
    std::printf("%s: %.0f MB of weights, peak %.0f MB, %.0f MB stay, ratio %.2f\n", path.c_str(),
                static_cast<double>(model->report.weight_bytes) / 1048576.0, peak, stays,
                peak / stays);
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: bench_reading FOLDER [GIGABYTES] | FILE\n");
        return 2;
    }
    if (fs::is_regular_file(argv[1])) {
        measureOpening(argv[1]);
        return 0;
    }
    const fs::path folder = argv[1];
    const double gigabytes = argc > 2 ? std::atof(argv[2]) : 1.0;
    const auto count = static_cast<std::size_t>(gigabytes * 1e9 / 4.0);
    std::vector<float> values(count);
    const fs::path f32 = folder / "bench-f32.h5";
    const fs::path f16 = folder / "bench-f16.h5";
    const fs::path bf16 = folder / "bench-bf16.h5";
    const fs::path safetensors = folder / "bench.safetensors";
    writeHdf5(f32, count, FloatFormat::Float32);
    writeHdf5(f16, count, FloatFormat::Float16);
    writeHdf5(bf16, count, FloatFormat::BFloat16);
    writeSafetensors(safetensors, count);
    compare("HDF5 float32", f32, values);
    compare("safetensors float32", safetensors, values);
    compare("HDF5 float16", f16, values);
    compare("HDF5 bfloat16", bf16, values);
    cancelInside("HDF5 float32", f32, values);
    cancelInside("HDF5 float16", f16, values);
    cancelInside("safetensors float32", safetensors, values);
    for (const fs::path& path : {f32, f16, bf16, safetensors})
        fs::remove(path);
    return 0;
}
