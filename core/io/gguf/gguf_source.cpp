#include "core/io/gguf/gguf_source.h"

#include "core/base/text.h"
#include "core/io/file_error.h"
#include "core/io/files/tensor_reading.h"
#include "core/io/gguf/gguf_description.h"
#include "core/io/gguf/gguf_header.h"
#include "core/io/gguf/header_values.h"
#include "core/io/model_folder.h"
#include "core/io/sealed/reader_process.h"
#include "core/io/slabs.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>
#include <variant>

namespace headscope {

namespace {

constexpr std::size_t kMostGgufParts = 500; ///< each is an open file

/// One file of the model.
struct GgufPart {
    InputFile file;
    GgufHeader header;
};

/// The files of a model that are there, the first among them, and the names of the others.
struct GgufFiles {
    std::vector<GgufPart> parts;
    std::vector<std::string> missing;
};

class GgufSource final : public TensorSource {
public:
    explicit GgufSource(GgufFiles files)
        : parts_(std::move(files.parts)), missing_(std::move(files.missing)) {
        for (std::size_t part = 0; part < parts_.size(); ++part)
            for (const GgufTensor& tensor : parts_[part].header.tensors)
                places_.push_back({part, &tensor});
        std::ranges::sort(places_, {}, [](const Place& place) -> const std::string& {
            return place.tensor->name;
        });
        for (const Place& place : places_) {
            const GgufTensor& tensor = *place.tensor;
            TensorInfo info{tensor.name, tensor.shape, tensor.format->type, tensor.bytes};
            if (tensor.format->elements > 1)
                info.format = tensor.format->name;
            tensors_.push_back(std::move(info));
        }
    }

    const std::filesystem::path& path() const override { return parts_.front().file.path(); }
    std::span<const TensorInfo> tensors() const override { return tensors_; }

    std::vector<std::filesystem::path> files() const override {
        std::vector<std::filesystem::path> files;
        for (const GgufPart& part : parts_)
            files.push_back(part.file.path());
        return files;
    }

    std::vector<const InputFile*> openFiles() const override {
        std::vector<const InputFile*> files;
        for (const GgufPart& part : parts_)
            files.push_back(&part.file);
        return files;
    }

    std::vector<std::string> notes() const override {
        std::vector<std::string> notes = sealNotes();
        if (!missing_.empty())
            notes.push_back(missingFilesNote(parts_.size() + missing_.size(), "part", missing_));
        return notes;
    }

    std::optional<std::string> text(std::string_view key) const override {
        return key == kGgufMetadata ? std::optional(parts_.front().header.metadata) : std::nullopt;
    }

    Result<void> read(const TensorInfo& tensor, NumberTarget target,
                      std::stop_token stop) const override {
        const auto index = indexForReading(*this, tensor, target);
        if (!index)
            return index.error();
        const Place& place = places_[*index];
        try {
            if (auto done = readBlocks(parts_[place.part].file, *place.tensor, target, stop); !done)
                return cannotRead(path(), tensor.name, done.error());
        } catch (const std::bad_alloc&) {
            return cannotRead(path(), tensor.name, {ErrorCode::TooLarge, "memory is used up"});
        }
        return {};
    }

private:
    struct Place {
        std::size_t part = 0;
        const GgufTensor* tensor = nullptr;
    };

    static Result<void> readBlocks(const InputFile& file, const GgufTensor& tensor,
                                   const NumberTarget& target, const std::stop_token& stop) {
        const BlockFormat& format = *tensor.format;
        if (format.widen == nullptr)
            return Error{ErrorCode::Unsupported, "it is of the type " + std::string(format.name) +
                                                     ", expected one of " + readableBlockFormats() +
                                                     "; choose another quantisation of the model"};
        const auto readAt = [&](std::size_t first_block,
                                std::span<std::byte> bytes) -> Result<void> {
            const auto read = file.readAt(tensor.offset + first_block * format.bytes, bytes);
            if (!read || *read < bytes.size())
                return Error{ErrorCode::Unreadable, "its numbers cannot be read; the file has "
                                                    "changed or its disk fails"};
            return {};
        };
        if (target.isWords())
            return forEachSlab(
                target.size(), format.bytes, stop, [&](std::size_t first, std::size_t count) {
                    return readAt(first,
                                  std::as_writable_bytes(target.words.subspan(first, count)));
                });
        std::vector<std::byte> bytes;
        return forEachSlab(target.size() / format.elements, format.elements * sizeof(float), stop,
                           [&](std::size_t first, std::size_t count) -> Result<void> {
                               bytes.resize(count * format.bytes);
                               if (auto read = readAt(first, bytes); !read)
                                   return read;
                               format.widen(bytes, target.floats.subspan(first * format.elements,
                                                                         count * format.elements));
                               return {};
                           });
    }

