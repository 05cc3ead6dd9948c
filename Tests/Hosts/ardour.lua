-- Puts a recording on a stereo track of a new Ardour session, with the plugin before its fader, and saves two
-- snapshots: "active" and "bypassed". From the environment: SESSION (folder to make), RECORDING (FLAC), KIND
-- (VST3 or LV2), PLUGIN (name or URI).
local folder, recording = os.getenv("SESSION"), os.getenv("RECORDING")
local kind, plugin = os.getenv("KIND"), os.getenv("PLUGIN")

-- From the STREAMINFO block, the first of a FLAC file.
local function flacProperties(name)
    local file = assert(io.open(name, "rb"))
    local header = file:read(42)
    file:close()
    assert(header:sub(1, 4) == "fLaC", name .. " is no FLAC file")
    local packed = string.unpack(">I8", header, 19) -- rate 20 bits, channels - 1 3, bits - 1 5, frames 36
    return packed >> 44, ((packed >> 41) & 7) + 1, packed & ((1 << 36) - 1)
end

local function readAll(name)
    local file = assert(io.open(name, "r"))
    local text = file:read("a")
    file:close()
    return text
end

local function writeAll(name, text)
    local file = assert(io.open(name, "w"))
    file:write(text)
    file:close()
end

-- Without its editor Ardour has no command to import a file: source and region are written into the session.
local function addRecording(session, name, rate, channels, frames)
    local length = frames * 282240000 // rate -- superclock ticks
    local sources, references = "", ""
    for channel = 0, channels - 1 do
        local id = 9000 + channel
        sources = sources .. string.format(
            '<Source name="%s" type="audio" flags="" id="%d" channel="%d" origin="%s" gain="1"/>', name, id, channel,
            name)
        references = references .. string.format(' source-%d="%d" master-source-%d="%d"', channel, id, channel, id)
    end
    local region = string.format(
        '<Region name="recording" muted="0" opaque="1" locked="0" automatic="0" whole-file="0" import="0" ' ..
            'external="0" hidden="0" start="a0" length="a%d@a0" sync-position="a0" stretch="1" shift="1" ' ..
            'layering-index="0" envelope-active="0" default-fade-in="0" default-fade-out="0" fade-in-active="0" ' ..
            'fade-out-active="0" scale-amplitude="1" id="9100" type="audio" channels="%d"%s/>',
        length, channels, references)
    local location = string.format(
        '<Locations><Location id="9200" name="session" start="a0" end="a%d" flags="IsSessionRange" locked="0"/>' ..
            '</Locations>', length)
    local text = readAll(session)
    text = text:gsub("<Sources/>", "<Sources>" .. sources .. "</Sources>", 1)
    text = text:gsub("<Locations/>", location, 1)
    local count
    text, count = text:gsub('(<Playlist [^>]*name="Track"[^>]*)/>', "%1>" .. region .. "</Playlist>", 1)
    assert(count == 1, "the session has no playlist for the track")
    writeAll(session, (text:gsub('id%-counter="%d+"', 'id-counter="10000"', 1)))
end

local rate, channels, frames = flacProperties(recording)
AudioEngine:set_backend("None (Dummy)", "", "")
local session = assert(create_session(folder, "host", rate), "Ardour made no session")
session:new_audio_track(channels, 2, nil, 1, "Track", ARDOUR.PresentationInfo.max_order, ARDOUR.TrackMode.Normal)
ARDOUR.LuaAPI.usleep(1000000) -- a thread of Ardour's own connects the track to the master bus
session:save_state("")
close_session()

local audio = folder .. "/interchange/" .. folder:match("[^/]+$") .. "/audiofiles/recording.flac"
assert(os.execute(string.format("cp '%s' '%s'", recording, audio)))
addRecording(folder .. "/host.ardour", "recording.flac", rate, channels, frames)

session = assert(load_session(folder, "host"), "Ardour cannot load the session")
ARDOUR.LuaAPI.list_plugins() -- scans
local type = kind == "LV2" and ARDOUR.PluginType.LV2 or ARDOUR.PluginType.VST3
local processor = ARDOUR.LuaAPI.new_plugin(session, plugin, type, "")
assert(not processor:isnil(), "Ardour does not know the plugin " .. plugin)
assert(session:route_by_name("Track"):add_processor_by_index(processor, 0, nil, true) == 0)
processor:activate()
session:save_state("active")
processor:deactivate()
session:save_state("bypassed")
close_session()
quit()
