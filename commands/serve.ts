import {isIPv6} from 'node:net';
import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {init} from '../src/command/serve/serve-init.ts';
import {describePlace, firstOrganization, place} from '../src/command/serve/serve-place.ts';
import {credits, limits} from '../src/command/serve/serve-quota.ts';
import {recordOf, sayWhatRuns, servedFields} from '../src/command/serve/server-lines.ts';
import {isLoopback, parseServerUrl} from '../src/core/origin.ts';

/** Where it listens where it is told nothing. */
const usualPort = 8700;

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
		minClient: z.optional(
			z.string().check(z.regex(/^\d+(?:\.\d+){0,2}(?:-[\w.]+)?$/, 'takes a version, such as 0.2.0')),
		),
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
		minClient: 'the oldest version of this program that it answers, such as 0.2.0; older ones are told to update',
		demo: 'an organization with sessions, findings and runs, to look around in',
		logLevel: 'what is written to standard error, a line of JSON each; warn by default',
	},
	examples: ['serve', 'serve --port 0 --json', 'serve --database postgres://service@127.0.0.1/service'],
	where: 'shell',

	async run(
		{port, host, artifacts, storageLimit, publicUrl, minClient, unsafeSandboxes, demo, logLevel, ...where},
		{env, interact, signal},
	) {
		if (host !== undefined && !isLoopback(parseServerUrl(`http://${isIPv6(host) ? `[${host}]` : host}`))) {
			interact.say(
				`Others can reach ${host}, and read what goes over plain http: put a proxy with TLS in front of it.`,
			);
		}

		const {serve} = await import('../src/server/run/serve.ts');
		const served = await serve({
			env,
			...where,
			host,
			port,
			artifacts,
			storageLimit: storageLimit === undefined ? undefined : Math.round(storageLimit * 1e9),
			publicUrl: publicUrl && parseServerUrl(publicUrl).origin,
			unsafeSandboxes,
			minimumClient: minClient,
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

const member = command({
	name: 'member',
	summary: 'Add a member to an organization, or change the role',
	args: z.object({email: z.string(), role: z._default(z.enum(['member', 'admin', 'owner']), 'member'), ...place}),
	positional: ['email'],
	describe: {email: 'by which the member logs in', role: 'member by default', ...describePlace},
	examples: ['serve member grace@acme.example --role admin --org acme'],
	where: 'shell',

	async run({email, role, ...where}, {env, flags}) {
		const {addToOrganization} = await import('../src/server/run/serve.ts');
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
	summary: 'Create a new API key for a locked-out user',
	args: z.object({email: z.string(), ...place}),
	positional: ['email'],
	describe: {email: 'of the user', ...describePlace},
	examples: ['serve key ada@acme.example'],
	where: 'shell',

	async run({email, ...where}, {env}) {
		const {makeKeyOf} = await import('../src/server/run/serve.ts');
		const made = await makeKeyOf({env, ...where}, email);
		return {
			kind: 'text',
			text: `A new API key for ${email}: ${made.reveal()}\nCopy it now; it won't be shown again.`,
			data: {api_key: made.reveal()},
		};
	},
});

const password = command({
	name: 'password',
	summary: 'Create a code with which a user chooses a password',
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
		const {makePasswordCodeOf} = await import('../src/server/run/serve.ts');
		const code = (await makePasswordCodeOf({env, ...where}, email, {dropSecondFactor})).reveal();
		return {
			kind: 'text',
			text: `One-time password code for ${email} (valid 3 days). Enter it at <server>/password: ${code}`,
			data: {password_code: code},
		};
	},
});

export default noun({
	name: 'serve',
	summary: 'Run a server of the platform on this machine',
	verbs: [start, init, member, key, password, credits, limits],
	fallback: 'start',
});
