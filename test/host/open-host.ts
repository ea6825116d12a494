import {randomUUID} from 'node:crypto';
import type {Socket} from 'node:net';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import type {ComposeOptions} from '../../src/command/program.ts';
import {type Admission, type Admit, admitWithToken} from '../../src/host/admission.ts';
import {createHost, type Host} from '../../src/host/host.ts';
import {connectHost, type HostClient} from '../../src/link/host-client.ts';
import type {Pipes} from '../../src/link/json-lines.ts';
import {connectLocally, listenLocally} from '../../src/link/local-host.ts';
import type {Rank} from '../../src/link/protocol.ts';
import {compose} from '../../src/program/program.ts';
import {openHome} from '../../src/storage/home.ts';
import {createAppStore} from '../../src/store/store.ts';
import {apiKey} from '../e2e/chat.ts';
import {type ModelHost, startModelHost} from '../e2e/model-host.ts';
import {environmentOf, folderWith} from '../e2e/program.ts';

export const hostVersion = '0.0.0';

type ConnectOptions = {
	readonly version?: string;
	readonly terminal?: string;
	readonly rank?: Rank;
	readonly user?: string;
	/** Returns what carries a connection, for a test that cuts it. */
	readonly through?: (pipes: Pipes) => Pipes;
	readonly wait?: (milliseconds: number) => Promise<unknown>;
};

export type OpenHost = {
	readonly host: Host;
	readonly model: ModelHost;
	readonly folder: string;
	readonly env: Readonly<Record<string, string>>;
	/** The host's ends of all connections, in order. */
	readonly sockets: readonly Socket[];
	/** Connects as a terminal does, through the socket. */
	readonly connect: (options?: ConnectOptions) => Promise<HostClient>;
	/** Resolves once the host ended after it was drained. */
	readonly drained: Promise<void>;
};

type HostOptions = {
	readonly version?: string;
	/** Admits whoever connects in another way than by the token. */
	readonly way?: Admission | Admit;
	readonly now?: () => number;
	readonly maxWaitingBytes?: number;
	readonly onSessionEnded?: (id: string) => void;
	/** Where its sessions may be; a new one without it. */
	readonly folder?: string;
};

/** A host in this process, with real sessions on a real socket, and a model that the test scripts. */
export async function openHost({
	version = hostVersion,
	way,
	now,
	maxWaitingBytes,
	onSessionEnded,
	folder = folderWith({'a.txt': 'a'}),
}: HostOptions = {}): Promise<OpenHost> {
	const model = await startModelHost(['alpha']);
	const env = environmentOf({
		env: {
			CUSTOM_BASE_URL: model.baseUrl,
			CUSTOM_API_KEY: apiKey,
			NODE_DISABLE_COMPILE_CACHE: '1',
			SERVICE_HOME: join(folderWith(), 'home'),
		},
	});
	const token = randomUUID();
	let end = () => {};
	const drained = new Promise<void>(resolve => {
		end = resolve;
	});
	const workerUrl = new URL('../../dist/server-worker.js', import.meta.url);
	const host = createHost({
		compose: async (options: ComposeOptions) =>
			compose({store: createAppStore(), env, folder, ...options, version, workerUrl}),
		env,
		folders: [folder],
		version,
		person: {user: 'host', machine: 'here'},
		onDrained: () => void close().then(end),
		maxWaitingBytes,
		...(onSessionEnded && {onSessionEnded}),
		...(now && {now}),
	});
	const home = openHome(env);
	let closed: Promise<void> | undefined;
	const close = () => {
		closed ??= listening.close();
		return closed;
	};
	const sockets: Socket[] = [];
	const listening = await listenLocally(home, token, socket => {
		sockets.push(socket);
		host.serve({input: socket, output: socket}, way ?? admitWithToken(token));
	});
	const clients: HostClient[] = [];
	onTestFinished(async () => {
		for (const client of clients) {
			client.close();
		}

		await host.close('The test ended.');
		await close();
	});
	return {
		host,
		model,
		folder,
		env,
		drained,
		sockets,
		async connect({
			user = 'ann',
			terminal = randomUUID(),
			through = (pipes: Pipes) => pipes,
			...options
		}: ConnectOptions = {}) {
			const client = await connectHost({
				version: hostVersion,
				...options,
				terminal,
				person: {user, machine: 'there'},
				open: async () => through(await connectLocally(home, env, folder)),
			});
			clients.push(client);
			return client;
		},
	};
}
