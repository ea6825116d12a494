import {createServer as createHttpServer, type IncomingMessage} from 'node:http';
import {type AddressInfo, connect, createServer, type Socket} from 'node:net';
import {connect as connectTls} from 'node:tls';
import {expect, onTestFinished, test} from 'vitest';
import {createEgressProxy} from '../../../src/server/egress/egress-proxy.ts';
import {createRandom} from '../../faults/fault.ts';

type Names = Readonly<Record<string, readonly string[]>>;

type World = {
	readonly allow?: readonly string[];
	readonly openRanges?: readonly string[];
	readonly names?: Names;
	/** The port of this machine that stands for all addresses outside. */
	readonly outside?: number;
	readonly requestTimeoutMs?: number;
};

/** Listens on loopback with a proxy whose lines and connections are recorded. */
async function startProxy({allow = [], openRanges = [], names = {}, outside = 9, requestTimeoutMs}: World) {
	const lines: string[] = [];
	const reached: string[] = [];
	const proxy = createEgressProxy({
		allow,
		openRanges,
		write: line => void lines.push(line),
		resolve: async name => (/^[\d.]+$|:/.test(name) ? [name] : (names[name] ?? [])),
		connect(address, port) {
			reached.push(`${address} ${port}`);
			return connect({port: outside, host: '127.0.0.1', allowHalfOpen: true});
		},
		...(requestTimeoutMs !== undefined && {requestTimeoutMs}),
	});
	const server = createServer({allowHalfOpen: true}, socket => proxy.serve(socket));
	const port = await listen(server);
	onTestFinished(() => {
		proxy.close();
		server.close();
	});
	return {port, lines, reached};
}

