#include "core/io/zip/keras_archive.h"

#include "core/base/text.h"
#include "core/io/file_error.h"
#include "core/io/files/weight_file.h"
#include "core/io/hdf5/hdf5_source.h"
#include "core/io/sealed/file_description.h"
#include "core/io/sealed/reader_process.h"
#include "core/io/slabs.h"

#include <zlib.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace headscope {

namespace {

/// As much as is read and unpacked at a time.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

Error damagedMember(const ZipMember& member) {
    return {ErrorCode::Malformed,
            "'" + member.name + "' in it is damaged or cut short; download or copy it again"};
}

/// Takes the next bytes of a file.
using Piece = std::function<Result<void>(std::span<const std::byte>)>;

/// A check sum of what goes by.
class Crc {
public:
    void add(std::span<const std::byte> bytes) {
        value_ = ::crc32_z(value_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    }
    bool is(std::uint32_t expected) const { return value_ == expected; }

private:
    uLong value_ = ::crc32_z(0, nullptr, 0);
};

/// The stored bytes of a member, one piece after the other.
Result<void> forEachPiece(const InputFile& archive, const ZipMember& member,
                          const std::stop_token& stop, const Piece& piece) {
    std::vector<std::byte> buffer;
    return forEachSlab(member.stored_bytes, 1, stop,
                       [&](std::size_t first, std::size_t count) -> Result<void> {
                           buffer.resize(count);
                           const auto read = archive.readAt(member.offset + first, buffer);
                           if (!read || *read < count)
                               return damagedMember(member);
                           return piece(buffer);
                       });
}

/// A deflate stream without a header, as zip archives hold it.
class Inflater {
public:
    Inflater() { ready_ = ::inflateInit2(&stream_, -MAX_WBITS) == Z_OK; }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater() { ::inflateEnd(&stream_); }

