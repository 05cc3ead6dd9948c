#include "Failures/CallStack.h"

#include "Failures/Faults.h"
#include "Failures/Store.h"

#include <array>
#include <cstring>
#include <mutex>
#include <span>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

namespace earshot::faults {

namespace {

constexpr std::array<Excluded, 9> excluded = {{
    {"libgomp.", "", false,
     "exceptions may not pass it, so that nothing of ours may fail inside a parallel loop"},
    {"libdnnl.", "", false, "oneDNN: what it does when memory is short is its own"},
    {"libfftw3f.", "", false, "FFTW: its plans and its wisdom"},
    {"libcrypto.", "", false, "OpenSSL reads its configuration, and goes on without"},
    {"libOpenCL.", "", false, "oneDNN looks for devices"},
    {"ld-linux", "", false, "the loader"},
    {"libstdc++.", "directory_iterator", true,
     "it asks for memory in a function that may not throw, and ends the program (GCC 12)"},
    {"", "json_value7destroy", true,
     "nlohmann::json's destructor asks for memory, and ends the program where there is none"},
    {"", "basic_jsonI", true, "nlohmann::json's constructors lose what they hold when memory is short"},
}};

constexpr std::array<Excluded, 1> fatal = {{
    {"", "parseConfigMetadata", true, "it holds nlohmann::json's destructor"},
}};

std::mutex looking;                               // of what follows
Store<std::uint64_t, std::size_t{1} << 16> codes; // addresses whose library is known
Store<std::uint8_t, std::size_t{1} << 16> codeExcluded;

constinit thread_local std::uintptr_t outside = 0; // where on the stack what calls the scenario begins

std::uint64_t mixed(std::uint64_t value) {
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdu;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53u;
    return value ^ value >> 33;
}

// The name of a function of this program, from its symbol table: dladdr() knows those that are exported.
class OwnNames {
  public:
    const char* find(std::uint64_t address) {
        if (!read_) read();
        for (const auto* symbol = first_; symbol != end_; ++symbol)
            if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && address >= base_ + symbol->st_value &&
                address < base_ + symbol->st_value + symbol->st_size)
                return names_ + symbol->st_name;
        return "";
    }

  private:
    void read() {
        read_ = true;
        ::dl_iterate_phdr(
            [](dl_phdr_info* info, std::size_t, void* base) {
                *static_cast<std::uint64_t*>(base) = info->dlpi_addr;
                return 1; // this program comes first
            },
            &base_);
        const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        struct stat status {};
        if (file < 0 || ::fstat(file, &status) != 0) return;
        const auto* bytes = static_cast<const char*>(
            ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0));
        ::close(file);
        if (bytes == MAP_FAILED) return;
        const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes);
        const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes + header->e_shoff);
        for (int i = 0; i < header->e_shnum; ++i) {
            if (sections[i].sh_type != SHT_SYMTAB) continue;
            first_ = reinterpret_cast<const Elf64_Sym*>(bytes + sections[i].sh_offset);
            end_ = first_ + sections[i].sh_size / sizeof(Elf64_Sym);
            names_ = bytes + sections[sections[i].sh_link].sh_offset;
        }
    }

    bool read_ = false;
    std::uint64_t base_ = 0;
    const Elf64_Sym* first_ = nullptr;
    const Elf64_Sym* end_ = nullptr;
    const char* names_ = nullptr;
};
OwnNames ownNames;

// Which of its calls are left alone.
std::uint8_t excludedOf(void* address) {
    const auto key = reinterpret_cast<std::uint64_t>(address);
    std::size_t slot = mixed(key) % codes.capacity;
    while (codes[slot] != 0 && codes[slot] != key) slot = (slot + 1) % codes.capacity;
    if (codes[slot] == key) return codeExcluded[slot];
    std::uint8_t found = 0;
    Dl_info info{};
    if (::dladdr(address, &info) != 0 && info.dli_fname != nullptr) {
        const char* slash = std::strrchr(info.dli_fname, '/');
        const char* file = slash == nullptr ? info.dli_fname : slash + 1;
        const bool own = std::strncmp(file, "earshot_", 8) == 0;
        const char* function = own ? ownNames.find(key - 1) : info.dli_sname == nullptr ? "" : info.dli_sname;
        for (const Excluded& each : excluded) {
            const bool here =
                each.object[0] == '\0' ? own : std::strncmp(file, each.object, std::strlen(each.object)) == 0;
            if (here && std::strstr(function, each.function) != nullptr)
                found |= each.memoryOnly ? excludedMemory : excludedMemory | excludedFiles;
        }
    }
    codes[slot] = key;
    codeExcluded[slot] = found;
    return found;
}

_Unwind_Reason_Code addFrame(_Unwind_Context* context, void* to) {
    auto& frames = *static_cast<Frames*>(to);
    auto* address = reinterpret_cast<void*>(_Unwind_GetIP(context)); // NOLINT: the unwinder's own type
    if (address == nullptr || frames.count == frames.addresses.size()) return _URC_END_OF_STACK;
    if (outside != 0 && _Unwind_GetCFA(context) > outside) return _URC_END_OF_STACK;
    frames.addresses[frames.count++] = address;
    return _URC_NO_REASON;
}

} // namespace

void takeStack(Frames& frames) {
    frames.count = 0;
    _Unwind_Backtrace(addFrame, &frames);
    frames.hash = 0x9e3779b97f4a7c15u;
    frames.excluded = 0;
    const std::lock_guard lock(looking);
    // The first frames are the harness's own.
    for (std::size_t i = 1; i < frames.count; ++i) {
        frames.hash = mixed(frames.hash ^ reinterpret_cast<std::uint64_t>(frames.addresses[i]));
        frames.excluded |= excludedOf(frames.addresses[i]);
    }
    if (frames.hash == 0) frames.hash = 1;
}

void beginStackAt(const void* place) { outside = reinterpret_cast<std::uintptr_t>(place); }

std::span<const Excluded> excludedCalls() { return excluded; }
std::span<const Excluded> fatalCalls() { return fatal; }

const char* functionAt(const void* address) {
    return ownNames.find(reinterpret_cast<std::uint64_t>(address) - 1);
}

} // namespace earshot::faults