function listen(server: {
	listen: (port: number, host: string, listener: () => void) => unknown;
	address: () => AddressInfo | string | null;
}): Promise<number> {
	return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

/** Sends bytes and returns all that comes back. */
function exchange(port: number, sent: string | Buffer, {keepsOpen = false} = {}): Promise<string> {
	return new Promise(resolve => {
		let text = '';
		const socket = connect({port, host: '127.0.0.1', allowHalfOpen: true});
		onTestFinished(() => void socket.destroy());
		socket.on('data', part => {
			text += part.toString('latin1');
		});
		socket.once('error', () => resolve(text)).once('end', () => resolve(text));
		socket.once('close', () => resolve(text));
		if (keepsOpen) {
			socket.write(sent);
		} else {
			socket.end(sent);
		}
	});
}

const connectTo = (authority: string) => `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;

const publicAddress = '203.0.114.7';

test('[15] only what the task allows is connected to, however its name is written, and each refusal is one line', async () => {
	const {port, lines, reached} = await startProxy({
		allow: ['good.example', '*.wide.example', 'xn--bcher-kva.example', 'db.example:5432', '198.51.101.1'],
		names: {
			'good.example': [publicAddress],
			'a.b.wide.example': [publicAddress],
			'xn--bcher-kva.example': [publicAddress],
			'db.example': [publicAddress],
		},
	});
	const good = [
		...['good.example:443', 'GOOD.Example.:443', 'good.example:80', 'a.b.wide.example:443'],
		...[
			'b%C3%BCcher.example:443',
			'xn--bcher-kva.example:443',
			'db.example:5432',
			'198.51.101.1:443',
			'3325256961:443',
		],
	];
	for (const authority of good) {
		// Nothing listens at the address that stands for all others.
		expect(`${authority} ${await exchange(port, Buffer.from(connectTo(authority)))}`).toContain('502');
	}

	expect(lines).toEqual([]);
	expect(reached).toHaveLength(good.length);
	const bad = [
		...['evil.example:443', 'good.example.evil.example:443', 'evilgood.example:443', 'wide.example:443'],
		...[
			'good.example:25',
			'good.example:22',
			'db.example:443',
			'evil.example@good.example:443',
			'good.example@evil:443',
		],
		...['good.example:0', 'good.example:65536', 'good.example:443:443', 'good.example', 'good.example..:443'],
		...['198.51.101.2:443', '[::ffff:198.51.101.1]:443', 'good.example%00.evil.example:443', 'good.example/:443'],
	];
	for (const authority of [...bad, ...bad]) {
		expect(`${authority} ${await exchange(port, connectTo(authority))}`).toMatch(/ HTTP\/1\.1 40[03] /);
	}

	expect(reached).toHaveLength(good.length);
	expect(lines).toHaveLength(new Set(lines).size);
	expect(lines.slice(0, 2)).toEqual([
		'[network] refused: evil.example:443 (not in `allow` of the task)',
		'[network] refused: good.example.evil.example:443 (not in `allow` of the task)',
	]);
	expect(lines).toContain('[network] refused: good.example:25 (not in `allow` of the task)');
	expect(lines).toContain('[network] refused: …@good.example:443 (no host and port)');
});

test('[15] a name that leads to a private address is refused, and the address that was checked is the one connected to', async () => {
	const addresses = {
		'loop.example': ['127.0.0.1'],
		'meta.example': ['169.254.169.254'],
		'cloud.example': ['168.63.129.16', '100.100.100.200'],
		'mapped.example': ['::ffff:10.0.0.1'],
		'six.example': ['fd00::1', 'fe80::1', '::1', '64:ff9b::a00:1', '2002:a00:1::'],
		'zero.example': ['0.0.0.0'],
		'home.example': ['192.168.1.1'],
	};
	const {port, lines, reached} = await startProxy({
		allow: [...Object.keys(addresses), 'mixed.example', '127.0.0.1', 'rebinds.example'],
		names: {...addresses, 'mixed.example': ['10.0.0.1', publicAddress], 'rebinds.example': [publicAddress]},
	});
	for (const name of [...Object.keys(addresses), '127.0.0.1', '0x7f.1', '[::1]']) {
		expect(`${name} ${await exchange(port, connectTo(`${name}:443`))}`).toContain(' 403 ');
	}

	expect(reached).toEqual([]);
	expect(lines).toContain('[network] refused: meta.example:443 (its address is private)');
	expect(lines).toContain('[network] refused: 127.0.0.1:443 (its address is private)');
	await exchange(port, connectTo('mixed.example:443'));
	await exchange(port, connectTo('rebinds.example:443'));
	expect(reached).toEqual([`${publicAddress} 443`, `${publicAddress} 443`]);
});

test('[15] private ranges are open only where the operator names them, and metadata stays closed in them', async () => {
	const names = {
		'db.example': ['10.1.2.3'],
		'home.example': ['192.168.1.1'],
		'meta.example': ['169.254.169.254'],
		'azure.example': ['168.63.129.16'],
	};
	const world = {allow: Object.keys(names), names};
	const wide = await startProxy({
		...world,
		openRanges: ['0.0.0.0/0', '10.0.0.0/8', '169.254.0.0/16', '168.63.129.0/24'],
	});
	for (const name of Object.keys(names)) {
		await exchange(wide.port, connectTo(`${name}:443`));
	}

	expect(wide.reached).toEqual(['10.1.2.3 443']);
	const shut = await startProxy(world);
	await exchange(shut.port, connectTo('db.example:443'));
	expect(shut.reached).toEqual([]);
});

test('a tunnel passes bytes in both directions, and each end on its own', async () => {
	const outside = await listen(
		createServer({allowHalfOpen: true}, socket => {
			let bytes = 0;
			socket.on('data', part => {
				bytes += part.length;
			});
			socket.on('end', () => socket.end(`got ${bytes}`));
		}).unref(),
	);
	const {port} = await startProxy({allow: ['good.example'], names: {'good.example': [publicAddress]}, outside});
	const body = Buffer.alloc(3_000_000, 'x');
	const text = await exchange(port, Buffer.concat([Buffer.from(connectTo('good.example:443')), body]));
	expect(text).toBe('HTTP/1.1 200 Connection established\r\n\r\ngot 3000000');
});

test('[15] a request with a whole URL is sent to that server alone, without what is for the connection or another host', async () => {
	const requests: Array<Pick<IncomingMessage, 'method' | 'url' | 'headers'> & {readonly body: string}> = [];
	const host = createHttpServer(async (incoming, response) => {
		const {method, url, headers} = incoming;
		const parts: Buffer[] = [];
		for await (const part of incoming) {
			parts.push(part);
		}

		requests.push({method, url, headers, body: Buffer.concat(parts).toString()});
		response.writeHead(201, {'x-answer': 'yes', connection: 'x-hop', 'x-hop': '1', 'set-cookie': ['a=1', 'b=2']});
		response.end('done');
	}).unref();
	const outside = await listen(host);
	const {port, lines} = await startProxy({allow: ['good.example'], names: {'good.example': [publicAddress]}, outside});
	const text = await exchange(
		port,
		'POST http://GOOD.example/a?b=1#c HTTP/1.1\r\nHost: evil.example\r\nProxy-Authorization: Basic eA==\r\nConnection: x-mine, close\r\nX-Mine: 1\r\nX-Kept: 2\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
		{keepsOpen: true},
	);
	expect(text).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
	expect(text).toMatch(/x-answer: yes\r\n/i);
	expect(text).toMatch(/set-cookie: a=1\r\nset-cookie: b=2\r\n/i);
	expect(text).not.toMatch(/x-hop/i);
	expect(requests).toEqual([
		{
			method: 'POST',
			url: '/a?b=1',
			body: 'hello',
			headers: {host: 'good.example', 'x-kept': '2', 'transfer-encoding': 'chunked', connection: 'close'},
		},
	]);
	const wrong = [
		'GET / HTTP/1.1\r\nHost: good.example\r\n\r\n',
		'GET https://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n',
		'GET http://user:pass@good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n',
		'GET http://good.example@evil.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n',
		'GET http://good.example:25/ HTTP/1.1\r\nHost: good.example\r\n\r\n',
		'GET http://good.example\\@evil.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n',
		'POST http://good.example/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
		'POST http://good.example/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
		`GET http://good.example/ HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
		'nonsense\r\n\r\n',
	];
	for (const sent of wrong) {
		expect(`${sent.slice(0, 60)} ${await exchange(port, sent, {keepsOpen: true})}`).toMatch(/ HTTP\/1\.1 4\d\d /);
	}

	expect(requests).toHaveLength(1);
	expect(lines).toEqual([
		'[network] refused: …@good.example:80 (no host and port)',
		'[network] refused: …@evil.example:80 (no host and port)',
		'[network] refused: good.example:25 (not in `allow` of the task)',
	]);
});

