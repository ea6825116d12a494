import type {RequestListener} from 'node:http';
import {connect, type Socket} from 'node:net';
import {join} from 'node:path';
import type {TlsOptions} from 'node:tls';
import {connectedTo} from '../e2e/chat.ts';
import {runInProcess} from '../e2e/in-process.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {type Ended, folderWith} from '../e2e/program.ts';
import {selfSigned} from '../net/certificate.ts';
import {atEnd, httpsServer, socketServer} from '../net/servers.ts';
import {createRandom, createTally, eachOf, type Fault} from './fault.ts';
import {type Client, canary, clients, hasFault, shuffled, throwIfWrong} from './network.ts';
import {connectByWeb} from './web-link.ts';

/** A server at `https://localhost` that can't be trusted, or can't be understood. */
type TlsHost = {
	readonly name: string;
	/** Starts it. Returns its port, and the certificate that its client trusts. */
	readonly start: (answer: RequestListener) => Promise<{readonly port: number; readonly trusted?: string}>;
	/** What must be said. */
	readonly says: RegExp;
	/** True if a next attempt may help. */
	readonly mayPass?: true;
};

const portOf = (url: string) => Number(new URL(url).port);

/** A server whose certificate the client trusts. */
async function trusted(answer: RequestListener, certificate: ReturnType<typeof selfSigned>) {
	return {port: await httpsServer(certificate, answer), trusted: certificate.cert};
}

/** A server that speaks TLS with these options only. */
async function onlyWith(answer: RequestListener, options: TlsOptions) {
	const certificate = selfSigned('localhost');
	return {port: await httpsServer({...certificate, ...options}, answer), trusted: certificate.cert};
}

/** A server behind what ends each connection once so many bytes of its handshake have passed. */
async function cutAfter(answer: RequestListener, bytes: number, cut: (socket: Socket) => void) {
	const certificate = selfSigned('localhost');
	const port = await httpsServer(certificate, answer);
	const url = await socketServer(socket => {
		const far = connect(port, '127.0.0.1').on('error', () => socket.destroy());
		let left = bytes;
		socket.on('data', data => far.write(data));
		socket.on('close', () => far.destroy());
		far.on('data', data => {
			socket.write(data.subarray(0, left), () => left <= 0 && cut(socket));
			left -= data.length;
		});
		atEnd(() => far.destroy());
	});
	return {port: portOf(url), trusted: certificate.cert};
}

const closed = /closed before the response was complete|TLS failed|The connection to \S+ failed/;

