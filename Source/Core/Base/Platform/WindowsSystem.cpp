#include "Core/Base/Platform/System.h"
#include "Core/Base/Unicode.h"

#include <cstring>
#include <ctime>
#include <cwchar>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <io.h>
#include <windows.h>
// After windows.h, whose types it uses.
#include <shellapi.h>

// libstdc++ makes a path of narrow text with the C library's mbrtowc, and Windows' C library has no locale
// for UTF-8. The linker's --wrap calls this in its place (Source/Core/CMakeLists.txt), so that narrow text is
// UTF-8 as elsewhere; what is none becomes U+FFFD. A character of four bytes is two units: the last byte
// gives the second, which `state` keeps.
extern "C" std::size_t __wrap_mbrtowc(wchar_t* unit, const char* text, std::size_t bytes,
                                      std::mbstate_t* state) {
    if (*state != 0) {
        *unit = static_cast<wchar_t>(std::exchange(*state, 0));
        return 1;
    }
    std::string_view rest(text, bytes);
    const auto [character, code] = earshot::takeCharacter(rest);
    if (!code) {
        *unit = L'\xfffd';
    } else if (*code < 0x10000) {
        *unit = static_cast<wchar_t>(*code);
    } else {
        *unit = static_cast<wchar_t>(0xd7c0 + (*code >> 10));
        *state = static_cast<int>(0xdc00 + (*code & 0x3ff));
        return character.size() - 1;
    }
    return *unit == 0 ? 0 : character.size();
}

namespace earshot::platform {

namespace {

void (*interruptHandler)() = nullptr;
bool interrupted = false;

BOOL WINAPI onInterrupt(DWORD) {
    if (interrupted) return FALSE; // the second time ends the program
    interrupted = true;
    interruptHandler();
    return TRUE;
}

std::string inUtf8(const wchar_t* text) {
    const int length = static_cast<int>(std::wcslen(text));
    const int bytes = WideCharToMultiByte(CP_UTF8, 0, text, length, nullptr, 0, nullptr, nullptr);
    std::string result(static_cast<std::size_t>(bytes), '\0');
    WideCharToMultiByte(CP_UTF8, 0, text, length, result.data(), bytes, nullptr, nullptr);
    return result;
}

HMODULE ownModule(DWORD flags) {
    HMODULE module = nullptr;
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | flags, reinterpret_cast<LPCWSTR>(&ownModule),
                       &module);
    return module;
}

} // namespace

std::filesystem::path ownBinary() {
    constexpr DWORD longest = 32768; // of any path
    std::wstring name(longest, L'\0');
    name.resize(
        GetModuleFileNameW(ownModule(GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT), name.data(), longest));
    return name;
}

void keepLoaded() noexcept { ownModule(GET_MODULE_HANDLE_EX_FLAG_PIN); }

void* openLibrary(const char* name) noexcept { return LoadLibraryA(name); }

void* functionOf(void* library, const char* name) noexcept {
    return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

bool requestTileRegisters() { return false; }

void yieldToOthers() noexcept { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_LOWEST); }

std::vector<std::string> arguments(int argc, const char* const* argv) {
    int count = 0;
    wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
    if (words == nullptr) return {argv, argv + argc};
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i) texts.push_back(inUtf8(words[i]));
    LocalFree(words);
    return texts;
}

std::optional<std::string> environment(const char* name) {
    const std::wstring wide(name, name + std::strlen(name));
    const wchar_t* const value = _wgetenv(wide.c_str());
    return value != nullptr ? std::optional(inUtf8(value)) : std::nullopt;
}

std::filesystem::path logFolder() {
    const wchar_t* const folder = _wgetenv(L"LOCALAPPDATA");
    return folder != nullptr ? std::filesystem::path(folder) / "Earshot" : std::filesystem::path();
}

std::int64_t processId() { return static_cast<std::int64_t>(GetCurrentProcessId()); }

int localOffsetAt(std::int64_t utc) {
    const auto time = static_cast<__time64_t>(utc);
    std::tm local{};
    return _localtime64_s(&local, &time) == 0 ? static_cast<int>(_mkgmtime64(&local) - time) : 0;
}

bool isTerminal(std::FILE* stream) { return _isatty(_fileno(stream)) != 0; }

void prepareStandardStreams() {
    for (std::FILE* const stream : {stdin, stdout, stderr})
        if (_fileno(stream) >= 0) _setmode(_fileno(stream), _O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
    // The lines of progress use a terminal's own commands.
    for (const DWORD which : {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
        HANDLE console = GetStdHandle(which);
        DWORD mode = 0;
        if (GetConsoleMode(console, &mode) != 0)
            SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    }
}

void catchInterrupts(void (*handler)()) {
    interruptHandler = handler;
    SetConsoleCtrlHandler(onInterrupt, TRUE);
}

} // namespace earshot::platform
