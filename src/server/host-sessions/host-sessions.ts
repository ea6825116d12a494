import {ServerResponse} from 'node:http';
import {join} from 'node:path';
import type {Duplex} from 'node:stream';
import {
	type HostedAccount,
	type HostedConnection,
	type Hosting,
	invalidCode,
	invalidPass,
	joinPath,
	linkPath,
	passPath,
} from '../../contract/hosting.ts';
import {acceptSocket} from '../../net/web-socket/accept-socket.ts';
import {emailOf, recordAct} from '../accounts/audit-log.ts';
import type {Services} from '../handlers/services.ts';
import {credentialOf} from '../http/authenticate.ts';
import {pathAndHostOf} from '../http/incoming.ts';
import type {RawHandler} from '../http/raw-handler.ts';
import {canonicalNames, checkHost} from '../http/request-checks.ts';
import {readJsonBody} from '../kit/body.ts';
import {reject} from '../kit/http-error.ts';
import {loggingFaults} from '../kit/log.ts';
import type {RouteRequest, ServerRoute} from '../kit/route.ts';
import {basePathOf} from '../kit/server-url.ts';
import {sendFault} from '../service-proxy/service-answer.ts';
import {createHostPasses, type HostingChoice, type HostPasses, tokenHashOf} from './host-passes.ts';

/** Sessions that a server hosts for its users. */
export type HostSessions = {
	readonly routes: readonly ServerRoute[];
	readonly handler: RawHandler;
	/** Ends the connections of users whose login has ended. */
	readonly check: () => Promise<void>;
	readonly close: () => Promise<void>;
};

type Options = {
	readonly services: Services;
	readonly choice: HostingChoice;
	/** The data folder, which has a folder for each user below `hosted`. */
	readonly folder: string;
	/** Host names that it listens on besides the loopback names, without a port. */
	readonly names: readonly string[];
	readonly port: () => number | undefined;
};

/** Most bytes of a body with a code. */
const mostCodes = 200;

/** Opens the sessions that a server hosts. Throws what opening the hosting throws. */
export async function openHostSessions({services, choice, folder, names, port}: Options): Promise<HostSessions> {
	const {database, log, now, publicUrl} = services;
	const attempt = loggingFaults(log, 'host sessions');
	const hosting = await choice.open({
		folders: choice.folders,
		url: publicUrl,
		onAct: ({act, user, session, role, endsAt}) =>
			void attempt(() =>
				database.transaction().execute(transaction =>
					recordAct(
						transaction,
						{kind: 'user', id: user, address: undefined, requestId: undefined},
						{
							act: `host.${act}`,
							organizationId: null,
							subject: {id: session, name: session},
							details: {role, ends_at: endsAt},
							at: now(),
						},
					),
				),
			),
	});
	const passes = createHostPasses(services, {
		users: choice.users,
		onLost: user => hosting.end(user, 'The rights of its user ended.'),
	});
	const sockets = new Set<Duplex>();

	const givePass = async ({principal, request}: RouteRequest) => {
		const {userId, apiKeyId} = principal;
		const user: HostedAccount = {
			id: userId,
			name: await emailOf(database, userId),
			home: join(folder, 'hosted', userId),
		};
		const tokenHash = tokenHashOf(credentialOf(request) ?? '');
		return Response.json({pass: await passes.give({userId, apiKeyId, tokenHash}, user)});
	};

	return {
		routes: [
			{method: 'POST', path: passPath, auth: 'credential', mayLackBody: true, handle: givePass},
			{
				method: 'POST',
				path: joinPath,
				auth: 'none',
				async handle({request}) {
					const body = await readJsonBody(request);
					const code = typeof body === 'object' && body !== null && 'code' in body ? body['code'] : undefined;
					const joined = typeof code === 'string' && code.length <= mostCodes ? hosting.join(code) : undefined;
					return Response.json(joined ?? reject(401, invalidCode));
				},
			},
		],
		handler: {
			matches(incoming) {
				const path = pathAndHostOf(incoming)?.path.split('?')[0];
				const isUpgrade =
					/\bupgrade\b/i.test(incoming.headers.connection ?? '') && incoming.headers.upgrade !== undefined;
				return isUpgrade && (path === linkPath || path === `${basePathOf(publicUrl())}${linkPath}`);
			},
			async respond(incoming, outgoing) {
				sendFault(services, {incoming, outgoing}, new Error('An upgrade was not passed on.'));
			},
			async upgrade(incoming, socket, head) {
				socket.on('error', () => socket.destroy());
				try {
					const {host = '', origin} = incoming.headers;
					const url = new URL('http://127.0.0.1/');
					const request = new Request(url, {headers: {host, ...(origin !== undefined && {origin})}});
					const reachable = {names: canonicalNames(names), port: port(), publicUrl: publicUrl()};
					if (checkHost(request, url, reachable)) {
						reject(403, `Pages of ${origin ?? host} may not use this server.`);
					}

					const [, pass = ''] = /^Bearer +(\S+)$/i.exec(incoming.headers.authorization ?? '') ?? [];
					const connect = wayOf(hosting, passes, pass);
					limitWaiting(socket);
					const stream = await acceptSocket(incoming, socket, head).catch(() =>
						reject(400, 'This is not a handshake of WebSocket version 13.'),
					);
					sockets.add(stream);
					stream.once('close', () => sockets.delete(stream));
					connect(stream);
				} catch (error) {
					const outgoing = new ServerResponse(incoming);
					outgoing.shouldKeepAlive = false;
					outgoing.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
					outgoing.once('finish', () => socket.end());
					sendFault(services, {incoming, outgoing}, error);
				}
			},
			close() {
				passes.close();
				for (const socket of sockets) {
					socket.destroy();
				}
			},
		},
		check: passes.check,
		close: () => hosting.close('The server was stopped.'),
	};
}

/** Returns what serves whoever has a pass. Rejects with 401 without one. */
function wayOf(hosting: Hosting, passes: HostPasses, pass: string): (stream: Duplex) => void {
	const user = passes.find(pass);
	const guest = user ? undefined : hosting.guest(pass);
	if (!user && !guest) {
		reject(401, invalidPass, {headers: {'www-authenticate': 'Bearer'}});
	}

	return stream => {
		const connection: HostedConnection | undefined = user ? hosting.connect(stream, user) : guest?.connect(stream);
		if (user && connection) {
			stream.once('close', passes.keep(pass, connection));
		}
	};
}

/** The listener ends connections that are silent for two minutes; those of terminals end by their pings. */
function limitWaiting(socket: Duplex): void {
	if ('setTimeout' in socket && typeof socket.setTimeout === 'function') {
		socket.setTimeout(0);
	}
}