test('a request whose head never ends, an answer that nobody reads and the 65th connection are ended', async () => {
	const {port} = await startProxy({requestTimeoutMs: 40});
	const idle = ['', 'CONNECT good.example:443 HTTP/1.1\r\nHost: ', connectTo('bad.example:443')];
	const slow = idle.map(sent => exchange(port, sent, {keepsOpen: true}));
	expect(await slow[2]).toContain(' 403 ');
	await Promise.all(slow);
	const full = await startProxy({});
	const sockets: Socket[] = [];
	onTestFinished(() => {
		for (const socket of sockets) {
			socket.destroy();
		}
	});
	const closed = await new Promise<number>(resolve => {
		for (let index = 0; index < 65; index += 1) {
			const socket = connect(full.port, '127.0.0.1');
			sockets.push(socket);
			socket.resume().once('close', () => resolve(index));
		}
	});
	expect(closed).toBe(64);
});

test('the log names a hundred destinations at most, in printable characters', async () => {
	const {port, lines} = await startProxy({});
	for (let index = 0; index < 105; index += 1) {
		await exchange(port, connectTo(`h${index}.example:443`));
	}

	expect(lines).toHaveLength(101);
	expect(lines.at(-1)).toBe('[network] refused: more than 100 destinations; others aren’t listed');
	const other = await startProxy({});
	await exchange(other.port, Buffer.from(`CONNECT ${'\u00FC'.repeat(500)}@x:443 HTTP/1.1\r\nHost: x\r\n\r\n`));
	expect(other.lines.every(line => /^[ -~…]{1,400}$/.test(line))).toBe(true);
});