    std::vector<GgufPart> parts_;
    std::vector<std::string> missing_;
    std::vector<Place> places_;       ///< sorted by name
    std::vector<TensorInfo> tensors_; ///< of the place with the same index
};

/// What the sealed reader says of a file, checked against it. Error messages are reasons.
Result<GgufHeader> headerOf(const InputFile& file, const std::stop_token& stop) {
    if constexpr (kReadsHere) {
        auto header =
            readGgufHeader({file.size(), [&file](std::size_t offset, std::span<std::byte> target) {
                                const auto count = file.readAt(offset, target);
                                return count ? *count : std::size_t{0};
                            }});
        return header ? checkedHeader(describe(*std::move(header)), file.size()) : header;
    }
    auto answer = askReader(file, Parser::Gguf, stop);
    if (!answer)
        return answer.error();
    if (const auto* const refusal = std::get_if<Refusal>(&*answer))
        return refusal->reason;
    auto* const description = std::get_if<GgufAnswer>(&*answer);
    return description ? checkedHeader(std::move(*description), file.size())
                       : malformedGguf("its reader answers for another kind of file");
}

/// "model-00002-of-00005.gguf" for the part of index 1.
std::string partName(const std::string& stem, std::size_t index, std::size_t count) {
    const auto five_digits = [](std::size_t number) {
        const std::string digits = std::to_string(number);
        return std::string(5 - std::min<std::size_t>(5, digits.size()), '0') + digits;
    };
    return stem + "-" + five_digits(index + 1) + "-of-" + five_digits(count) + ".gguf";
}

/// The parts of a model in several files, in their order.
class GgufParts {
public:
    GgufParts(InputFile file, GgufHeader header, std::stop_token stop)
        : path_(file.path()), stop_(std::move(stop)) {
        count_ = header.split_count;
        parts_.push_back({std::move(file), std::move(header)});
    }

    Result<GgufFiles> gather() {
        GgufPart given = std::move(parts_.front());
        parts_.clear();
        const std::size_t number = given.header.split_number;
        const std::string stem = numberedStem(path_.stem().string());
        if (stem.empty() || path_.filename().string() != partName(stem, number, count_))
            return fail(ErrorCode::Mismatch,
                        "it is part " + std::to_string(number + 1) + " of " +
                            std::to_string(count_) + " and not named like one, expected NAME" +
                            partName("", number, count_) + "; give all parts such names");
        if (count_ > kMostGgufParts)
            return fail(ErrorCode::TooLarge, "it is one of " + std::to_string(count_) +
                                                 " parts, expected at most " +
                                                 std::to_string(kMostGgufParts));
        if (auto before = addFrom(stem, 0, number); !before)
            return before.error();
        parts_.push_back(std::move(given));
        if (auto behind = addFrom(stem, number + 1, count_); !behind)
            return behind.error();
        return GgufFiles{std::move(parts_), std::move(missing_)};
    }

private:
    /// Parts begin … end − 1.
    Result<void> addFrom(const std::string& stem, std::size_t begin, std::size_t end) {
        for (std::size_t index = begin; index < end; ++index)
            if (auto added = add(partName(stem, index, count_), index); !added)
                return added;
        return {};
    }

    Error fail(ErrorCode code, const std::string& reason) const {
        return cannotOpen(code, path_, reason);
    }

    Result<void> add(const std::string& name, std::size_t index) {
        const auto path = path_.parent_path() / name;
        std::error_code failure;
        if (!std::filesystem::exists(path, failure)) {
            if (index == 0) // says what the network is
                return fail(ErrorCode::NotFound,
                            "its part '" + name + "' is missing; download it into the same folder");
            missing_.push_back(name);
            return {};
        }
        auto file = InputFile::open(path);
        if (!file)
            return file.error();
        auto header = headerOf(*file, stop_);
        if (!header)
            return cannotOpen(header.error().code, path, header.error().message);
        if (header->split_number != index || header->split_count != count_)
            return cannotOpen(ErrorCode::Mismatch, path,
                              "it is not part " + std::to_string(index + 1) + " of " +
                                  std::to_string(count_) +
                                  ", as its name says; download all parts again");
        parts_.push_back({*std::move(file), *std::move(header)});
        return {};
    }

    std::filesystem::path path_; ///< of the part that was given
    std::stop_token stop_;
    std::size_t count_ = 1;
    std::vector<GgufPart> parts_;
    std::vector<std::string> missing_;
};

Result<GgufFiles> openParts(InputFile file, const std::stop_token& stop) {
    const std::filesystem::path path = file.path();
    auto header = headerOf(file, stop);
    if (!header)
        return cannotOpen(header.error().code, path, header.error().message);
    if (header->split_count > 1)
        return GgufParts(std::move(file), *std::move(header), stop).gather();
    GgufFiles files;
    files.parts.push_back({std::move(file), *std::move(header)});
    return files;
}

/// No tensor in two parts, all that the first part counts where no part is missing, and no more
/// than there is memory for.
Result<void> checkTensors(const TensorSource& source, std::size_t expected,
                          std::size_t byte_budget) {
    const auto tensors = source.tensors();
    const auto twin = std::ranges::adjacent_find(tensors, {}, &TensorInfo::name);
    if (twin != tensors.end())
        return malformedGguf("its parts hold the tensor '" + twin->name + "' twice");
    if (expected != 0 && expected != tensors.size())
        return malformedGguf("its parts hold " + std::to_string(tensors.size()) +
                             " tensors, expected " + std::to_string(expected));
    TensorBudget budget(byte_budget);
    for (const TensorInfo& tensor : tensors)
        if (auto fits = budget.take(tensor); !fits)
            return fits;
    return {};
}

} // namespace

Result<std::unique_ptr<TensorSource>> openGgufSource(InputFile file, std::size_t byte_budget,
                                                     const std::stop_token& stop) {
    const std::filesystem::path path = file.path();
    try {
        auto files = openParts(std::move(file), stop);
        if (!files)
            return files.error();
        const bool counts = files->parts.size() > 1 && files->missing.empty();
        const std::size_t expected = counts ? files->parts.front().header.split_tensors : 0;
        auto source = std::make_unique<GgufSource>(*std::move(files));
        if (auto good = checkTensors(*source, expected, byte_budget); !good)
            return cannotOpen(good.error().code, path, good.error().message);
        return std::unique_ptr<TensorSource>(std::move(source));
    } catch (const std::bad_alloc&) {
        return cannotOpen(ErrorCode::TooLarge, path, "memory is used up");
    }
}

} // namespace headscope
