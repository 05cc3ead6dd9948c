#include "Core/Model/Reading/ZipArchive.h"

#include "Core/Base/Error.h"
#include "Core/Base/Platform/Files.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <unordered_map>

namespace earshot::model {

namespace {

struct CloseArchive {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
    void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};

} // namespace

struct ZipArchive::Impl {
    std::string file; // for messages
    std::uint64_t fileBytes = 0;
    std::unique_ptr<zip_t, CloseArchive> archive;
    std::vector<std::string> names;
    std::unordered_map<std::string, zip_uint64_t> indices;

    [[noreturn]] void fail(const std::string& entry, std::string_view what) const {
        throw Error(fmt::format("{}: {}: {}", file, printable(entry), what));
    }

    zip_uint64_t index(const std::string& entry) const {
        const auto found = indices.find(entry);
        if (found == indices.end()) fail(entry, "is missing from the archive; download the file again");
        return found->second;
    }
};

namespace {

// An open entry, read from its beginning on.
class Entry {
  public:
    template <typename Archive>
    Entry(const Archive& archive, const std::string& name)
        : fail_([&archive, &name](const char* what) { archive.fail(name, what); })
        , file_(zip_fopen_index(archive.archive.get(), archive.index(name), 0)) {
        if (!file_) fail_("cannot be opened; check its disk, or download it again");
    }

    void read(std::span<std::byte> destination) {
        while (!destination.empty()) {
            const auto bytes = next(destination);
            if (bytes == 0) fail_("is damaged; download the file again");
            destination = destination.subspan(bytes);
        }
    }
    void drop(std::uint64_t count) {
        while (count > 0) {
            const auto bytes =
                next(std::span(dropped_).first(std::min<std::uint64_t>(count, dropped_.size())));
            if (bytes == 0) fail_("is damaged; download the file again");
            count -= bytes;
        }
    }
    // A packed entry cannot jump.
    void moveTo(std::uint64_t position) {
        assert(position >= position_);
        if (zip_fseek(file_.get(), static_cast<zip_int64_t>(position), SEEK_SET) == 0)
            position_ = position;
        else
            drop(position - position_);
    }
    void readToEnd() {
        while (next(dropped_) > 0) {
        }
    }

  private:
    // Returns the number of bytes read; 0 at the end, where libzip compares the checksum.
    std::size_t next(std::span<std::byte> into) {
        const auto bytes = zip_fread(file_.get(), into.data(), into.size());
        if (bytes < 0) fail_("is damaged; download the file again");
        position_ += static_cast<std::uint64_t>(bytes);
        return static_cast<std::size_t>(bytes);
    }

    std::function<void(const char*)> fail_;
    std::unique_ptr<zip_file_t, CloseEntry> file_;
    std::uint64_t position_ = 0;
    std::array<std::byte, 1 << 16> dropped_;
};

} // namespace

ZipArchive::ZipArchive(const RegularFile& file)
    : impl_(std::make_unique<Impl>()) {
    impl_->file = displayName(file.path());
    impl_->fileBytes = file.size();
    auto own = platform::duplicate(file.descriptor());
    if (!own.isOpen())
        throw Error(
            fmt::format("{}: cannot be opened ({}); close other files", impl_->file, std::strerror(errno)));
    int code = 0;
    impl_->archive.reset(zip_fdopen(own.number(), 0, &code));
    if (!impl_->archive)
        throw Error(fmt::format(
            "{}: is not a complete zip archive: it is cut short or damaged; download it again", impl_->file));
    own.release(); // the archive owns it

    const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(impl_->archive.get(), 0));
    for (zip_uint64_t i = 0; i < count; ++i) {
        // Raw: PyTorch's names are compared byte by byte.
        const char* entry = zip_get_name(impl_->archive.get(), i, ZIP_FL_ENC_RAW);
        if (entry != nullptr && impl_->indices.emplace(entry, i).second) impl_->names.emplace_back(entry);
    }
}

ZipArchive::~ZipArchive() = default;

const std::vector<std::string>& ZipArchive::names() const { return impl_->names; }

bool ZipArchive::contains(const std::string& name) const { return impl_->indices.count(name) != 0; }

std::uint64_t ZipArchive::size(const std::string& name) const {
    zip_stat_t entry;
    zip_stat_init(&entry);
    constexpr zip_uint64_t needed =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(impl_->archive.get(), impl_->index(name), 0, &entry) != 0 ||
        (entry.valid & needed) != needed)
        impl_->fail(name, "cannot be read; check its disk");
    if (entry.encryption_method != ZIP_EM_NONE)
        impl_->fail(name, "is encrypted; save the file without a password");

    // A header can claim any size. Only a size that the packed bytes can unpack to is accepted.
    constexpr zip_uint64_t maxDeflateRatio = 1032;
    if (entry.comp_size > impl_->fileBytes)
        impl_->fail(name, "is larger than the archive; download the file again");
    const bool possible = entry.comp_method == ZIP_CM_STORE ? entry.size == entry.comp_size
                          : entry.comp_method == ZIP_CM_DEFLATE
                              ? entry.size / maxDeflateRatio <= entry.comp_size
                              : false;
    if (!possible) impl_->fail(name, "is packed in a way that PyTorch does not use");
    return entry.size;
}

void ZipArchive::read(const std::string& name, std::span<std::byte> destination, std::uint64_t from) const {
    Entry entry(*impl_, name);
    entry.drop(from);
    entry.read(destination);
    entry.readToEnd();
}

void ZipArchive::read(const std::string& name, std::span<const ZipPiece> pieces) const {
    Entry entry(*impl_, name);
    for (const ZipPiece& piece : pieces) {
        entry.moveTo(piece.from);
        entry.read(piece.destination);
    }
}

std::string zipLibrary() { return std::string("libzip ") + zip_libzip_version(); }

} // namespace earshot::model