/** Returns the first bytes of a TLS client that asks for a name. */
async function helloFor(servername: string | undefined): Promise<Buffer> {
	const server = createServer();
	const port = await listen(server);
	const hello = new Promise<Buffer>(resolve => {
		server.once('connection', socket => socket.once('data', resolve).on('error', () => socket.destroy()));
	});
	const client = connectTls({port, host: '127.0.0.1', ...(servername !== undefined && {servername})});
	client.on('error', () => undefined);
	const bytes = await hello;
	client.destroy();
	server.close();
	return bytes;
}

/** Returns a handshake of one record as records of at most so many bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
	const handshake = hello.subarray(5);
	const records: Buffer[] = [];
	for (let at = 0; at < handshake.length; at += size) {
		const part = handshake.subarray(at, at + size);
		const head = Buffer.from(hello.subarray(0, 5));
		head.writeUInt16BE(part.length, 3);
		records.push(head, part);
	}

	return Buffer.concat(records);
}

test('[15] TLS for another name than that of CONNECT is refused with a line, in whatever pieces it comes', async () => {
	const outside: Buffer[] = [];
	const far = createServer(socket => {
		socket.on('data', part => void outside.push(part)).on('error', () => socket.destroy());
		socket.on('end', () => socket.end('far'));
	});
	const farPort = await listen(far);
	onTestFinished(() => void far.close());
	const seed = 20_261_130;
	console.log(`seed ${seed}`);
	const random = createRandom(seed);
	for (let round = 0; round < 30; round++) {
		const {port, lines} = await startProxy({
			allow: ['good.example', '203.0.114.7'],
			names: {'good.example': [publicAddress]},
			outside: farPort,
		});
		const name = ['good.example', 'GOOD.example', 'evil.example', undefined][round % 4];
		const isAddress = random.below(5) === 0;
		const isRefused = name === 'evil.example' && !isAddress;
		const hello = inRecords(await helloFor(name), 1 + random.below(600));
		const cut = random.below(hello.length);
		outside.length = 0;
		const authority = isAddress ? '203.0.114.7:443' : 'good.example:443';
		const answer = await new Promise<string>(resolve => {
			let text = '';
			const socket = connect({port, host: '127.0.0.1', allowHalfOpen: true});
			socket.on('data', part => {
				text += part.toString('latin1');
				if (text.endsWith('established\r\n\r\n')) {
					socket.end(hello.subarray(cut));
				}
			});
			socket
				.on('error', () => undefined)
				.once('close', () => resolve(text))
				.once('end', () => resolve(text));
			socket.write(Buffer.concat([Buffer.from(connectTo(authority)), hello.subarray(0, cut)]));
		});
		expect([round, answer.endsWith('far'), Buffer.concat(outside).equals(isRefused ? Buffer.alloc(0) : hello)]).toEqual(
			[round, !isRefused, true],
		);
		expect(lines).toEqual(isRefused ? ['[network] refused: evil.example:443 (asked for as good.example:443)'] : []);
	}
});

test('[15] a handshake that can’t be read reaches nobody, and what isn’t TLS passes at once', async () => {
	const outside: Buffer[] = [];
	const far = createServer(socket => {
		socket.write('220 hello\r\n');
		socket.on('data', part => void outside.push(part)).on('error', () => socket.destroy());
		socket.on('end', () => socket.end());
	});
	const farPort = await listen(far);
	onTestFinished(() => void far.close());
	const {port, lines} = await startProxy({
		allow: ['good.example:25'],
		names: {'good.example': [publicAddress]},
		outside: farPort,
	});
	const ask = connectTo('good.example:25');
	expect(await exchange(port, `${ask}EHLO me\r\n`)).toMatch(/220 hello/);
	expect(Buffer.concat(outside).toString()).toBe('EHLO me\r\n');
	outside.length = 0;
	for (const bytes of [
		'\x16\x03\x01\x00\x05\x02\x00\x00\x01\x00',
		'\x16\x03\x01\x00\x00\x17',
		'\x16\x03\x01\x00\x08\x01\x00\x00\x04abcd',
	]) {
		await exchange(port, Buffer.concat([Buffer.from(ask), Buffer.from(bytes, 'latin1')]));
	}

	expect(outside).toEqual([]);
	expect(lines).toEqual(['[network] refused: good.example:25 (its TLS can’t be read)']);
});
