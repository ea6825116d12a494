import {createServer as createHttpServer, type IncomingMessage} from 'node:http';
import {type AddressInfo, connect, createServer, type Socket} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {createEgressProxy} from '../../../src/server/egress/egress-proxy.ts';

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
