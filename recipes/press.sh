#!/bin/sh
# Logs from a shell, and loses nothing: with the relay away, or the power gone.
#
#   press.sh GOAL [VALUE [COMMENT]]   keeps a press, and sends all that are kept
#   press.sh                          sends all that are kept
#
# Settings, from the environment or from ~/.config/beemed-press:
#   RELAY_URL=http://RELAY:2336     or two: RELAY_URL='http://RELAY:2336 http://OTHER:2336'
#   RELAY_TOKEN=TOKEN               beemed-relay device add HOST --goals GOAL
#   PRESS_DIR=~/.local/state/beemed-press
#
# A press is a file, named by its id, which goes when the relay has answered 200. The id is the
# second, this process and a random word, so none comes again; a press that is sent twice, because
# its answer was lost, counts once. A press refused for good moves to PRESS_DIR/refused, with
# the reason beside it in a file ending in .why, and the others go on. To send it again, move it back.
# Answers that are not the relay's own, as of a proxy, a router or a hotel's login page, change nothing.
#
# Of two relays the second is asked when the first does not answer or is in trouble; both know the
# device (docs/more-than-one.md), so that a press that reaches both counts once.
#
# As a systemd timer, ~/.config/systemd/user/beemed-press.service and .timer:
#
#   [Service]                                   [Timer]
#   Type=oneshot                                OnCalendar=*:0/5
#   ExecStart=%h/bin/press.sh                   Persistent=true
#                                               [Install]
#                                               WantedBy=timers.target
#
#   systemctl --user enable --now beemed-press.timer
#
# The timer sends what could not be sent; any other unit or script calls `press.sh GOAL`.
set -eu

config="${XDG_CONFIG_HOME:-$HOME/.config}/beemed-press"
# An editor may have saved it with CRLF, and a CR at the end of a token would make it another one.
[ ! -f "$config" ] || eval "$(tr -d '\r' <"$config")"
: "${RELAY_URL:?set it, as in http://192.168.1.20:2336}" "${RELAY_TOKEN:?set it to the token of the device}"
waiting="${PRESS_DIR:-${XDG_STATE_HOME:-$HOME/.local/state}/beemed-press}"
umask 077
mkdir -p "$waiting/new"

# Text as it stands between the quotes of JSON, which may hold no control character: each becomes a
# blank.
quoted() {
    printf '%s' "$1" | tr '\000-\037\177' ' ' | sed 's/[\\"]/\\&/g'
}

# Keeps a press: whole and on the disk, and only then under its name. A value that is given and
# empty, as of a variable that is not set, is no 1: the relay refuses it. Without a value the relay
# logs 1, and refuses it to a goal of readings, such as a weight.
keep() {
    now=$(date +%s)
    id="sh-$now-$$-$(od -An -N4 -tx4 /dev/urandom | tr -d ' ')"
    value=
    [ $# -lt 2 ] || value="\"value\":\"$(quoted "$2")\","
    printf '{"goal":"%s",%s"comment":"%s","id":"%s","timestamp":%s}\n' \
        "$(quoted "$1")" "$value" "$(quoted "${3:-}")" "$id" "$now" \
        >"$waiting/new/$id"
    sync "$waiting/new/$id" 2>/dev/null || sync
    mv "$waiting/new/$id" "$waiting/$id"
    sync "$waiting" 2>/dev/null || sync
}

# Sends one press to the first relay that takes or refuses it. 0: taken. 1: again later. 2: refused
# for good.
send() {
    result=1
    for url in $RELAY_URL; do
        result=0
        send_to "$url" "$1" || result=$?
        [ $result = 1 ] || break
    done
    return $result
}

# Whether the answer has these characters.
says() {
    grep -qF "$1" "$answer" 2>/dev/null
}

# The token stands in a file, since everybody on this machine can read the arguments of a program.
# The press is opened here: curl would send nothing in place of a file that another run has removed.
send_to() {
    answer="$waiting/new/answer.$$"
    rm -f "$answer"
    printf 'header = "Authorization: Bearer %s"\n' "$RELAY_TOKEN" >"$waiting/new/token.$$"
    status=$(curl --silent --show-error --noproxy '*' --max-time 10 --output "$answer" --write-out '%{http_code}' \
        --config "$waiting/new/token.$$" --data-binary @- "${1%/}/log" <"$2") || status=000
    result=1  # No answer, the relay is in trouble, or something else answers at this address.
    case $status in
        200) if says '"ok":true'; then result=0; fi ;;
        # A wrong token, too slow, not yet, a wrong address, too often: the next ones would hear the
        # same, until a person has mended it or time has passed.
        401 | 408 | 421 | 425 | 429) ;;
        # Not the relay's word for a goal that does not exist: the address is wrong.
        404) if says '"code":"unknown_goal"'; then result=2; fi ;;
        # The relay names the reason. Without that it may be a proxy's 403.
        4??) if says '"code":"'; then result=2; fi ;;
    esac
    if [ $result != 0 ] && [ -f "$answer" ]; then
        echo "$1 has answered $status:" >&2
        head -c 2000 "$answer" >&2
        echo >&2
    fi
    if [ $result = 2 ]; then
        mkdir -p "$waiting/refused"
        mv "$answer" "$waiting/refused/${2##*/}.why" 2>/dev/null || :
    fi
    rm -f "$answer" "$waiting/new/token.$$"
    return $result
}

[ $# -eq 0 ] || keep "$@"

# A single run at a time, where the system has flock: a second one would only send the same. Without it each
# press may be sent twice, and counts once.
exec 9>"$waiting/new/lock"
if command -v flock >/dev/null; then flock 9 || :; fi
failed=0
for press in "$waiting"/sh-*; do
    [ -f "$press" ] || continue
    result=0
    send "$press" || result=$?
    case $result in
        0) rm -f "$press" ;;
        2)  # Kept for a person; the others go on.
            mv "$press" "$waiting/refused/" || :
            failed=65
            ;;
        *)  # Another run may have sent it meanwhile. Otherwise the next ones would meet the same.
            [ -f "$press" ] || continue
            failed=75
            break
            ;;
    esac
done
exit $failed
