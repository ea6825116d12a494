import {type IncomingMessage, request} from 'node:http';
import {request as requestTls} from 'node:https';
import type {Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {connect as connectTls} from 'node:tls';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import {isLoopback} from '../../core/origin.ts';
import {type Credential, credentialHeader} from '../credential.ts';
import {explainFailure} from '../network-error.ts';
import {isProxied, type ProxyServer, routeTo} from '../proxy-route.ts';
import {messageStream, socketOptions} from './message-stream.ts';

type Options = {
	/** The path below the address of the server, with a slash. */
	readonly path: string;
	/** Proves who connects, to its server alone (SAFETY 6). */
	readonly credential: Credential;
	/** Has the proxy settings, and the certificates. */
	readonly env: Environment;
	readonly userAgent: string;
};

/** The connection, or the status and the text of the answer that refused it. */
type Dialed = {readonly stream: Duplex} | {readonly status: number; readonly text: string};

const timeoutMs = 15_000;

/** Most bytes of a refusal that are read. */
const maxReasonBytes = 8 * 1024;

/**
 * Opens a WebSocket. It takes the routes of `routeTo`, trusts the certificates of `readTrust` and follows no redirect. Throws
 * AppError("usage") for plain HTTP to another machine (SAFETY 9), and AppError("network") if no answer comes.
 */
export async function dialSocket({path, credential, env, userAgent}: Options): Promise<Dialed> {
	const url = new URL(`${credential.origin}${path}`);
	if (url.protocol === 'http:' && !isLoopback(url)) {
		throw new AppError('usage', `Refusing plain HTTP to ${url.origin} (anyone on the network could read it).`, {
			hint: 'Use https.',
		});
	}

	const [{WebSocket}, {readTrust}] = await Promise.all([import('ws'), import('../certificates.ts')]);
	const {context} = readTrust(env);
	const trust = context ? {secureContext: context} : {};
	const route = routeTo(env, url);
	const exchange = {origin: url.origin, signal: undefined, isProxied: isProxied(env, url)};
	try {
		const tunnel = route.kind === 'direct' ? undefined : await openTunnel(url, route.proxy, trust);
		return await new Promise<Dialed>((resolve, reject) => {
			const socket = new WebSocket(url.href.replace(/^http/, 'ws'), {
				...socketOptions,
				...trust,
				...(tunnel && {createConnection: () => tunnel}),
				followRedirects: false,
				handshakeTimeout: timeoutMs,
				headers: {'user-agent': userAgent, ...credentialHeader(credential, url)},
			});
			socket.once('open', () => resolve({stream: messageStream(socket)}));
			socket.once('error', error => reject(explainHandshake(error, url)));
			socket.once('unexpected-response', (asked, answer) => {
				readReason(answer).then(text => {
					resolve({status: answer.statusCode ?? 0, text});
					asked.destroy();
				}, reject);
			});
		});
	} catch (error) {
		throw explainFailure(error, exchange);
	}
}

/** Names a handshake that takes too long, and one that isn't answered as WebSocket. */
function explainHandshake(error: Error, {origin}: URL): Error {
	const isLate = /handshake has timed out/.test(error.message);
	return 'code' in error && !isLate
		? error
		: new AppError('network', `${origin} ${isLate ? 'answered nothing' : "doesn't speak WebSocket"}.`, {
				hint: 'Check the address, and that proxies in front of it pass WebSocket on.',
				cause: error,
			});
}

async function readReason(answer: IncomingMessage): Promise<string> {
	let text = '';
	answer.setEncoding('utf8');
	for await (const piece of answer) {
		text += piece;
		if (text.length > maxReasonBytes) {
			break;
		}
	}

	return text.slice(0, maxReasonBytes);
}

/** Opens a connection to a server through a proxy (RFC 9110, section 9.3.6). */
async function openTunnel(url: URL, proxy: ProxyServer, trust: object): Promise<Socket> {
	const {protocol, hostname, port} = new URL(proxy.origin);
	const target = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
	const send = protocol === 'https:' ? requestTls : request;
	return await new Promise((resolve, reject) => {
		const asked = send({
			...trust,
			host: hostname.replace(/^\[|\]$/g, ''),
			port: port || (protocol === 'https:' ? 443 : 80),
			method: 'CONNECT',
			path: target,
			timeout: timeoutMs,
			headers: {host: target, ...(proxy.authorization && {'proxy-authorization': proxy.authorization})},
		});
		asked.once('connect', ({statusCode}, socket) => {
			if (statusCode !== 200) {
				socket.destroy();
				reject(new Error(`Proxy response (${statusCode})`));
				return;
			}

			resolve(
				url.protocol === 'https:'
					? connectTls({...trust, socket, servername: url.hostname, ALPNProtocols: ['http/1.1']})
					: (socket as Socket),
			);
		});
		asked.once('timeout', () => asked.destroy(Object.assign(new Error('timeout'), {code: 'ETIMEDOUT'})));
		asked.once('error', reject);
		asked.end();
	});
}
