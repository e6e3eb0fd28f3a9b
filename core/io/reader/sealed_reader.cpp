#include "core/io/sealed_reader.h"

#include "core/io/reader/hdf5_library.h"
#include "core/io/reader/hdf5_listing.h"
#include "core/io/reader/hdf5_writing.h"
#include "core/io/reader/seal.h"
#include "core/io/reader/zip_listing.h"
#include "core/io/sealed/reader_memory.h"
#include "core/io/sealed/reader_process.h"
#include "core/io/sealed/wire.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

namespace headscope {

namespace {

struct Request {
    Parser parser = Parser::Hdf5;
    FilePart file;
    bool sealed = true;
};

std::optional<std::uint64_t> wholeNumber(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

std::optional<Request> parseRequest(std::span<char* const> arguments) {
    if (arguments.size() != 5)
        return std::nullopt;
    constexpr std::array all{Parser::Hdf5, Parser::Zip, Parser::Hdf5Plan};
    const auto parser = std::ranges::find(all, std::string_view(arguments[1]), &parserName);
    const auto begin = wholeNumber(arguments[2]);
    const auto bytes = wholeNumber(arguments[3]);
    const std::string_view seal = arguments[4];
    if (parser == all.end() || !begin || !bytes || (seal != "sealed" && seal != "unsealed"))
        return std::nullopt;
    return Request{*parser, {kReaderFile, *begin, *bytes}, seal == "sealed"};
}

void answer(const ReaderAnswer& said) {
    const Bytes bytes = encodeAnswer(said);
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = ::write(kReaderAnswer, bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return;
        done += static_cast<std::size_t>(count);
    }
}

ReaderAnswer answerTo(const Request& request) {
    switch (request.parser) {
    case Parser::Hdf5:
        return describeHdf5(request.file);
    case Parser::Zip:
        return describeZip(request.file);
    case Parser::Hdf5Plan:
        break;
    }
    return layOutHdf5(request.file);
}

void describe(const Request& request, const Error& out_of_memory) {
    try {
        answer(answerTo(request));
    } catch (const std::bad_alloc&) {
        answer(Refusal{out_of_memory, ""});
    }
}

} // namespace

int runSealedReader(int argc, char** argv) {
    const auto request = parseRequest(std::span(argv, static_cast<std::size_t>(argc)));
    if (!request || ::fcntl(kReaderFile, F_GETFD) < 0 || ::fcntl(kReaderAnswer, F_GETFD) < 0) {
        std::fputs("headscope-reader describes a file for Headscope and is of no use by itself.\n",
                   stderr);
        return 2;
    }
    // Whatever HDF5 wants of the system when it starts, it has before the doors close.
    lockHdf5().unlock();
    const Error out_of_memory = readerIsOutOfMemory(request->file.bytes);
    const std::string problem = request->sealed ? sealProcess(kReaderAnswer, request->file.bytes)
                                                : limitProcess(request->file.bytes);
    if (!problem.empty())
        answer(Refusal{{ErrorCode::Unreadable,
                        "it is only read behind a filter of system calls, which this system does "
                        "not set up (" +
                            problem +
                            "); for files that you trust, HEADSCOPE_UNSEALED=1 in the environment "
                            "goes without"},
                       ""});
    else
        describe(*request, out_of_memory);
    // No exit handler of a library runs: they may do what is no longer allowed.
    ::_exit(0);
}

} // namespace headscope
