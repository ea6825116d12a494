import {isIPv6} from 'node:net';
import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {isLoopback, parseServerUrl} from '../src/core/origin.ts';
import type {Initialized} from '../src/server/accounts/initialize.ts';

/** Where it listens where it is told nothing. */
const usualPort = 8700;

const place = {data: z.optional(z.string()), database: z.optional(z.string())};
const describePlace = {
	data: 'the folder of its data, made where there is none; server in the state folder otherwise',
	database: 'a PostgreSQL server as postgres://user@host/name, instead of SQLite in that folder',
};

const start = command({
	name: 'start',
	summary: 'Run a server of the platform on this machine',
	args: z.object({
		port: z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(65_535)), usualPort),
		host: z.optional(z.string()),
		...place,
		publicUrl: z.optional(z.string()),
		demo: z._default(z.boolean(), false),
		logLevel: z._default(z.enum(['info', 'warn', 'error']), 'warn'),
	}),
	describe: {
		port: `where it listens, ${usualPort} by default; 0 for a free one`,
		host: 'the address that it listens on; this machine alone can reach 127.0.0.1, the default',
		...describePlace,
		publicUrl: 'where browsers and clients reach it, if a proxy stands in front of it',
		demo: 'an organization with sessions, findings and runs, to look around in',
		logLevel: 'what is written to standard error, a line of JSON each; warn by default',
	},
	examples: ['serve', 'serve --port 0 --json', 'serve --database postgres://service@127.0.0.1/service'],
	where: 'shell',

	async run({port, host, publicUrl, demo, logLevel, ...where}, {env, interact, signal}) {
		if (host !== undefined && !isLoopback(parseServerUrl(`http://${isIPv6(host) ? `[${host}]` : host}`))) {
			interact.say(
				`Others can reach ${host}, and read what goes over plain http: put a proxy with TLS in front of it.`,
			);
		}

		const {serve} = await import('../src/server/serve.ts');
		const {
			url,
			folder,
			engine,
			isEmpty,
			demo: made,
			ended,
		} = await serve({
			env,
			...where,
			host,
			port,
			publicUrl: publicUrl && parseServerUrl(publicUrl).origin,
			demo,
			logLevel,
			writeLog: line => interact.log?.(line),
			signal,
		});
		const data = {url, ...(made && recordOf(made))};
		return {
			kind: 'running',
			shown: {
				kind: 'record',
				title: `Listening on ${url}`,
				fields: [
					['data', engine === 'sqlite' ? `${folder} (SQLite)` : `PostgreSQL; files in ${folder}`],
					...(made ? fieldsOf(made) : []),
					['log in', loginLine(publicUrl ?? url, made)],
					...(isEmpty ? ([['first', 'Nobody has an account here yet; run: service serve init']] as const) : []),
					['stop', 'Ctrl+C'],
				],
				data,
			},
			data,
			ended,
		};
	},
});

const init = command({
	name: 'init',
	summary: 'Make the first user, organization and API key',
	args: z.object({...place, email: z.optional(z.string())}),
	describe: {...describePlace, email: 'of the first user, by which he signs in'},
	examples: ['serve init --json', 'serve init --org acme --workspace main --project web --email ada@acme.example'],
	where: 'shell',

	async run({email = 'admin@localhost', data, database}, {env, flags}) {
		const {initializeData} = await import('../src/server/serve.ts');
		const made = await initializeData(
			{env, data, database},
			{
				organization: flags.org ?? 'default',
				workspace: flags.workspace ?? 'main',
				project: flags.project ?? 'default',
				email,
			},
		);
		const record = recordOf(made);
		return {
			kind: 'group',
			parts: [
				{
					kind: 'record',
					title: 'Made the first user',
					fields: fieldsOf(made),
					data: record,
				},
				{
					kind: 'text',
					text: 'The key is shown this once. Start the server with: service serve',
				},
			],
			data: record,
		};
	},
});

/** What is printed of it, as other programs read it. */
function recordOf({apiKey, organization, workspace, project, userId}: Initialized) {
	return {api_key: apiKey.reveal(), org: organization, workspace, project, user_id: userId};
}

function fieldsOf(made: Initialized): ReadonlyArray<readonly [string, string]> {
	return Object.entries(recordOf(made)).map(([name, value]) => [name.replace('_', ' '), value]);
}

/** How a person logs in; his scope goes with him, so that commands need no flags. */
function loginLine(url: string, made: Initialized | undefined): string {
	const scope = made ? ` --org ${made.organization} --workspace ${made.workspace} --project ${made.project}` : '';
	return `service login --server ${url}${scope}`;
}

export default noun({
	name: 'serve',
	summary: 'Run a server of the platform on this machine',
	verbs: [start, init],
	fallback: 'start',
});
