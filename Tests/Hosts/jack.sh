# A JACK server of the test's own, without a sound card, and a player that feeds a client. Sourced after common.sh.
export JACK_DEFAULT_SERVER=earshot-$$ JACK_NO_AUDIO_RESERVATION=1

start_jack() {
    need jackd jack_lsp ecasound
    jackd --no-realtime --name "$JACK_DEFAULT_SERVER" -d dummy -r 48000 -p 256 -C 2 -P 2 >"$folder/jackd.log" 2>&1 &
    jack_server=$!
    until_true 10 jack_lsp || fail "JACK did not start" "$folder/jackd.log"
}

has_port() { jack_lsp | grep -q "^$1"; }

# play RECORDING SECONDS CLIENT: the recording's first seconds into the client's inputs, at the speed of sound.
play() {
    bounded $(($2 + 20)) ecasound -q -i "$1" -t:"$2" -o jack,"$3" -G:jack,player,notransport </dev/null \
        >"$folder/player.log" 2>&1 || fail "the player failed" "$folder/player.log"
}
