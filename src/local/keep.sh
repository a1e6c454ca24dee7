# Runs a server for as long as the program that started us lives, and hardly longer.
#
# usage: sh -c "$this" keep SIGNAL program [argument...]
#
# The program that starts us holds the other end of our standard input. When it closes that end, or ends in whatever way,
# SIGKILL included, we read end-of-file and send SIGNAL to the server: INT asks PostgreSQL for a fast shutdown, TERM is
# what Redis wants. We end when the server has ended, with its status. POSIX sh: dash, bash and busybox will do.
signal=$1
shift

exec 3<&0
"$@" </dev/null 3<&- &
server=$!
trap 'kill -s "$signal" "$server" 2>/dev/null' HUP INT TERM

(
    # The log stays open, and so locked, only in those who belong to the server.
    exec >/dev/null 2>&1
    while read -r _ <&3; do :; done
    # More than once: a signal that arrives before the server can handle it is lost. In the end, without asking.
    tries=0
    while kill -s "$signal" "$server"; do
        tries=$((tries + 1))
        [ "$tries" -lt 30 ] || signal=KILL
        sleep 1
    done
) &
watcher=$!

# `wait` also returns when a signal arrives for us.
wait "$server"
status=$?
while kill -s 0 "$server" 2>/dev/null; do
    wait "$server"
    status=$?
done
kill "$watcher" 2>/dev/null
exit "$status"
