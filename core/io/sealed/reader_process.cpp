#include "core/io/sealed/reader_process.h"

#include "core/base/text.h"
#include "core/io/files/tensor_reading.h"
#include "core/io/sealed/processor_share.h"
#include "core/io/sealed/reader_memory.h"
#include "core/io/sealed/wire.h"
#include "core/io/slabs.h"
#include "core/io/tensor_source.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace headscope {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// By the clock on the wall, so that whoever waits knows for how long.
constexpr std::chrono::seconds kLongestAnswer{8};
/// The time of a reader to which other programs leave little of the processor: the file is not to
/// blame.
constexpr std::chrono::seconds kLongestAnswerWhenBusy{30};
/// How long a stop request may go unseen.
constexpr std::chrono::milliseconds kGlance{20};
/// What takes longer was no waiting: this process, or the whole machine, was stopped.
constexpr std::chrono::seconds kLongestDelay{1};
/// How long a reader that has ended its answer too early may take to end itself.
constexpr std::chrono::milliseconds kLastBreath{200};
/// What the shell and posix_spawn(3) say of a program that does not start.
constexpr int kNotStarted = 127;
/// What a reader says that was started for something else (serveSealed()).
constexpr int kNotAsked = 2;
/// A description holds little more than texts, which may be long, and what the file itself holds
/// beside its numbers.
constexpr std::size_t kSpareAnswerBytes = std::size_t{16} << 20;
constexpr std::size_t kMostFileBytes = std::size_t{64} << 20;
/// The header of a GGUF file may have four times as many, and six bytes of JSON for one of a text
/// (a control character). Texts are read whole; of a sentencepiece model a piece of five bytes
/// takes 21 in the answer.
constexpr std::size_t kMostHeaderBytes = std::size_t{256} << 20;

/// The program for a parser.
std::string programFor(Parser parser) {
    const bool is_hdf5 = parser == Parser::Hdf5 || parser == Parser::Hdf5Plan;
    return is_hdf5 ? "headscope-hdf5" : "headscope-reader";
}

Error cannotStart(Parser parser, const std::string& reason) {
    return {ErrorCode::Unreadable, "it is only read by a program of its own, " +
                                       programFor(parser) + ", which cannot be started: " + reason};
}

Error systemSays(Parser parser, int error_number) {
    const bool is_short = error_number == EAGAIN || error_number == ENOMEM ||
                          error_number == EMFILE || error_number == ENFILE;
    return cannotStart(parser, std::generic_category().message(error_number) +
                                   (is_short ? "; close other programs and try again"
                                             : "; install Headscope again"));
}

/// The folder of the library that this is linked into, such as the Python module; empty in a
/// program.
fs::path libraryFolder() {
    static const char here = 0;
    Dl_info object{};
    if (::dladdr(&here, &object) == 0 || !object.dli_fname)
        return {};
    const fs::path file = object.dli_fname;
    return file.is_absolute() ? file.parent_path() : fs::path();
}

/// Where the reader may be, in the order in which it is looked for.
std::vector<fs::path> readerPlaces(const std::string& name) {
    if (const char* const told = std::getenv("HEADSCOPE_READER"))
        return {told};
    std::error_code failure;
    const fs::path folder = fs::read_symlink("/proc/self/exe", failure).parent_path();
    std::vector<fs::path> places{folder / name, folder / "../bin" / name,
                                 folder / HEADSCOPE_READER_FOLDER / name};
    if (const fs::path library = libraryFolder(); !library.empty())
        places.insert(places.begin(), library / name);
    return places;
}

Result<fs::path> findReader(Parser parser) {
    const auto places = readerPlaces(programFor(parser));
    const auto found = std::ranges::find_if(
        places, [](const fs::path& place) { return ::access(place.c_str(), X_OK) == 0; });
    if (found == places.end())
        return cannotStart(parser, "it is not in '" + places.front().parent_path().string() +
                                       "'; install Headscope again");
    return *found;
}

std::string libraryOf(Parser parser) {
    switch (parser) {
    case Parser::Hdf5:
    case Parser::Hdf5Plan:
        break;
    case Parser::Zip:
        return "the zip library";
    case Parser::Gguf:
        return "the GGUF reader";
    case Parser::Text:
        return "its parser";
    }
    return "the HDF5 library";
}

Error noEnd(Parser parser) {
    return {ErrorCode::Malformed,
            libraryOf(parser) + " comes to no end with it; download or copy it again"};
}

Error tooBusy() {
    return {ErrorCode::Unreadable,
            "other programs leave so little of the processor to its reader that it did not end "
            "within " +
                std::to_string(kLongestAnswerWhenBusy.count()) +
                " seconds; try again when they are done"};
}

Error nonsense() {
    return {ErrorCode::Malformed,
            "its reader gives no sensible answer, as happens with a file made to mislead; download "
            "or copy it again"};
}

