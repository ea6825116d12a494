import {formatMegabytes} from '../../../containment/containment.ts';
import {formatNumber} from '../../../core/format.ts';
import {proxyPort, relayTools} from '../../egress/relay-script.ts';
import type {SandboxSpec} from '../provider.ts';

/** Where the volume of a sandbox is inside. */
export const volumePath = '/sandbox';
export const workspacePath = `${volumePath}/workspace`;

/** The folder with what the entry says about itself. */
export const statePath = `${volumePath}/state`;

/** A file that is there once the build steps have ended. */
export const builtPath = `${statePath}/built`;

/** The lines of the entry that tell how a sandbox ended. */
export const stoppedLine = '[sandbox] stopped by the server';
export const stepEndPattern = /\[sandbox\] (build step \d+|command) ended with status (\d+)$/;

/**
 * The first process of a container. It runs the steps in order, joins both outputs, so that their lines stay in order, and
 * says what it does. Nothing of a step outlives it. The script is constant; everything else is a positional parameter,
 * which no shell reads as code: a label, whether the workspace goes with the sandbox, whether it has services, the memory, the
 * number of processes, the seconds to shut down, the number of build steps, the port of the proxy of its network as `/proc` has it,
 * and for each step its name, the number of its words, and those. With SANDBOX_BUILT set, build steps aren't run again. The relay
 * to the proxy ends with each step, as all of it does; the next one begins with another.
 */
const script = `exec 2>&1
umask 077
note() { printf '[sandbox] %s\\n' "$*"; }
note "$1"
lasting=$2 services=$3 memory=$4 processes=$5 grace=$6 builds=$7 proxy=$8 built=$SANDBOX_BUILT
unset SANDBOX_BUILT
shift 8
stopping= child= number=0
clean() { if [ "$lasting" = no ]; then cd / && rm -rf ${workspacePath} 2>/dev/null; fi; }
stop() {
	[ -n "$stopping" ] && return
	stopping=yes
	note 'stopped by the server'
	kill -TERM -1 2>/dev/null
	{ sleep "$grace"; kill -KILL -1; } >/dev/null 2>&1 &
}
trap stop TERM INT
count() {
	while read -r key value _; do
		[ "$key" = "$1" ] && printf %s "$value"
	done 2>/dev/null < "$2"
}
memory_kills() { count oom_kill /sys/fs/cgroup/memory.events || count oom_kill /sys/fs/cgroup/memory/memory.oom_control; }
refusals() { count max /sys/fs/cgroup/pids.events || count max /sys/fs/cgroup/pids/pids.events; }
if [ "$services" = yes ]; then
	reach=
	for tool in socat node python3 nc; do command -v "$tool" >/dev/null && reach=yes; done
	[ -n "$reach" ] || { note 'its services cannot be reached: the image has none of socat, node, python3 and nc'; exit 127; }
fi
if [ -n "$proxy" ]; then
	reach=
	for tool in ${relayTools.join(' ')}; do command -v "$tool" >/dev/null && reach=yes; done
	[ -n "$reach" ] || { note 'it reaches no host: the image has none of ${relayTools.join(' and ')}'; proxy=; }
fi
listens() {
	while read -r _ address _ state _; do
		case "$address $state" in *":$proxy 0A") return 0;; esac
	done 2>/dev/null < /proc/net/tcp
	return 1
}
await_proxy() {
	tries=0
	while [ "$number" -gt 1 ] && [ "$tries" -lt 20 ] && listens; do tries=$((tries + 1)); sleep 0.02; done 2>/dev/null
	tries=0
	until listens || [ -n "$stopping" ]; do
		tries=$((tries + 1))
		[ "$tries" -le 150 ] || { note 'the proxy to its hosts does not answer'; return; }
		{ sleep 0.2 || sleep 1; } 2>/dev/null &
		wait $!
	done
}
before=$(memory_kills) refused=$(refusals)
while [ $# -gt 0 ] && [ -z "$stopping" ]; do
	name=$1 count=$2 number=$((number + 1)) words= index=0
	shift 2
	if [ -n "$built" ] && [ "$number" -le "$builds" ]; then shift "$count"; continue; fi
	while [ "$index" -lt "$count" ]; do index=$((index + 1)); words="$words \\"\\\${$index}\\""; done
	if [ "$number" -le "$builds" ]; then
		eval "note \\"build step $number of $builds:\\" $words"
	else
		: > ${builtPath}
	fi
	[ -z "$proxy" ] || await_proxy
	eval "$words &"
	child=$!
	status=
	while [ -z "$status" ] || { [ -n "$stopping" ] && kill -0 "$child" 2>/dev/null; }; do { wait "$child"; } 2>/dev/null; status=$?; done
	kill -KILL -1 2>/dev/null
	after=$(memory_kills)
	[ "$after" = "$before" ] || note "the system killed a process: $memory of memory are used up"
	before=$after after=$(refusals)
	[ "$after" = "$refused" ] || note "the system refused a process: it has as many as it may\${processes:+, $processes}"
	refused=$after
	note "$name ended with status $status"
	shift "$count"
	if [ "$status" != 0 ]; then clean; exit "$status"; fi
done
clean
[ -z "$stopping" ] || exit 143
`;

/** Returns the program of a container and its arguments. `label` says how it is contained. */
export function entryOf(
	{
		build,
		command,
		ports = [],
		workspace,
		network,
	}: Pick<SandboxSpec, 'build' | 'command' | 'ports' | 'workspace' | 'network'>,
	{
		label,
		memoryBytes,
		processes,
		graceSeconds,
	}: {
		readonly label: string;
		readonly memoryBytes: number;
		/** The limit of processes, if it is the sandbox's own. */
		readonly processes?: number;
		readonly graceSeconds: number;
	},
): readonly string[] {
	const steps = [...build, command].flatMap(({name, command: words}) => [name, String(words.length), ...words]);
	return [
		'/bin/sh',
		'-c',
		script,
		'sandbox',
		label,
		workspace === undefined ? 'no' : 'yes',
		ports.length > 0 ? 'yes' : 'no',
		formatMegabytes(memoryBytes),
		processes === undefined ? '' : formatNumber(processes),
		String(graceSeconds),
		String(build.length),
		typeof network === 'object' ? proxyPort.toString(16).toUpperCase().padStart(4, '0') : '',
		...steps,
	];
}

/** Relays standard input and output to a port of the container's loopback, with what the image has. */
export const relayScript = `command -v socat >/dev/null && exec socat - "TCP:127.0.0.1:$1"
command -v node >/dev/null && exec node -e '
const socket = require("net").connect(Number(process.argv[1]), "127.0.0.1");
socket.on("error", () => process.exit(1)).on("close", () => process.exit());
process.stdin.pipe(socket).pipe(process.stdout);' "$1"
command -v python3 >/dev/null && exec python3 -c '
import os, socket, sys, threading
peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
def send():
    while True:
        data = os.read(0, 65536)
        if not data:
            break
        peer.sendall(data)
    peer.shutdown(socket.SHUT_WR)
threading.Thread(target=send, daemon=True).start()
while True:
    data = peer.recv(65536)
    if not data:
        break
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()' "$1"
exec nc 127.0.0.1 "$1"`;
