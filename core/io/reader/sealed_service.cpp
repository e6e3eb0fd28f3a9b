#include "core/io/reader/sealed_service.h"

#include "core/io/reader/seal.h"
#include "core/io/sealed/reader_memory.h"
#include "core/io/sealed/reader_process.h"
#include "core/io/sealed/wire.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
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
    Service service;
    FilePart file;
    bool sealed = true;
};

std::optional<std::uint64_t> wholeNumber(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

std::optional<Request> parseRequest(std::span<char* const> arguments,
                                    std::span<const Service> services) {
    if (arguments.size() != 5)
        return std::nullopt;
    const std::string_view parser = arguments[1];
    const auto service = std::ranges::find_if(
        services, [&](const Service& each) { return parserName(each.parser) == parser; });
    const auto begin = wholeNumber(arguments[2]);
    const auto bytes = wholeNumber(arguments[3]);
    const std::string_view seal = arguments[4];
    if (service == services.end() || !begin || !bytes || (seal != "sealed" && seal != "unsealed"))
        return std::nullopt;
    return Request{*service, {kReaderFile, *begin, *bytes}, seal == "sealed"};
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

void describe(const Request& request, const Error& out_of_memory) {
    try {
        answer(request.service.describe(request.file));
    } catch (const std::bad_alloc&) {
        answer(Refusal{out_of_memory, ""});
    }
}

} // namespace

int serveSealed(std::span<char* const> arguments, std::span<const Service> services) {
    const auto request = parseRequest(arguments, services);
    if (!request || ::fcntl(kReaderFile, F_GETFD) < 0 || ::fcntl(kReaderAnswer, F_GETFD) < 0) {
        std::fputs("This describes a file for Headscope and is of no use by itself.\n", stderr);
        return 2;
    }
    const Parser parser = request->service.parser;
    const std::size_t memory = readerMemory(parser, request->file.bytes);
    const Error out_of_memory = readerIsOutOfMemory(parser, request->file.bytes);
    const std::string problem =
        request->sealed ? sealProcess(kReaderAnswer, memory) : limitProcess(memory);
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