/// A copy of a descriptor with a number above those that the reader gets, so that these do not
/// overwrite it.
FileDescriptor raised(int fd) {
    constexpr int above = kReaderAnswer + 1;
    return FileDescriptor(::fcntl(fd, F_DUPFD_CLOEXEC, above));
}

/// What posix_spawn does in the child before it becomes the reader.
class SpawnActions {
public:
    SpawnActions(int file, int answer) {
        ::posix_spawn_file_actions_init(&actions_);
        for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
            ::posix_spawn_file_actions_addopen(&actions_, standard, "/dev/null", O_RDWR, 0);
        if (file >= 0)
            ::posix_spawn_file_actions_adddup2(&actions_, file, kReaderFile);
        else
            ::posix_spawn_file_actions_addopen(&actions_, kReaderFile, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&actions_, answer, kReaderAnswer);
        ::posix_spawn_file_actions_addclosefrom_np(&actions_, kReaderAnswer + 1);
    }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;
    ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }

    const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_;
};

/// HDF5 does not survive everywhere that it gets no more memory. Half of what there is may have
/// been asked for in vain, and a part of it is code. What this process took counts for the reader,
/// too, as it begins as a copy of it, and tells nothing.
bool isMuchMemory(std::size_t memory, Parser parser, std::size_t bytes) {
    rusage ours{};
    ::getrusage(RUSAGE_SELF, &ours);
    return memory > readerMemory(parser, bytes) / 4 &&
           memory > static_cast<std::size_t>(ours.ru_maxrss) * 1024;
}

std::size_t mostAnswerBytes(Parser parser, std::size_t file_bytes) {
    const bool is_larger = parser == Parser::Gguf || parser == Parser::Text;
    return kSpareAnswerBytes +
           (is_larger ? 6 : 2) *
               std::min(file_bytes, is_larger ? kMostHeaderBytes : kMostFileBytes);
}

/// By the length that comes first; also where more than that is there.
bool isWhole(const Bytes& answer) {
    return answer.size() >= sizeof(std::uint64_t) &&
           littleEndian(std::span(answer).first(sizeof(std::uint64_t))) <=
               answer.size() - sizeof(std::uint64_t);
}

/// A refusal may hold anything.
bool isReadable(const Refusal& refusal) {
    return isReason(refusal.reason.message) && (refusal.tensor.empty() || isReason(refusal.tensor));
}

} // namespace

std::string_view parserName(Parser parser) {
    switch (parser) {
    case Parser::Hdf5:
        return "hdf5";
    case Parser::Zip:
        return "zip";
    case Parser::Hdf5Plan:
        return "hdf5-plan";
    case Parser::Gguf:
        return "gguf";
    case Parser::Text:
        break;
    }
    return "texts";
}

bool isReaderUnsealed() {
    const char* const told = std::getenv("HEADSCOPE_UNSEALED");
    return told != nullptr && std::string_view(told) == "1";
}

std::vector<std::string> sealNotes() {
    if (!isReaderUnsealed())
        return {};
    return {"The file was read by a process that is not sealed, because HEADSCOPE_UNSEALED is set: "
            "a file made to mislead could do harm."};
}

/// How a reader is started.
struct Reader::Task {
    Parser parser;
    int file; ///< its descriptor, or −1
    std::size_t first_byte;
    std::size_t bytes; ///< of the file, or of a question at most
};

/// How one ended.
struct Reader::End {
    int status = 0;         ///< as waitpid(2) has it
    std::size_t memory = 0; ///< resident at its peak
    bool by_us = false;
};

Reader::Reader(pid_t process, FileDescriptor line, Parser parser, std::size_t bytes)
    : process_(process), line_(std::move(line)), parser_(parser), bytes_(bytes) {}

Reader::Reader(Reader&& other) noexcept
    : process_(std::exchange(other.process_, -1)), line_(std::move(other.line_)),
      parser_(other.parser_), bytes_(other.bytes_) {}

Reader::~Reader() {
    end({});
}

Result<Reader> Reader::describing(const InputFile& file, Parser parser) {
    return start({parser, file.descriptor(), file.begin(), file.size()});
}

Result<Reader> Reader::answering(std::size_t most_bytes) {
    return start({Parser::Text, -1, 0, most_bytes});
}

Result<Reader> Reader::start(const Task& task) {
    const auto program = findReader(task.parser);
    if (!program)
        return program.error();
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return systemSays(task.parser, errno);
    FileDescriptor ours(ends[0]);
    const FileDescriptor theirs(ends[1]);
    const FileDescriptor input(task.file >= 0 ? raised(task.file) : FileDescriptor(-1));
    const FileDescriptor output = raised(theirs.get());
    if ((task.file >= 0 && !input) || !output)
        return systemSays(task.parser, errno);
    std::string name = program->string();
    std::string kind(parserName(task.parser));
    std::string begin = std::to_string(task.first_byte);
    std::string size = std::to_string(task.bytes);
    std::string seal = isReaderUnsealed() ? "unsealed" : "sealed";
    std::array<char*, 6> arguments{name.data(), kind.data(), begin.data(),
                                   size.data(), seal.data(), nullptr};
    // Nothing of this environment reaches the libraries of the reader.
    std::array<char*, 1> environment{nullptr};
    const SpawnActions actions(input.get(), output.get());
    pid_t process = -1;
    if (const int failed = ::posix_spawn(&process, program->c_str(), actions.get(), nullptr,
                                         arguments.data(), environment.data());
        failed != 0)
        return systemSays(task.parser, failed);
    return Reader(process, std::move(ours), task.parser, task.bytes);
}

