import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {setTimeout as sleep} from 'node:timers/promises';
import fc from 'fast-check';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {type OperationId, operations} from '../../src/contract/extensions.ts';
import type {ParameterName} from '../../src/contract/parameters.ts';
import {parametersOf} from '../../src/contract/path.ts';
import {environmentOf, folderWith, program} from '../e2e/program.ts';
import {requestsOf} from '../server/any-request.ts';
import {createTestServer} from '../server/harness.ts';
import {complaintOf, sendRaw} from '../server/hostile-answers.ts';
import {ask, callOf, type Parameters, populate, unknownName} from '../server/populated.ts';
import {bearer, send, serve} from '../server/serve.ts';
import {createRandom, createTally, type Fault} from './fault.ts';

const rows = Object.entries<Endpoint>(operations) as ReadonlyArray<[OperationId, Endpoint]>;

/** Starts a server with something of everything in it, which starts no process for a request. */
async function startServer() {
	const server = await createTestServer();
	const parameters = await populate(server);
	await server.database.updateTable('organizations').set({sandbox_capacity: 0}).execute();
	return {server, parameters};
}

const anyRequests: Fault = {
	name: 'any path, query and JSON to any operation: a valid answer or the specified error, and no server error',
	rules: [24],
	amounts: {test: 120, full: 50_000},
	async run({seed, amount}) {
		const tally = createTally();
		const random = createRandom(seed);
		const share = Math.ceil(amount / rows.length);
		for (const [id, row] of rows) {
			// Another operation may have changed who may do what.
			const {server, parameters} = await startServer();
			const {method} = callOf(id, parameters);
			for (const {url, body} of fc.sample(requestsOf(row, parameters), {seed: random.below(2 ** 31), numRuns: share})) {
				await tally.attempt(`${method} ${url} ${method === 'GET' ? '' : body}`, async () => {
					const complaint = complaintOf(row, await sendRaw(server, url, {method, ...(method !== 'GET' && {body})}));
					if (complaint !== undefined) {
						throw new Error(complaint);
					}
				});
			}

			tally.add(
				0,
				server.entries.filter(({message}) => message === 'failed').map(entry => `${id}: ${JSON.stringify(entry)}`),
			);
		}

		return tally.figure();
	},
};

/** Operations that name something, apart from those of whoever administers the server. */
const naming = rows.filter(([, {path}]) => parametersOf(path).length > 0 && !path.startsWith('/api/v1/admin/'));

const othersObjects: Fault = {
	name: 'owners who mix names of another organization into their own, for any operation: the answer is that for names that nobody has',
	rules: [26],
	amounts: {test: 150, full: 20_000},
	async run({seed, amount}) {
		const tally = createTally();
		const random = createRandom(seed);
		const {server, parameters: mine} = await startServer();
		const rival = await server.foundAnother();
		const theirs = await populate(server, {org: 'rival', user: rival});
		const keys = [rival.key, server.owner.key];
		for (let turn = 0; turn < amount; turn += 1) {
			const [id, {path}] = random.pick(naming);
			const key = random.pick(keys);
			const [own, others] = key === rival.key ? [theirs, mine] : [mine, theirs];
			// Both have a workspace of the same name, and a name of theirs alone is none of others.
			const names = (parametersOf(path) as readonly ParameterName[]).filter(name => own[name] !== others[name]);
			if (names.length === 0) {
				continue;
			}

			const foreign = new Set([random.pick(names), ...names.filter(() => random.below(2) === 0)]);
			const mixed = (of: (name: ParameterName) => string) =>
				({...own, ...Object.fromEntries([...foreign].map(name => [name, of(name)]))}) as Parameters;
			await tally.attempt(`${id} with ${[...foreign].join(', ')} of others`, async () => {
				const asked = await ask(
					server,
					id,
					mixed(name => others[name]),
					key,
				);
				const unknown = await ask(
					server,
					id,
					mixed(name => unknownName(name, own)),
					key,
				);
				if (asked.status < 400 || asked.status !== unknown.status || asked.text !== unknown.text) {
					throw new Error(`${asked.status} ${asked.text} instead of ${unknown.status} ${unknown.text}`);
				}
			});
		}

		return tally.figure();
	},
};

/** What isn't the key, but looks almost like it. */
const forgeries: readonly ((key: string, below: (limit: number) => number) => string)[] = [
	() => '',
	() => 'svc_',
	key => key.slice(0, -1),
	key => `${key}a`,
	key => key.toUpperCase(),
	key => [...key].toReversed().join(''),
	(key, below) => {
		const at = 4 + below(key.length - 4);
		return `${key.slice(0, at)}${key[at] === 'x' ? 'y' : 'x'}${key.slice(at + 1)}`;
	},
	key => `${key},${key}x`,
];