const hosts: readonly TlsHost[] = [
	{
		name: 'a certificate that nobody vouches for',
		start: async answer => ({port: await httpsServer(selfSigned('localhost'), answer)}),
		says: /certificate of https:\/\/localhost:\d+ isn['’]t trusted/,
	},
	{
		name: 'an expired certificate',
		start: answer => trusted(answer, selfSigned('localhost', 2010)),
		says: /certificate of https:\/\/localhost:\d+ has expired/,
	},
	{
		name: 'a certificate of tomorrow',
		start: answer => trusted(answer, selfSigned('localhost', 2099, 2098)),
		says: /certificate of https:\/\/localhost:\d+ is not valid yet/,
	},
	{
		name: 'the certificate of another host',
		start: answer => trusted(answer, selfSigned('other.example')),
		says: /certificate of https:\/\/localhost:\d+ is for another host/,
	},
	{
		name: 'a certificate of the name at the front of another',
		start: answer => trusted(answer, selfSigned('localhost.other.example')),
		says: /certificate of https:\/\/localhost:\d+ is for another host/,
	},
	{
		name: 'TLS 1.1 only',
		start: answer => onlyWith(answer, {minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0'}),
		says: /TLS failed for https:\/\/localhost:\d+/,
	},
	{
		name: 'no cipher in common',
		start: answer => onlyWith(answer, {maxVersion: 'TLSv1.2', ciphers: 'NULL-SHA256@SECLEVEL=0'}),
		says: /TLS failed for https:\/\/localhost:\d+/,
	},
	{
		name: 'plain HTTP',
		start: async () => ({
			port: portOf(await socketServer(socket => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))),
		}),
		says: /TLS failed for https:\/\/localhost:\d+/,
	},
	{
		name: 'no answer but a closed connection',
		start: async () => ({port: portOf(await socketServer(socket => socket.once('data', () => socket.destroy())))}),
		says: closed,
		mayPass: true,
	},
	...[1, 90, 300].map(
		(bytes): TlsHost => ({
			name: `a handshake that is reset after ${bytes} bytes`,
			start: answer => cutAfter(answer, bytes, socket => socket.resetAndDestroy()),
			says: closed,
			mayPass: true,
		}),
	),
	{
		name: 'a handshake that ends in the middle',
		start: answer => cutAfter(answer, 200, socket => socket.end()),
		says: closed,
		mayPass: true,
	},
];

/** How a client asks the server at an address. */
type Asking = {readonly name: string; readonly ask: (url: string, env: Record<string, string>) => Promise<Ended>};

const asCommand = ({name, ask}: Client): Asking => ({
	name,
	ask(url, env) {
		const {args, ...place} = ask(url);
		return runInProcess(args, {...place, env: {...place.env, ...env}});
	},
});

/** `fetch_url`, which a model calls: the result says what failed, and becomes the text of the answer. */
const fetching: Asking = {
	name: 'fetch_url',
	async ask(url, env) {
		const host = await startModelHost();
		const model = connectedTo(host);
		host.answerWith(
			({call, finish}) => {
				call('fetch_url', {url: `${url}/?key=${canary}`, headers: {authorization: `Bearer ${canary}`}});
				finish('tool_calls');
			},
			({say, finish}) => {
				say('Done.');
				finish();
			},
		);
		const ended = await runInProcess([...model.args, '-p', 'Fetch it.', '--allow', `fetch_url(${new URL(url).host})`], {
			env: {...model.env, ...env},
		});
		const result = host.chats().at(-1)?.at(-1) ?? '';
		const isReached = ended.status === 0 && !/^tool: .*(?:certificate|TLS|connection|closed)/s.test(result);
		return {...ended, status: isReached ? 0 : 6, stderr: result.replaceAll(canary, '')};
	},
};

const link: Asking = {name: 'a host of sessions', ask: (url, env) => connectByWeb(url, {pass: canary, env})};

const asking: readonly Asking[] = [...clients.map(asCommand), fetching, link];

/** Each pair together holds 13 servers open. */
const width = 12;

export const tls: Fault = {
	name: 'TLS that is expired, early, of another host, untrusted, too old, none, or cut in its handshake, for models, REST, MCP, fetch_url and hosts: the cause is said, the status is 6, and no byte of a request was sent',
	rules: [6, 9, 21, 23],
	amounts: {test: 26, full: asking.length * hosts.length * 3},
	async run({seed, amount}) {
		const tally = createTally();
		const cases = asking.flatMap(client => hosts.map(host => ({client, host})));
		await eachOf(shuffled(cases, createRandom(seed), amount), width, async ({client, host}) => {
			await tally.attempt(`${client.name}: ${host.name}`, async () => {
				const seen: string[] = [];
				const {port, trusted: authority} = await host.start((request, response) => {
					seen.push(`${request.method} ${request.url}`);
					response.end();
				});
				const env: Record<string, string> =
					authority === undefined ? {} : {SSL_CERT_FILE: join(folderWith({'ca.pem': authority}), 'ca.pem')};
				const {status, stdout, stderr} = await client.ask(`https://localhost:${port}`, env);
				const said = `${stdout}\n${stderr}`;
				throwIfWrong([
					[status === 6, `status ${status}: ${said}`],
					[host.says.test(said), `another cause: ${said}`],
					[seen.length === 0, `the server got ${seen.join(', ')}`],
					[!hasFault(said), `a fault of ours: ${said}`],
					[!said.includes(canary), 'the key was printed'],
				]);
			});
		});
		return tally.figure();
	},
};
