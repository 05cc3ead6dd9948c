#include "Library/Failure.h"

#include "Core/Base/Stop.h"
#include "Core/Base/Unicode.h"

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

namespace earshot::library {

namespace {

constexpr std::size_t maxMessage = 1024; // bytes

thread_local std::array<char, maxMessage> message{};

void setMessage(std::string_view text) noexcept {
    std::size_t size = std::min(text.size(), maxMessage - 1);
    while (size > 0 && size < text.size() && continuesCharacter(text[size])) --size;
    std::copy_n(text.begin(), size, message.begin());
    message[size] = '\0';
}

earshot_status fail(earshot_status status, std::string_view text) noexcept {
    setMessage(text);
    return status;
}

} // namespace

void require(bool holds, const char* text) {
    if (!holds) throw Failure(EARSHOT_INVALID_ARGUMENT, text);
}

void requireSet(const void* pointer, const char* name) {
    if (pointer == nullptr)
        throw Failure(EARSHOT_INVALID_ARGUMENT, std::string(name) + ": expected a pointer, found null");
}

earshot_status succeeded() noexcept {
    setMessage({});
    return EARSHOT_OK;
}

earshot_status failed() noexcept {
    try {
        throw;
    } catch (const Failure& failure) {
        return fail(failure.status(), failure.what());
    } catch (const Stopped&) {
        return fail(EARSHOT_CANCELLED, "cancelled by the progress function");
    } catch (const Error& error) {
        return fail(EARSHOT_FILE_ERROR, error.what());
    } catch (const std::bad_alloc&) {
        return fail(EARSHOT_OUT_OF_MEMORY, "there is not enough memory");
    } catch (const std::exception& error) {
        return fail(EARSHOT_INTERNAL, error.what());
    } catch (...) {
        return fail(EARSHOT_INTERNAL, "an exception of unknown kind; a progress function must not throw");
    }
}

const char* lastMessage() noexcept { return message.data(); }

} // namespace earshot::library