const forgedKeys: Fault = {
	name: 'no key, and keys that are almost right, for every operation: each is refused, and nothing is said',
	rules: [26],
	amounts: {test: 120, full: 5000},
	async run({seed, amount}) {
		const tally = createTally();
		const random = createRandom(seed);
		const {server, parameters} = await startServer();
		for (let turn = 0; turn < amount; turn += 1) {
			const [id] = rows[turn % rows.length] ?? random.pick(rows);
			const {method, path} = callOf(id, parameters);
			const key = random.pick(forgeries)(server.owner.key, random.below);
			await tally.attempt(`${method} ${path} with ${JSON.stringify(key)}`, async () => {
				const {status, text: said} = await sendRaw(server, path, {
					method,
					headers: {authorization: `Bearer ${key}`},
					...(method !== 'GET' && {body: '{}'}),
				});
				if (status !== 401 && status !== 429) {
					throw new Error(`${status} ${said}`);
				}
			});
		}

		return tally.figure();
	},
};

const strangeHosts: Fault = {
	name: 'another Host or Origin, as DNS rebinding and pages of others send them: refused, and nothing is said',
	rules: [25],
	amounts: {test: 40, full: 4000},
	async run({seed, amount}) {
		const tally = createTally();
		const random = createRandom(seed);
		const {url} = await serve();
		const {host, port} = new URL(url);
		// Other spellings of 127.0.0.1 are that address, and other ports are tunnels to it: nobody else can have them.
		const hosts = ['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`];
		const origins = [
			'https://evil.example',
			'null',
			`https://${host}`,
			`http://127.0.0.1:1`,
			`http://${host}.evil.example`,
		];
		for (let turn = 0; turn < amount; turn += 1) {
			const isHost = random.below(2) === 0;
			const headers: Record<string, string> = isHost
				? {host: random.pick(hosts)}
				: {host, origin: random.pick(origins)};
			const method = isHost ? random.pick(['GET', 'POST']) : 'POST';
			await tally.attempt(`${method} with ${JSON.stringify(headers)}`, async () => {
				const {status, text: said} = await send(url, {
					method,
					path: random.pick(['/api/v1/user/api-keys', '/api/v1/user/preferences']),
					headers: {...bearer, ...headers, 'content-type': 'application/json'},
					...(method === 'POST' && {body: '{"name":"x"}'}),
				});
				if (status < 400 || status >= 500) {
					throw new Error(`${status} ${said}`);
				}
			});
		}

		return tally.figure();
	},
};

/** Runs `serve` of the built program on a folder. */
function serveOn(data: string, ...args: readonly string[]) {
	return spawn(process.execPath, [program, 'serve', ...args, '--data', data, '--json'], {
		stdio: ['ignore', 'pipe', 'ignore'],
		env: environmentOf({}),
	});
}

const killedServer: Fault = {
	name: 'kill -9 of a server under load, again and again on one folder: every key that it said it created is there',
	rules: [18],
	amounts: {test: 1, full: 40},
	async run({seed, amount}) {
		const tally = createTally();
		const random = createRandom(seed);
		const data = folderWith();
		const {api_key: key} = JSON.parse(await text(serveOn(data, 'init').stdout));
		const headers = {authorization: `Bearer ${key}`, 'content-type': 'application/json'};
		const acknowledged: string[] = [];
		for (let kill = 0; kill <= amount; kill += 1) {
			const child = serveOn(data, '--port', '0');
			try {
				let url = '';
				for await (const line of createInterface({input: child.stdout})) {
					url = JSON.parse(line).url;
					break;
				}

				if (kill > 0) {
					const listed: ReadonlyArray<{name: string}> = await (
						await fetch(`${url}/api/v1/user/api-keys`, {headers})
					).json();
					const names = new Set(listed.map(({name}) => name));
					const lost = acknowledged.filter(name => !names.has(name));
					tally.add(
						acknowledged.length,
						lost.map(name => `kill ${kill}: the key ${name} is lost`),
					);
					acknowledged.splice(0);
				}

				const write = async (name: string) => {
					const body = JSON.stringify({name});
					const response = await fetch(`${url}/api/v1/user/api-keys`, {method: 'POST', headers, body}).catch(
						() => undefined,
					);
					if (response?.ok && (await response.json().catch(() => undefined))) {
						acknowledged.push(name);
					}
				};
				const writes = Array.from({length: kill < amount ? 24 : 0}, (_, index) => write(`${kill}-${index}`));
				await (kill < amount && Promise.race(writes));
				await sleep(random.below(30));
				child.kill('SIGKILL');
				await Promise.all(writes);
			} finally {
				child.kill('SIGKILL');
				if (child.exitCode === null && child.signalCode === null) {
					await once(child, 'exit');
				}
			}
		}

		return tally.figure();
	},
};

export const server: readonly Fault[] = [anyRequests, othersObjects, forgedKeys, strangeHosts, killedServer];
