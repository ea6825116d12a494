/** Where programs of a sandbox find the proxy, on their own loopback. */
export const proxyPort = 3128;

/** Bytes of a connection that may be on their way in one direction, and of one frame. */
export const windowBytes = 128 * 1024;
export const maxPayloadBytes = 64 * 1024;

/**
 * The kinds of frames: a connection, its bytes, their end, its break, the number of bytes that were passed on, and a line for the
 * log. Each is a byte for the kind, the number of the connection and the length of what follows, as 32 bits, and that.
 */
export const frameKinds = {open: 1, data: 2, end: 3, break: 4, passed: 5, note: 6, busy: 7} as const;

export const frameHeaderBytes = 9;

/** Writes a line where the first process of the container writes, whose output is the log. */
const logPath = '/proc/1/fd/1';

const inPython = `
import os, socket, struct, sys, threading
port, log, window = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
connections, sending = {}, threading.Lock()
def send(kind, number, payload=b""):
    data = struct.pack(">BII", kind, number, len(payload)) + payload
    with sending:
        while data:
            data = data[os.write(1, data):]
def read(count):
    data = b""
    while len(data) < count:
        part = os.read(0, count - len(data))
        if not part:
            os._exit(0)
        data += part
    return data
class Connection:
    def __init__(self, number, peer):
        self.number, self.peer, self.out, self.queue, self.ends = number, peer, 0, [], 0
        self.change = threading.Condition()
    def begin(self):
        for work in (self.send_on, self.take):
            threading.Thread(target=work, daemon=True).start()
    def close(self):
        with self.change:
            self.ends = 2
            self.queue = [None]
            self.change.notify_all()
        connections.pop(self.number, None)
        try:
            self.peer.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.peer.close()
    def end(self):
        with self.change:
            self.ends += 1
            isOver = self.ends == 2
        if isOver:
            self.close()
    def send_on(self):
        try:
            while True:
                with self.change:
                    self.change.wait_for(lambda: self.out < window or self.ends == 2)
                data = self.peer.recv(65536)
                if not data:
                    break
                with self.change:
                    self.out += len(data)
                send(2, self.number, data)
            send(3, self.number)
            self.end()
        except OSError:
            self.fail()
    def fail(self):
        if connections.get(self.number) is self:
            send(4, self.number)
            self.close()
    def take(self):
        try:
            while True:
                with self.change:
                    self.change.wait_for(lambda: self.queue)
                    data = self.queue.pop(0)
                if data is None:
                    return
                if not data:
                    self.peer.shutdown(socket.SHUT_WR)
                    self.end()
                    return
                self.peer.sendall(data)
                send(5, self.number, struct.pack(">I", len(data)))
        except OSError:
            self.fail()
    def put(self, data):
        with self.change:
            self.queue.append(data)
            self.change.notify_all()
    def passed(self, count):
        with self.change:
            self.out -= count
            self.change.notify_all()
def serve():
    while True:
        kind, number, length = struct.unpack(">BII", read(9))
        payload = read(length)
        if kind == 6:
            try:
                target = os.open(log, os.O_WRONLY | os.O_APPEND)
                os.write(target, payload)
                os.close(target)
            except OSError:
                pass
            continue
        connection = connections.get(number)
        if not connection:
            continue
        if kind == 2:
            connection.put(payload)
        elif kind == 3:
            connection.put(b"")
        elif kind == 4:
            connection.close()
        elif kind == 5:
            connection.passed(struct.unpack(">I", payload)[0])
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
try:
    server.bind(("127.0.0.1", port))
except OSError:
    send(7, 0)
    sys.exit(0)
server.listen(128)
threading.Thread(target=serve, daemon=True).start()
number = 0
while True:
    peer, _ = server.accept()
    number += 1
    connections[number] = Connection(number, peer)
    send(1, number)
    connections[number].begin()
`;

const inNode = `
const fs = require("node:fs"), net = require("node:net");
const [port, log, window] = [Number(process.argv[1]), process.argv[2], Number(process.argv[3])];
const connections = new Map();
let last = 0;
const send = (kind, number, payload = Buffer.alloc(0)) => {
	const header = Buffer.alloc(9);
	header[0] = kind;
	header.writeUInt32BE(number, 1);
	header.writeUInt32BE(payload.length, 5);
	process.stdout.write(Buffer.concat([header, payload]));
};
const server = net.createServer({allowHalfOpen: true}, socket => {
	const number = ++last, connection = {socket, out: 0, isOver: false};
	connections.set(number, connection);
	send(1, number);
	socket.on("data", data => {
		connection.out += data.length;
		if (connection.out >= window) socket.pause();
		send(2, number, data);
	});
	socket.on("end", () => send(3, number));
	socket.on("error", () => socket.destroy());
	socket.on("close", hadError => {
		connections.delete(number);
		if (hadError) send(4, number);
	});
});
const take = (kind, number, payload) => {
	if (kind === 6) {
		try {
			const target = fs.openSync(log, fs.constants.O_WRONLY | fs.constants.O_APPEND);
			fs.writeSync(target, payload);
			fs.closeSync(target);
		} catch {}
		return;
	}
	const connection = connections.get(number);
	if (!connection) return;
	const {socket} = connection;
	if (kind === 2) {
		socket.write(payload, () => {
			const count = Buffer.alloc(4);
			count.writeUInt32BE(payload.length);
			if (connections.has(number)) send(5, number, count);
		});
	} else if (kind === 3) socket.end();
	else if (kind === 4) socket.destroy();
	else if (kind === 5) {
		connection.out -= payload.readUInt32BE();
		if (connection.out < window) socket.resume();
	}
};
let rest = Buffer.alloc(0);
process.stdin.on("data", part => {
	rest = Buffer.concat([rest, part]);
	while (rest.length >= 9 && rest.length >= 9 + rest.readUInt32BE(5)) {
		const end = 9 + rest.readUInt32BE(5);
		take(rest[0], rest.readUInt32BE(1), rest.subarray(9, end));
		rest = rest.subarray(end);
	}
}).on("end", () => process.exit()).on("error", () => process.exit());
process.stdout.on("error", () => process.exit());
server.on("error", () => {
	send(7, 0);
	setTimeout(() => process.exit(), 100);
});
server.listen(port, "127.0.0.1");
`;

/** What an image needs one of, so that its sandboxes reach hosts outside. Python takes less memory. */
export const relayTools: readonly string[] = ['python3', 'node'];

/**
 * Returns the command that accepts connections on the proxy's port inside a sandbox, and passes them on as frames on its output
 * and its input. It ends with its input.
 */
export function relayCommand(port = proxyPort, log = logPath): readonly string[] {
	const script = `command -v python3 >/dev/null && exec python3 -c '${inPython}' "$@"
command -v node >/dev/null && exec node -e '${inNode}' "$@"
exit 127`;
	return ['/bin/sh', '-c', script, 'egress', String(port), log, String(windowBytes)];
}

/** Variables with which programs find the proxy; many read only one of the two spellings. */
export function proxyVariables(): Readonly<Record<string, string>> {
	const url = `http://127.0.0.1:${proxyPort}`;
	const own = 'localhost,127.0.0.1,::1';
	const upper = {HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: own};
	const lower = Object.entries(upper).map(([name, value]) => [name.toLowerCase(), value] as const);
	// With it, Node’s own fetch reads them, too, from version 22.21 on.
	return {...upper, ...Object.fromEntries(lower), NODE_USE_ENV_PROXY: '1'};
}
