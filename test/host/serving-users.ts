import {randomUUID} from 'node:crypto';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import type {ComposeOptions} from '../../src/command/program.ts';
import {originOf} from '../../src/core/origin.ts';
import {openUserHosts} from '../../src/host/user-hosts.ts';
import {connectHost, type HostClient} from '../../src/link/host-client.ts';
import {placeWithPass, webConnections} from '../../src/link/web-place.ts';
import {compose} from '../../src/program/program.ts';
import {initialize} from '../../src/server/accounts/initialize.ts';
import {addMember} from '../../src/server/accounts/members.ts';
import type {HostingChoice} from '../../src/server/host-sessions/host-passes.ts';
import {startServer} from '../../src/server/run/start.ts';
import {createAppStore} from '../../src/store/store.ts';
import {apiKey} from '../e2e/chat.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {environmentOf, folderWith} from '../e2e/program.ts';

export const hostVersion = '0.0.0';

/** A user of the server, with their API key. */
export type ServedUser = {readonly id: string; readonly email: string; readonly key: string};

/** Asks for a pass. Returns status and answer. */
export async function askForPass(url: string, key: string): Promise<{status: number; pass: string; detail: string}> {
	const response = await fetch(`${url}/api/v1/host/pass`, {
		method: 'POST',
		headers: {authorization: `Bearer ${key}`, 'content-type': 'application/json'},
		body: '{}',
	});
	return {pass: '', detail: '', ...(await response.json()), status: response.status};
}

/** A real server that hosts sessions of its users in one folder, with a model that the test scripts. */
export async function serveUsers({users = 'all', publicUrl}: Partial<HostingChoice> & {publicUrl?: string} = {}) {
	const model = await startModelHost(['alpha']);
	const folder = folderWith({'a.txt': 'a'});
	const data = folderWith();
	const env = environmentOf({
		env: {
			CUSTOM_BASE_URL: model.baseUrl,
			CUSTOM_API_KEY: apiKey,
			NODE_DISABLE_COMPILE_CACHE: '1',
			PGPASSWORD: 'hidden',
		},
	});
	const workerUrl = new URL('../../dist/server-worker.js', import.meta.url);
	const environments: ComposeOptions['env'][] = [];
	const build = async (options: ComposeOptions) => {
		environments.push(options.env);
		return compose({store: createAppStore(), env, folder, ...options, version: hostVersion, workerUrl});
	};
	const server = await startServer({
		location: {engine: 'sqlite', file: join(data, 'database')},
		folder: data,
		environment: {},
		publicUrl,
		hosting: {
			folders: [folder],
			users,
			open: options => openUserHosts({compose: build, env, version: hostVersion}, options),
		},
	});
	const {userId, apiKey: key} = await initialize(server.services, {
		organization: 'acme',
		workspace: 'main',
		project: 'web',
		email: 'ann@acme.example',
	});
	const clients: HostClient[] = [];
	onTestFinished(async () => {
		for (const client of clients) {
			client.close();
		}

		await server.close();
	});
	const ann: ServedUser = {id: userId, email: 'ann@acme.example', key: key.reveal()};
	return {
		...server,
		model,
		folder,
		data,
		env,
		environments,
		ann,
		async join(email: string): Promise<ServedUser> {
			const joined = await addMember(server.services, {organization: 'acme', email, role: 'member'});
			return {id: joined.userId, email, key: joined.apiKey?.reveal() ?? ''};
		},
		/** Connects as a terminal of a user does, at the address of the server or of a proxy in front of it. */
		async connect(user: ServedUser, {url = server.url, terminal = randomUUID() as string} = {}) {
			const {pass} = await askForPass(url, user.key);
			return this.connectWith(pass, {url, terminal});
		},
		async connectWith(pass: string, {url = server.url, terminal = randomUUID() as string, user = 'eve'} = {}) {
			const client = await connectHost({
				version: hostVersion,
				terminal,
				person: {user, machine: 'there'},
				open: webConnections(placeWithPass(originOf(url), pass), env),
				wait: async () => undefined,
			});
			clients.push(client);
			return client;
		},
	};
}

/** Exchanges the code of a link. Returns status and pass. */
export async function openLink(link: string): Promise<{status: number; pass: string}> {
	const [, base = '', code = ''] = /^(.*)\/join\/(.*)$/.exec(link) ?? [];
	const response = await fetch(`${base}/host/join`, {
		method: 'POST',
		headers: {'content-type': 'application/json'},
		body: JSON.stringify({code}),
	});
	return {pass: '', ...(await response.json()), status: response.status};
}