/// Sends the question and returns all bytes of the answer; fewer where the reader ends early.
Result<Bytes> Reader::exchange(std::span<const std::byte> unsent, std::size_t most,
                               const std::stop_token& stop) {
    Clock::duration waited{};
    auto last = Clock::now();
    Bytes answer;
    Bytes piece(std::size_t{64} << 10);
    while (!isWhole(answer)) {
        if (stop.stop_requested())
            return readingStopped();
        if (waited > kLongestAnswer && !isShortOfProcessor(process_))
            return noEnd(parser_);
        if (waited > kLongestAnswerWhenBusy)
            return tooBusy();
        const short both = POLLIN | POLLOUT;
        pollfd waiting{line_.get(), unsent.empty() ? short{POLLIN} : both, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(kGlance.count()));
        const auto now = Clock::now();
        waited += std::min(now - last, Clock::duration(kLongestDelay));
        last = now;
        if (ready <= 0)
            continue;
        if ((waiting.revents & POLLOUT) != 0) {
            const ssize_t sent =
                ::send(line_.get(), unsent.data(), unsent.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            unsent = unsent.subspan(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
        }
        if ((waiting.revents & ~POLLOUT) == 0)
            continue;
        const ssize_t count = ::read(line_.get(), piece.data(), piece.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        answer.insert(answer.end(), piece.begin(), piece.begin() + count);
        if (answer.size() > most)
            return nonsense();
    }
    return answer;
}

/// Ends it where it has not ended by then.
Reader::End Reader::end(std::chrono::milliseconds patience) {
    End ended;
    const auto deadline = Clock::now() + patience;
    while (process_ >= 0 && !hasEnded(ended)) {
        ended.by_us = Clock::now() >= deadline;
        if (ended.by_us)
            ::kill(process_, SIGKILL);
        else
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return ended;
}

/// Waits for it where it is ended by us.
bool Reader::hasEnded(End& ended) {
    rusage used{};
    const pid_t found = ::wait4(process_, &ended.status, ended.by_us ? 0 : WNOHANG, &used);
    if (found == 0 || (found < 0 && errno == EINTR))
        return false;
    ended.memory = static_cast<std::size_t>(used.ru_maxrss) * 1024;
    process_ = -1;
    return true;
}

Error Reader::whyItEnded(const End& ended) const {
    if (!ended.by_us && WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == kNotStarted)
        return cannotStart(parser_,
                           "it or a library of it does not load; install Headscope again, or allow "
                           "more memory (ulimit -v)");
    if (!ended.by_us && WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == kNotAsked)
        return cannotStart(parser_,
                           "it is another program or of another version; install Headscope again");
    if (ended.by_us || !WIFSIGNALED(ended.status))
        return nonsense();
    const int signal = WTERMSIG(ended.status);
    if (signal == SIGXCPU)
        return noEnd(parser_);
    if (signal == SIGKILL)
        return {ErrorCode::Unreadable,
                "its reader was killed from outside, as the system does where memory runs short; "
                "close other programs and try again"};
    if (signal == SIGSYS)
        return {ErrorCode::Malformed, "it makes " + libraryOf(parser_) +
                                          " do what reading a file never needs, and was stopped; "
                                          "delete it"};
    if (isMuchMemory(ended.memory, parser_, bytes_))
        return readerIsOutOfMemory(parser_, bytes_);
    return {ErrorCode::Malformed, "it is damaged so that " + libraryOf(parser_) +
                                      " crashes on it; download or copy it again"};
}

Result<ReaderAnswer> Reader::answer(std::span<const std::byte> question,
                                    const std::stop_token& stop) {
    const std::size_t asked = parser_ == Parser::Text ? question.size() : bytes_;
    const auto bytes = exchange(question, mostAnswerBytes(parser_, asked), stop);
    if (!bytes)
        return bytes.error();
    auto answer = decodeAnswer(*bytes);
    if (!answer)
        return whyItEnded(end(kLastBreath));
    const auto* const refusal = std::get_if<Refusal>(&*answer);
    if (refusal != nullptr && !isReadable(*refusal))
        return nonsense();
    return *std::move(answer);
}

Result<ReaderAnswer> askReader(const InputFile& file, Parser parser, const std::stop_token& stop) {
    auto reader = Reader::describing(file, parser);
    return reader ? reader->answer({}, stop) : reader.error();
}

} // namespace headscope
