import {isIP} from 'node:net';
import {Transform} from 'node:stream';

/** The content type of a record of TLS with a handshake, and the type of the first one (RFC 8446, sections 5.1 and 4). */
const handshakeRecord = 0x16;
const clientHello = 1;

/** The extension that names the server, and the type of a host name in it (RFC 6066, section 3). */
const serverNameExtension = 0;
const hostName = 0;

/** No program sends a longer ClientHello. */
const maxHelloBytes = 64 * 1024;

/** What the first bytes of a connection say: more are needed, it isn't TLS, it can't be read, or the names that it asks for. */
type Opening = 'more' | 'other' | 'invalid' | {readonly names: readonly string[]};

/** Reads numbers and parts one after the other. Throws RangeError at the end. */
function createReader(bytes: Buffer) {
	let at = 0;
	const number = (length: number) => {
		const value = bytes.readUIntBE(at, length);
		at += length;
		return value;
	};
	return {
		number,
		/** A part behind its length, which is a number of so many bytes. */
		part(lengthBytes: number): Buffer {
			const length = number(lengthBytes);
			if (at + length > bytes.length) {
				throw new RangeError('It ends in a part.');
			}

			at += length;
			return bytes.subarray(at - length, at);
		},
		skip(length: number) {
			at += length;
		},
		hasMore: () => at < bytes.length,
	};
}

/** Reads the names of the server that a client asks for in its first bytes (RFC 6066, section 3). */
export function readOpening(bytes: Buffer): Opening {
	if (bytes.length === 0) {
		return 'more';
	}

	if (bytes[0] !== handshakeRecord) {
		return 'other';
	}

	// A ClientHello may be spread over records.
	const parts: Buffer[] = [];
	let length = 0;
	for (let at = 0; at < bytes.length; ) {
		if (bytes[at] !== handshakeRecord) {
			return 'invalid';
		}

		if (bytes.length < at + 5) {
			break;
		}

		const part = bytes.subarray(at + 5, at + 5 + bytes.readUInt16BE(at + 3));
		parts.push(part);
		length += part.length;
		at += 5 + bytes.readUInt16BE(at + 3);
		if (length >= 4) {
			const hello = Buffer.concat(parts);
			const helloLength = hello.readUIntBE(1, 3);
			if (hello[0] !== clientHello || helloLength > maxHelloBytes) {
				return 'invalid';
			}

			if (length >= 4 + helloLength) {
				return namesIn(hello.subarray(4, 4 + helloLength));
			}
		}
	}

	return bytes.length > 2 * maxHelloBytes ? 'invalid' : 'more';
}

function namesIn(hello: Buffer): Opening {
	try {
		const reader = createReader(hello);
		// Version and random.
		reader.skip(2 + 32);
		// Session, ciphers and compressions.
		reader.part(1);
		reader.part(2);
		reader.part(1);
		const names: string[] = [];
		const extensions = createReader(reader.hasMore() ? reader.part(2) : Buffer.alloc(0));
		while (extensions.hasMore()) {
			const type = extensions.number(2);
			const content = extensions.part(2);
			if (type === serverNameExtension) {
				const list = createReader(createReader(content).part(2));
				while (list.hasMore()) {
					const isHost = list.number(1) === hostName;
					const name = list.part(2).toString('latin1');
					names.push(...(isHost ? [name] : []));
				}
			}
		}

		return {names};
	} catch {
		return 'invalid';
	}
}

/** Returns a name as destinations are compared: in lower case, without the dot at its end. */
const canonical = (name: string) => name.toLowerCase().replace(/\.$/, '');

/**
 * Passes on what a client sends to a host. If it begins with TLS for another name, nothing of it is passed on: the stream ends with
 * an error, and `refuse` gets that name, or undefined if the beginning can't be read. A host that is an address may have any name.
 */
export function matchServerName(host: string, refuse: (name: string | undefined) => void): Transform {
	let held: Buffer | undefined = isIP(host) === 0 ? Buffer.alloc(0) : undefined;
	return new Transform({
		transform(part: Buffer, _encoding, done) {
			if (held === undefined) {
				done(null, part);
				return;
			}

			held = Buffer.concat([held, part]);
			const opening = readOpening(held);
			if (opening === 'more') {
				done();
				return;
			}

			const names = typeof opening === 'object' ? opening.names : [];
			const other = names.find(name => canonical(name) !== host);
			if (opening === 'invalid' || other !== undefined) {
				refuse(other);
				done(new Error('It asks for another host.'));
				return;
			}

			const whole = held;
			held = undefined;
			done(null, whole);
		},
		flush(done) {
			done(null, held);
		},
	});
}
