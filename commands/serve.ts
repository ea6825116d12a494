import {isIPv6} from 'node:net';
import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {fieldsOf, placeFlags, recordOf, sayWhatRuns, servedFields} from '../src/command/server-lines.ts';
import {AppError} from '../src/core/error.ts';
import {formatNumber} from '../src/core/format.ts';
import {isLoopback, parseServerUrl} from '../src/core/origin.ts';
import {shellLine} from '../src/core/program-name.ts';

/** Where it listens where it is told nothing. */
const usualPort = 8700;

/** What the first organization is called where it is given no other slug. */
const firstOrganization = 'default';

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
		artifacts: z.optional(z.string()),
		storageLimit: z.optional(z.coerce.number().check(z.gte(0.1), z.lte(1_000_000))),
		publicUrl: z.optional(z.string()),
		unsafeSandboxes: z._default(z.boolean(), false),
		demo: z._default(z.boolean(), false),
		logLevel: z._default(z.enum(['info', 'warn', 'error']), 'warn'),
	}),
	describe: {
		port: `where it listens, ${usualPort} by default; 0 for a free one`,
		host: 'the address that it listens on; this machine alone can reach 127.0.0.1, the default',
		...describePlace,
		artifacts: 'a bucket as s3://name?endpoint=https://host; the data folder otherwise',
		storageLimit: 'gigabytes of spans and artifacts that an organization may store; 10 by default',
		publicUrl: 'where browsers and clients reach it, if a proxy stands in front of it',
		unsafeSandboxes: 'let tasks run with all rights of this server where bubblewrap is missing',
		demo: 'an organization with sessions, findings and runs, to look around in',
		logLevel: 'what is written to standard error, a line of JSON each; warn by default',
	},
	examples: ['serve', 'serve --port 0 --json', 'serve --database postgres://service@127.0.0.1/service'],
	where: 'shell',

	async run(
		{port, host, artifacts, storageLimit, publicUrl, unsafeSandboxes, demo, logLevel, ...where},
		{env, interact, signal},
	) {
		if (host !== undefined && !isLoopback(parseServerUrl(`http://${isIPv6(host) ? `[${host}]` : host}`))) {
			interact.say(
				`Others can reach ${host}, and read what goes over plain http: put a proxy with TLS in front of it.`,
			);
		}

		const {serve} = await import('../src/server/serve.ts');
		const served = await serve({
			env,
			...where,
			host,
			port,
			artifacts,
			storageLimit: storageLimit === undefined ? undefined : Math.round(storageLimit * 1e9),
			publicUrl: publicUrl && parseServerUrl(publicUrl).origin,
			unsafeSandboxes,
			demo,
			logLevel,
			writeLog: line => interact.log?.(line),
			signal,
		});
		const {url, demo: made} = served;
		const data = {url, ...(made && recordOf(made))};
		return {
			kind: 'running',
			shown: {
				kind: 'record',
				title: `Listening on ${url}`,
				fields: servedFields(served, publicUrl ?? url),
				data,
			},
			data,
			ended: served.ended.then(sandboxes => sayWhatRuns(interact.say, sandboxes)),
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
				organization: flags.org ?? firstOrganization,
				workspace: flags.workspace ?? 'main',
				project: flags.project ?? 'default',
				email,
			},
		);
		const record = recordOf(made);
		const at = placeFlags({data, database});
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
					text: `The key is shown this once.\nStart the server:    ${shellLine(`serve${at}`)}\nChoose a password:   ${shellLine(`serve password ${email}${at}`)}`,
				},
			],
			data: record,
		};
	},
});

const member = command({
	name: 'member',
	summary: 'Add a member to an organization, or change the role',
	args: z.object({email: z.string(), role: z._default(z.enum(['member', 'admin', 'owner']), 'member'), ...place}),
	positional: ['email'],
	describe: {email: 'by which the member signs in', role: 'member by default', ...describePlace},
	examples: ['serve member grace@acme.example --role admin --org acme'],
	where: 'shell',

	async run({email, role, ...where}, {env, flags}) {
		const {addToOrganization} = await import('../src/server/serve.ts');
		const organization = flags.org ?? firstOrganization;
		const {userId, apiKey} = await addToOrganization({env, ...where}, {organization, email, role});
		const key = apiKey?.reveal();
		return {
			kind: 'text',
			text: `${email} is ${role === 'member' ? 'a member' : `an ${role}`} of ${organization}.${key ? ` The first API key, shown this once: ${key}` : ''}`,
			data: {user_id: userId, role, ...(key && {api_key: key})},
		};
	},
});

const key = command({
	name: 'key',
	summary: 'Make an API key of a user who lost all of his',
	args: z.object({email: z.string(), ...place}),
	positional: ['email'],
	describe: {email: 'of the user', ...describePlace},
	examples: ['serve key ada@acme.example'],
	where: 'shell',

	async run({email, ...where}, {env}) {
		const {makeKeyOf} = await import('../src/server/serve.ts');
		const made = await makeKeyOf({env, ...where}, email);
		return {
			kind: 'text',
			text: `An API key of ${email}, shown this once: ${made.reveal()}`,
			data: {api_key: made.reveal()},
		};
	},
});

const password = command({
	name: 'password',
	summary: 'Make a code with which a user chooses a password',
	args: z.object({email: z.string(), dropSecondFactor: z._default(z.boolean(), false), ...place}),
	positional: ['email'],
	describe: {
		email: 'of the user',
		dropSecondFactor: 'turns the second factor off, for a user who lost the app and the recovery codes',
		...describePlace,
	},
	examples: ['serve password ada@acme.example'],
	where: 'shell',

	async run({email, dropSecondFactor, ...where}, {env}) {
		const {makePasswordCodeOf} = await import('../src/server/serve.ts');
		const code = (await makePasswordCodeOf({env, ...where}, email, {dropSecondFactor})).reveal();
		return {
			kind: 'text',
			text: `With this code ${email} chooses a password at /password of the server, once and within three days: ${code}`,
			data: {password_code: code},
		};
	},
});

const amount = z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(1_000_000_000)));

const credits = command({
	name: 'credits',
	summary: 'Show and change the credits of an organization',
	args: z.object({
		...{grant: amount, refill: amount, threshold: amount, cap: amount, limit: amount},
		member: z.optional(z.string()),
		...place,
	}),
	describe: {
		grant: 'credits to give; the first ones begin the billing',
		refill: 'what a refill buys, 0 for none',
		threshold: 'the balance below which it is bought',
		cap: 'most refills in a month',
		member: 'e-mail address of the member whose limit it is',
		limit: 'what the member may use in a month, 0 for no limit',
		...describePlace,
	},
	examples: ['serve credits', 'serve credits --grant 5000 --refill 1000 --threshold 500 --cap 3'],
	where: 'shell',

	async run({data, database, ...change}, {env, flags}) {
		if ((change.member === undefined) !== (change.limit === undefined)) {
			throw new AppError('usage', '--member and --limit go together.', {hint: 'Give both, or none.'});
		}

		const {changeCreditsOf} = await import('../src/server/serve.ts');
		const organization = flags.org ?? firstOrganization;
		const state = await changeCreditsOf({env, data, database}, {organization, ...change});
		return {
			kind: 'record',
			title: `Credits of ${organization}`,
			fields: Object.entries(state).map(([name, value]) => [name, value === null ? 'none' : formatNumber(value)]),
			data: state,
		};
	},
});

export default noun({
	name: 'serve',
	summary: 'Run a server of the platform on this machine',
	verbs: [start, init, member, key, password, credits],
	fallback: 'start',
});