    /// Gives what `packed` unpacks to; never more than `most` bytes in all.
    Result<void> add(std::span<const std::byte> packed, std::size_t most, const ZipMember& member,
                     const Piece& piece) {
        std::vector<std::byte> plain(kPieceBytes);
        stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
        stream_.avail_in = static_cast<uInt>(packed.size());
        while (ready_ && !ended_ && (stream_.avail_in > 0 || stream_.avail_out == 0)) {
            stream_.next_out = reinterpret_cast<Bytef*>(plain.data());
            stream_.avail_out = static_cast<uInt>(plain.size());
            const int status = ::inflate(&stream_, Z_NO_FLUSH);
            ended_ = status == Z_STREAM_END;
            const std::size_t count = plain.size() - stream_.avail_out;
            total_ += count;
            if ((status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) ||
                total_ > most)
                return damagedMember(member);
            if (auto taken = piece(std::span(plain).first(count)); !taken)
                return taken;
        }
        return {};
    }
    bool hasEnded() const { return ended_; }
    std::size_t total() const { return total_; }

private:
    z_stream stream_{};
    bool ready_ = false;
    bool ended_ = false;
    std::size_t total_ = 0;
};

/// All bytes of a member as they were before it was packed.
Result<void> unpack(const InputFile& archive, const ZipMember& member, const std::stop_token& stop,
                    const Piece& piece) {
    Crc crc;
    const Piece checked = [&](std::span<const std::byte> bytes) {
        crc.add(bytes);
        return piece(bytes);
    };
    Inflater inflater;
    const Piece inflated = [&](std::span<const std::byte> packed) {
        return inflater.add(packed, member.bytes, member, checked);
    };
    if (auto done = forEachPiece(archive, member, stop, member.deflated ? inflated : checked);
        !done)
        return done;
    const bool whole =
        !member.deflated || (inflater.hasEnded() && inflater.total() == member.bytes);
    return whole && crc.is(member.crc32) ? Result<void>() : damagedMember(member);
}

Result<void> checkSize(const ZipMember& member, std::size_t limit) {
    if (member.bytes > limit)
        return Error{ErrorCode::TooLarge, "'" + member.name + "' in it has " +
                                              byteText(member.bytes) + ", expected at most " +
                                              byteText(limit)};
    if (member.offset == 0)
        return Error{ErrorCode::Unsupported,
                     "'" + member.name +
                         "' in it is encrypted or packed in a way other than "
                         "deflate; unpack it and open the weight file inside"};
    return {};
}

} // namespace

Result<InputFile> openMember(const InputFile& archive, const ZipMember& member, std::size_t limit,
                             const std::stop_token& stop) {
    if (auto fits = checkSize(member, limit); !fits)
        return fits.error();
    if (member.deflated)
        return InputFile::inMemory(archive.path(), [&](const InputFile::Append& append) {
            return unpack(archive, member, stop, append);
        });
    const Piece nothing = [](std::span<const std::byte>) { return Result<void>(); };
    if (auto checked = unpack(archive, member, stop, nothing); !checked)
        return checked.error();
    return archive.part(member.offset, member.bytes);
}

Result<std::string> readMember(const InputFile& archive, const ZipMember& member,
                               std::size_t limit) {
    if (auto fits = checkSize(member, limit); !fits)
        return fits.error();
    std::string text;
    auto done = unpack(archive, member, {}, [&](std::span<const std::byte> bytes) -> Result<void> {
        text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return {};
    });
    if (!done)
        return done.error();
    return text;
}

namespace {

constexpr const char* kWeights = "model.weights.h5";
constexpr const char* kConfig = "config.json";

/// What a zip archive without Keras weights is.
std::string refusal(const ZipDescription& archive, const std::filesystem::path& path) {
    const auto holds = [&](std::string_view ending) {
        return std::ranges::any_of(archive.members, [&](const ZipMember& member) {
            return member.name.ends_with(ending);
        });
    };
    if (holds("data.pkl"))
        return pickleRefusal(path);
    if (holds(".npy"))
        return "it is a NumPy archive (.npz), whose arrays are not read; save them in Python: "
               "import numpy, safetensors.numpy as s; s.save_file(dict(numpy.load('" +
               path.filename().string() + "')), 'model.safetensors')";
    return "it is a zip archive and no Keras model (it holds no model.weights.h5); unpack it and "
           "open the weight file inside";
}

/// Null where there is none; fails where there are two.
Result<const ZipMember*> findMember(const ZipDescription& archive, const std::string& name) {
    const auto found = std::ranges::find(archive.members, name, &ZipMember::name);
    if (found == archive.members.end())
        return nullptr;
    if (std::ranges::count(archive.members, name, &ZipMember::name) > 1)
        return Error{ErrorCode::Malformed,
                     "it holds '" + name + "' twice; download or save it again"};
    return &*found;
}

Result<ZipDescription> describe(const InputFile& file, const std::stop_token& stop) {
    auto answer = askReader(file, Parser::Zip, stop);
    if (!answer)
        return answer.error();
    if (const auto* const refusal = std::get_if<Refusal>(&*answer))
        return refusal->reason;
    auto* const archive = std::get_if<ZipDescription>(&*answer);
    if (archive == nullptr)
        return Error{ErrorCode::Malformed, "its reader answers for another kind of file; download "
                                           "or copy it again"};
    if (auto checked = checkArchive(*archive, file.size()); !checked)
        return checked.error();
    return std::move(*archive);
}

/// What is opened of the archive; error messages are reasons.
Result<Hdf5Input> takeApart(InputFile file, const ZipDescription& archive, std::size_t byte_budget,
                            const std::stop_token& stop) {
    const auto weights = findMember(archive, kWeights);
    if (!weights)
        return weights.error();
    if (*weights == nullptr)
        return Error{ErrorCode::Unsupported, refusal(archive, file.path())};
    const auto config = findMember(archive, kConfig);
    if (!config)
        return config.error();
    Texts texts;
    if (*config != nullptr) {
        auto text = readMember(file, **config, kMaxTextBytes);
        if (!text)
            return text.error();
        texts.emplace("config", *std::move(text));
    }
    auto bytes = openMember(file, **weights, byte_budget, stop);
    if (!bytes)
        return bytes.error();
    return Hdf5Input{*std::move(bytes), std::move(file), std::move(texts)};
}

} // namespace

Result<std::unique_ptr<TensorSource>> openKerasArchive(InputFile archive, std::size_t byte_budget,
                                                       const std::stop_token& stop) {
    const std::filesystem::path path = archive.path();
    const auto description = describe(archive, stop);
    if (!description)
        return cannotOpen(description.error().code, path, description.error().message);
    auto input = takeApart(std::move(archive), *description, byte_budget, stop);
    if (!input)
        return cannotOpen(input.error().code, path, input.error().message);
    return openHdf5Source(*std::move(input), byte_budget, stop);
}

} // namespace headscope
