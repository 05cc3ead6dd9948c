#include "Core/Model/ZipArchive.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"

#include <fmt/format.h>
#include <zip.h>

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

ZipArchive::ZipArchive(const std::filesystem::path& file)
    : impl_(std::make_unique<Impl>()) {
    impl_->file = displayName(file);
    std::error_code failure;
    impl_->fileBytes = std::filesystem::file_size(file, failure);
    const auto utf8 = file.u8string(); // what libzip takes on every system
    int code = 0;
    if (!failure)
        impl_->archive.reset(zip_open(reinterpret_cast<const char*>(utf8.c_str()), ZIP_RDONLY, &code));
    if (!impl_->archive)
        throw Error(fmt::format(
            "{}: is not a complete zip archive: it is cut short or damaged, download it again", impl_->file));

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
        impl_->fail(name, "cannot be read");
    if (entry.encryption_method != ZIP_EM_NONE)
        impl_->fail(name, "is encrypted; save the file without a password");

    // A header can claim any size: believe no more than the bytes that are there can unpack to.
    constexpr zip_uint64_t largestDeflateRatio = 1032;
    if (entry.comp_size > impl_->fileBytes)
        impl_->fail(name, "is larger than the archive; download the file again");
    const bool possible = entry.comp_method == ZIP_CM_STORE ? entry.size == entry.comp_size
                          : entry.comp_method == ZIP_CM_DEFLATE
                              ? entry.size / largestDeflateRatio <= entry.comp_size
                              : false;
    if (!possible) impl_->fail(name, "is packed in a way that PyTorch does not use");
    return entry.size;
}

void ZipArchive::read(const std::string& name, std::span<std::byte> destination) const {
    const std::unique_ptr<zip_file_t, CloseEntry> entry(
        zip_fopen_index(impl_->archive.get(), impl_->index(name), 0));
    if (!entry) impl_->fail(name, "cannot be opened");
    while (!destination.empty()) {
        const auto bytes = zip_fread(entry.get(), destination.data(), destination.size());
        if (bytes <= 0) impl_->fail(name, "is damaged; download the file again");
        destination = destination.subspan(static_cast<std::size_t>(bytes));
    }
    // The checksum is compared when the end is met.
    std::byte beyond{};
    if (zip_fread(entry.get(), &beyond, 1) != 0) impl_->fail(name, "is damaged; download the file again");
}

} // namespace earshot::model
