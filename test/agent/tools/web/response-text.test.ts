import {createServer, type ServerResponse} from 'node:http';
import {brotliCompressSync, gzipSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {httpServer} from '../../../net/servers.ts';
import {openFetch} from './fetching.ts';

type Answer = {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string | Buffer;
};

async function fetched({status = 200, headers = {}, body = ''}: Answer, limits: {readonly maxBytes?: number} = {}) {
	const {origin} = await httpServer((_, response: ServerResponse) => response.writeHead(status, headers).end(body));
	return (await openFetch(limits).fetch({url: origin})).replaceAll(origin, 'ORIGIN');
}

const typed = (type: string) => ({'content-type': type});

test.each([
	['iso-8859-1', 'text/plain; charset=ISO-8859-1', Buffer.from('caf\xe9', 'latin1')],
	['windows-1252 by meta', 'text/html', Buffer.from('<meta charset="windows-1252"><p>caf\xe9', 'latin1')],
	['shift_jis', 'text/plain; charset=shift_jis', Buffer.from([0x63, 0x61, 0x66, 0x83, 0x6d])],
	['a byte order mark', 'text/plain; charset=iso-8859-1', Buffer.from('\uFEFFcafé', 'utf16le')],
	['utf-8 by default', 'application/json', Buffer.from('"café"')],
	['an unknown name', 'text/plain; charset=klingon', Buffer.from('café')],
])('text is decoded by %s', async (_, type, body) => {
	expect(await fetched({headers: typed(type), body})).toMatch(/caf[éノ]/);
});

test('a failure is told with the beginning of its body', async () => {
	const result = await fetched({status: 404, headers: typed('text/plain'), body: `No such page.${'x'.repeat(50_000)}`});
	expect(result).toMatch(/^HTTP 404 Not Found\n/);
	expect(result).toContain('No such page.');
	expect(result.length).toBeLessThan(5000);
});

test.each(['application/pdf', 'application/octet-stream', 'audio/mpeg', 'image/x-icon', ''])(
	'data of type “%s” is refused with its type and size',
	async type => {
		const body = Buffer.from([0, 1, 2, 0xff, 0xfe, 0]);
		await expect(fetched({headers: type ? typed(type) : {}, body})).rejects.toThrow(
			`sent ${type || 'data of an unknown type'} (6 B), which is not text.`,
		);
	},
);

test('binary data that is called text is refused', async () => {
	await expect(fetched({headers: typed('text/plain'), body: Buffer.from('a\0b')})).rejects.toThrow('which is not text');
});

test('text of no type is text', async () => {
	expect(await fetched({body: 'plain'})).toContain('\nplain');
});

test.each([
	['gzip', gzipSync],
	['br', brotliCompressSync],
])('a %s bomb is read up to the limit only [21]', async (encoding, compress) => {
	const bomb = compress(Buffer.alloc(3_000_000, 'a'));
	const headers = {...typed('text/plain'), 'content-encoding': encoding};
	const result = await fetched({headers, body: bomb}, {maxBytes: 10_000});
	expect(result).toContain('[The rest was left out: it is too large.]');
	expect(result.length).toBeLessThan(10_500);
});

test.each([
	['deflate, gzip', "a compression that wasn't requested"],
	['gzip', 'is damaged'],
])('a body in %s that does not decode is an error', async (encoding, message) => {
	await expect(fetched({headers: {'content-encoding': encoding}, body: 'no gzip'})).rejects.toThrow(message);
});

test('an endless body is cut, and its connection closed [21]', async () => {
	let isClosed: (value: unknown) => void = () => {};
	const closed = new Promise(resolve => {
		isClosed = resolve;
	});
	const {origin} = await httpServer((_, response) => {
		response.writeHead(200, typed('text/plain'));
		const more = () => {
			while (!response.destroyed && response.write('x'.repeat(10_000))) {}
		};
		response.on('drain', more).on('close', isClosed);
		more();
	});
	expect(await openFetch({maxBytes: 100_000}).fetch({url: origin})).toContain('left out');
	await closed;
});

test('credentials in a page are hidden [8]', async () => {
	const key = `ghp_${'a1B2'.repeat(9)}`;
	const result = await fetched({headers: typed('text/plain'), body: `token ${key}`});
	expect(result).not.toContain(key);
	expect(result).toContain('models never see it');
});

test('HEAD tells the type and the length', async () => {
	const {origin} = await httpServer((_, response) =>
		response.writeHead(200, {...typed('video/mp4'), 'content-length': '1000'}).end(),
	);
	expect(await openFetch().fetch({url: origin, method: 'HEAD'})).toBe(
		`HTTP 200 OK\nURL: ${origin}/\nContent-Type: video/mp4\nContent-Length: 1000\n\n[no body]`,
	);
});

test('requests use the proxy of the environment, but not for addresses in NO_PROXY', async () => {
	const tunnels: string[] = [];
	const proxy = createServer();
	proxy.on('connect', (request, socket) => {
		tunnels.push(request.url ?? '');
		socket.end('HTTP/1.1 403 No\r\n\r\n');
	});
	await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
	const address = proxy.address();
	const port = typeof address === 'object' ? address?.port : 0;
	try {
		const env = {HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: 'direct.example'};
		const {fetch, resolved} = openFetch({env, names: {'direct.example': ['169.254.1.1']}});
		await expect(fetch({url: 'https://far.example/'})).rejects.toThrow('The proxy refused to connect');
		await expect(fetch({url: 'https://direct.example/'})).rejects.toThrow('It is never fetched.');
		// What this machine knows of a name counts, even if the proxy resolves it again.
		expect([tunnels, resolved]).toEqual([['far.example:443'], ['far.example', 'direct.example']]);
	} finally {
		proxy.closeAllConnections();
		proxy.close();
	}
});
