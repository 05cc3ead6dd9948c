#include "Plugin/Window/SystemScale.h"

#include <juce_core/juce_core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#if JUCE_LINUX || JUCE_BSD
#include <xcb/xcb.h>
#endif

namespace earshot::plugin {

namespace {

// Reads settings in the order of bytes that they name; past the end it is over.
class SettingsReader {
  public:
    explicit SettingsReader(std::span<const std::uint8_t> bytes)
        : bytes_(bytes)
        , bigEndian_(!bytes.empty() && bytes[0] == 1) {}

    bool over() const { return over_; }
    void skip(std::size_t count) { take(count); }
    void skipPadding(std::size_t length) { skip((4 - length % 4) % 4); }

    std::uint32_t number(std::size_t size) {
        const auto bytes = take(size);
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i)
            value = value << 8 | bytes[bigEndian_ ? i : bytes.size() - 1 - i];
        return value;
    }

    std::string_view text(std::size_t length) {
        const auto bytes = take(length);
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

  private:
    std::span<const std::uint8_t> take(std::size_t count) {
        over_ = over_ || count > bytes_.size();
        const auto taken = bytes_.first(over_ ? 0 : count);
        bytes_ = bytes_.subspan(taken.size());
        return taken;
    }

    std::span<const std::uint8_t> bytes_;
    bool bigEndian_;
    bool over_ = false;
};

} // namespace

std::optional<int> windowScalingFactor(std::span<const std::uint8_t> settings) {
    enum : std::uint32_t { integer, text, colour };
    SettingsReader reader(settings);
    reader.skip(8); // order of bytes, serial
    const std::uint32_t count = reader.number(4);
    for (std::uint32_t i = 0; i < count && !reader.over(); ++i) {
        const std::uint32_t type = reader.number(1);
        reader.skip(1);
        const std::uint32_t length = reader.number(2);
        const auto name = reader.text(length);
        reader.skipPadding(length);
        reader.skip(4); // serial
        if (type == integer) {
            const auto value = static_cast<std::int32_t>(reader.number(4));
            if (name == "Gdk/WindowScalingFactor" && !reader.over()) return value;
        } else if (type == text) {
            const std::uint32_t size = reader.number(4);
            reader.skip(size);
            reader.skipPadding(size);
        } else if (type == colour) {
            reader.skip(8);
        } else {
            break;
        }
    }
    return std::nullopt;
}

#if JUCE_LINUX || JUCE_BSD

namespace {

struct Free {
    void operator()(void* reply) const { std::free(reply); } // NOLINT(cppcoreguidelines-no-malloc): XCB's
};
template <typename Reply>
using Replied = std::unique_ptr<Reply, Free>;

// XCB, of which libX11 consists; found at run time, as JUCE finds libX11.
struct Xcb {
    juce::DynamicLibrary library{"libxcb.so.1"};
    template <typename Function>
    Function* find(const char* name) {
        return reinterpret_cast<Function*>(library.getFunction(name));
    }
    decltype(::xcb_connect)* connect = find<decltype(::xcb_connect)>("xcb_connect");
    decltype(::xcb_connection_has_error)* connectionHasError =
        find<decltype(::xcb_connection_has_error)>("xcb_connection_has_error");
    decltype(::xcb_disconnect)* disconnect = find<decltype(::xcb_disconnect)>("xcb_disconnect");
    decltype(::xcb_intern_atom)* internAtom = find<decltype(::xcb_intern_atom)>("xcb_intern_atom");
    decltype(::xcb_intern_atom_reply)* internAtomReply =
        find<decltype(::xcb_intern_atom_reply)>("xcb_intern_atom_reply");
    decltype(::xcb_get_selection_owner)* getSelectionOwner =
        find<decltype(::xcb_get_selection_owner)>("xcb_get_selection_owner");
    decltype(::xcb_get_selection_owner_reply)* getSelectionOwnerReply =
        find<decltype(::xcb_get_selection_owner_reply)>("xcb_get_selection_owner_reply");
    decltype(::xcb_get_property)* getProperty = find<decltype(::xcb_get_property)>("xcb_get_property");
    decltype(::xcb_get_property_reply)* getPropertyReply =
        find<decltype(::xcb_get_property_reply)>("xcb_get_property_reply");
    decltype(::xcb_get_property_value)* getPropertyValue =
        find<decltype(::xcb_get_property_value)>("xcb_get_property_value");
    decltype(::xcb_get_property_value_length)* getPropertyValueLength =
        find<decltype(::xcb_get_property_value_length)>("xcb_get_property_value_length");
    decltype(::xcb_get_geometry)* getGeometry = find<decltype(::xcb_get_geometry)>("xcb_get_geometry");
    decltype(::xcb_get_geometry_reply)* getGeometryReply =
        find<decltype(::xcb_get_geometry_reply)>("xcb_get_geometry_reply");
    decltype(::xcb_configure_window)* configureWindow =
        find<decltype(::xcb_configure_window)>("xcb_configure_window");
    decltype(::xcb_flush)* flush = find<decltype(::xcb_flush)>("xcb_flush");
    bool found() const {
        return connect && connectionHasError && disconnect && internAtom && internAtomReply &&
               getSelectionOwner && getSelectionOwnerReply && getProperty && getPropertyReply &&
               getPropertyValue && getPropertyValueLength && getGeometry && getGeometryReply &&
               configureWindow && flush;
    }
};

} // namespace

struct Desktop::Impl {
    Impl() {
        if (!xcb.found()) return;
        connection = xcb.connect(nullptr, &screen);
        if (xcb.connectionHasError(connection) == 0) return;
        xcb.disconnect(connection);
        connection = nullptr;
    }
    ~Impl() {
        if (connection != nullptr) xcb.disconnect(connection);
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    xcb_atom_t atom(const juce::String& name) const {
        const auto asked = xcb.internAtom(connection, 0, static_cast<std::uint16_t>(name.getNumBytesAsUTF8()),
                                          name.toRawUTF8());
        const Replied<xcb_intern_atom_reply_t> reply(xcb.internAtomReply(connection, asked, nullptr));
        return reply ? reply->atom : 0;
    }

    std::optional<int> scalingFactor() const {
        constexpr std::uint32_t maxWords = 1 << 16; // of 4 bytes
        if (connection == nullptr) return std::nullopt;
        const auto asked = xcb.getSelectionOwner(connection, atom("_XSETTINGS_S" + juce::String(screen)));
        const Replied<xcb_get_selection_owner_reply_t> owner(
            xcb.getSelectionOwnerReply(connection, asked, nullptr));
        if (!owner || owner->owner == 0) return std::nullopt;
        const auto name = atom("_XSETTINGS_SETTINGS");
        const auto property = xcb.getProperty(connection, 0, owner->owner, name, name, 0, maxWords);
        const Replied<xcb_get_property_reply_t> reply(xcb.getPropertyReply(connection, property, nullptr));
        if (!reply) return std::nullopt;
        const auto* bytes = static_cast<const std::uint8_t*>(xcb.getPropertyValue(reply.get()));
        const int length = xcb.getPropertyValueLength(reply.get());
        return windowScalingFactor({bytes, static_cast<std::size_t>(std::max(0, length))});
    }

    Xcb xcb;
    int screen = 0;
    xcb_connection_t* connection = nullptr; // null: there is no X server
};

std::optional<Desktop::Size> Desktop::sizeOf(std::uint32_t window) const {
    if (impl_->connection == nullptr) return std::nullopt;
    const auto& xcb = impl_->xcb;
    const auto asked = xcb.getGeometry(impl_->connection, window);
    const Replied<xcb_get_geometry_reply_t> reply(xcb.getGeometryReply(impl_->connection, asked, nullptr));
    if (!reply) return std::nullopt;
    return Size{reply->width, reply->height};
}

void Desktop::resize(std::uint32_t window, Size size) const {
    if (impl_->connection == nullptr) return;
    const std::array values{static_cast<std::uint32_t>(size.width), static_cast<std::uint32_t>(size.height)};
    impl_->xcb.configureWindow(impl_->connection, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT,
                               values.data());
    impl_->xcb.flush(impl_->connection);
}

#else

struct Desktop::Impl {
    static std::optional<int> scalingFactor() { return std::nullopt; }
};
std::optional<Desktop::Size> Desktop::sizeOf(std::uint32_t) const { return std::nullopt; }
void Desktop::resize(std::uint32_t, Size) const {}

#endif

Desktop::Desktop()
    : impl_(std::make_unique<Impl>()) {}
Desktop::~Desktop() = default;

int Desktop::scale() const { return std::clamp(impl_->scalingFactor().value_or(1), 1, maxScale); }

} // namespace earshot::plugin
