import {isIPv6} from 'node:net';
import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import type {Result} from '../src/command/result.ts';
import {
	fieldsOf,
	finishing,
	placeFlags,
	recordOf,
	sayWhatRuns,
	servedFields,
} from '../src/command/views/server-lines.ts';
import {AppError} from '../src/core/error.ts';
import {formatDuration, formatNumber} from '../src/core/format.ts';
import {isLoopback, originOf, parseServerUrl} from '../src/core/origin.ts';
import {shellLine} from '../src/core/program-name.ts';

/** The default slug of the first organization. */
const firstOrganization = 'default';

/** The flags that select a server's data. */
const place = {data: z.optional(z.string()), database: z.optional(z.string())};

const describePlace = {
	data: 'data folder, created if missing; server in the state folder by default',
	database: 'PostgreSQL as postgres://user@host/name, instead of SQLite in the data folder',
};

/** The port that it listens on, by default. */
const defaultPort = 8700;

const start = command({
	name: 'start',
	summary: 'Run a server of the platform on this machine',
	args: z.object({
		port: z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(65_535)), defaultPort),
		host: z.optional(z.string()),
		...place,
		artifacts: z.optional(z.string()),
		storageLimit: z.optional(z.coerce.number().check(z.gte(0.1), z.lte(1_000_000))),
		publicUrl: z.optional(z.string()),
		keepAlive: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(86_400))),
		unsafeSandboxes: z._default(z.boolean(), false),
		minClient: z.optional(
			z.string().check(z.regex(/^\d+(?:\.\d+){0,2}(?:-[\w.]+)?$/, 'takes a version, such as 0.2.0')),
		),
		demo: z._default(z.boolean(), false),
		logLevel: z._default(z.enum(['info', 'warn', 'error']), 'warn'),
	}),
	describe: {
		port: `port to listen on, ${defaultPort} by default; 0 for a free one`,
		host: 'address to listen on; 127.0.0.1 by default, for this machine only',
		...describePlace,
		artifacts: 'bucket as s3://name?endpoint=https://host; the data folder by default',
		storageLimit: 'maximum GB of spans and artifacts per organization; 10 by default',
		publicUrl: 'URL for browsers and clients, with its path, if a proxy is in front',
		keepAlive: 'seconds that idle connections stay open; 75 by default, more than a load balancer’s 60',
		unsafeSandboxes: 'run tasks without containment if bubblewrap is missing',
		minClient: 'oldest accepted client version, such as 0.2.0; older ones must update',
		demo: 'create a demo organization with sessions, findings and runs',
		logLevel: 'minimum level of JSON log lines on stderr; warn by default',
	},
	examples: ['serve', 'serve --port 0 --json', 'serve --database postgres://service@127.0.0.1/service'],
	where: 'shell',

	async run(
		{port, host, artifacts, storageLimit, publicUrl, keepAlive, minClient, unsafeSandboxes, demo, logLevel, ...where},
		{program, ui: {interact}, signal},
	) {
		if (host !== undefined && !isLoopback(parseServerUrl(`http://${isIPv6(host) ? `[${host}]` : host}`))) {
			interact.say(`Anyone on the network can reach ${host} and read plain HTTP. Put a proxy with TLS in front.`);
		}

		const {serve} = await import('../src/server/run/serve.ts');
		const served = await serve({
			env: program.local.env,
			...where,
			host,
			port,
			artifacts,
			storageLimit: storageLimit === undefined ? undefined : Math.round(storageLimit * 1e9),
			publicUrl: publicUrl && originOf(publicUrl),
			keepAliveMs: keepAlive === undefined ? undefined : keepAlive * 1000,
			unsafeSandboxes,
			minimumClient: minClient,
			demo,
			logLevel,
			writeLog: line => interact.log?.(line),
			debug: program.local.debug,
			signal,
			onFinishing: requests => interact.say(finishing(requests)),
		});
		const {url, demo: made} = served;
		const data = {url, ...(made && recordOf(made))};
		return {
			kind: 'running',
			shown: {
				kind: 'record',
				title: `Listening on ${url}`,
				fields: servedFields(served, publicUrl ? originOf(publicUrl) : url),
				data,
			},
			data,
			ended: served.ended.then(sandboxes => sayWhatRuns(interact.say, sandboxes)),
		};
	},
});

/** The owner of the first organization, by default. */
const firstEmail = 'admin@localhost';

/** Prints the defaults that it used, and how to change them. */
const init = command({
	name: 'init',
	summary: 'Create a user, an organization and an API key',
	args: z.object({...place, email: z.optional(z.string())}),
	describe: {...describePlace, email: `of the owner, who logs in with it; ${firstEmail} by default`},
	examples: ['serve init --json', 'serve init --org acme --workspace main --project web --email ada@acme.example'],
	where: 'shell',

	async run({email: given, data, database}, {program, flags}) {
		const {initializeData, ownerOf} = await import('../src/server/run/serve.ts');
		const beginning = {
			organization: flags.org ?? firstOrganization,
			workspace: flags.workspace ?? 'main',
			project: flags.project ?? 'default',
			email: given ?? firstEmail,
		};
		const at = placeFlags({data, database});
		const made = await initializeData({env: program.local.env, data, database}, beginning).catch(
			async (error: unknown) => {
				throw error instanceof AppError && error.code === 'conflict'
					? existsAlready(
							beginning.organization,
							await ownerOf({env: program.local.env, data, database}, beginning.organization),
							at,
						)
					: error;
			},
		);
		const {organization, workspace, project, email} = beginning;
		const chosen = [
			...(given === undefined ? [`--email ${email}`] : []),
			...(flags.org === undefined ? [`--org ${organization}`] : []),
			...(flags.workspace === undefined ? [`--workspace ${workspace}`] : []),
			...(flags.project === undefined ? [`--project ${project}`] : []),
		].join(' ');
		const record = recordOf(made);
		return {
			kind: 'group',
			parts: [
				{
					kind: 'record',
					title: made.isNewUser
						? `Created user ${email} in organization ${organization}.`
						: `Created organization ${organization} for ${email}, an existing user.`,
					fields: fieldsOf(made),
					data: record,
				},
				{
					kind: 'text',
					text: [
						"Copy this API key now; it won't be shown again.",
						`Start the server:    ${shellLine(`serve${at}`)}`,
						`Choose a password:   ${shellLine(`serve password ${email}${at}`)}`,
						...(chosen ? [`Used by default:     ${chosen}`] : []),
						...(chosen ? [`To choose:           ${shellLine(`serve init --org <name> --email <address>${at}`)}`] : []),
					].join('\n'),
				},
			],
			data: record,
		};
	},
});

function existsAlready(organization: string, owner: string | undefined, at: string): AppError {
	const whose = owner === undefined ? '' : ` (owner ${owner})`;
	const key = owner === undefined ? '' : `Create another API key: \`$ serve key ${owner}${at}\`. `;
	return new AppError('conflict', `Organization ${organization}${whose} already exists. Nothing was changed.`, {
		hint: `${key}Create another organization: \`$ serve init --org <name>${at}\``,
	});
}

const member = command({
	name: 'member',
	summary: 'Add or remove a member of an organization, set the role',
	args: z.object({
		email: z.string(),
		role: z.optional(z.enum(['member', 'admin', 'owner'])),
		remove: z.optional(z.boolean()),
		...place,
	}),
	positional: ['email'],
	describe: {
		email: 'e-mail address to log in with',
		role: 'of a new member, member by default; without it, others keep theirs',
		remove: 'end their access to the organization; what they made stays',
		...describePlace,
	},
	examples: ['serve member grace@acme.example --role admin --org acme', 'serve member grace@acme.example --remove'],
	where: 'shell',

	async run({email, role: given, remove, ...where}, {program, flags}): Promise<Result> {
		if (remove && given) {
			throw new AppError('usage', '--remove takes no --role.', {hint: 'Leave out one of them.'});
		}

		const {addToOrganization, organizationOf, removeFromOrganization} = await import('../src/server/run/serve.ts');
		const organization = await organizationOf({env: program.local.env, ...where}, flags.org);
		if (remove) {
			const {userId, sandboxes} = await removeFromOrganization(
				{env: program.local.env, ...where},
				{organization, email},
			);
			const left =
				sandboxes > 0 ? ` Their sandboxes still running or paused: ${sandboxes}. An admin can stop them.` : '';
			return {
				kind: 'text',
				text: `${email} is no longer a member of ${organization}.${left}`,
				data: {user_id: userId, removed: true, sandboxes},
			};
		}

		const {userId, role, apiKey} = await addToOrganization(
			{env: program.local.env, ...where},
			{organization, email, role: given},
		);
		const key = apiKey?.reveal();
		return {
			kind: 'text',
			text: `${email} is ${role === 'member' ? 'a member' : `an ${role}`} of ${organization}.${key ? ` API key (copy it now; it won't be shown again): ${key}` : ''}`,
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

	async run({email, ...where}, {program}) {
		const {makeKeyOf} = await import('../src/server/run/serve.ts');
		const made = await makeKeyOf({env: program.local.env, ...where}, email);
		return {
			kind: 'text',
			text: `A new API key for ${email}: ${made.reveal()}\nCopy it now; it won't be shown again.`,
			data: {api_key: made.reveal()},
		};
	},
});

const password = command({
	name: 'password',
	summary: 'Create a one-time code to set a password',
	args: z.object({email: z.string(), dropSecondFactor: z._default(z.boolean(), false), ...place}),
	positional: ['email'],
	describe: {
		email: 'of the user',
		dropSecondFactor: 'also turn off the second factor, if app and recovery codes are lost',
		...describePlace,
	},
	examples: ['serve password ada@acme.example'],
	where: 'shell',

	async run({email, dropSecondFactor, ...where}, {program}) {
		const {makePasswordCodeOf} = await import('../src/server/run/serve.ts');
		const code = (await makePasswordCodeOf({env: program.local.env, ...where}, email, {dropSecondFactor})).reveal();
		return {
			kind: 'text',
			text: `One-time password code for ${email} (valid 3 days). Enter it at <server>/password: ${code}`,
			data: {password_code: code},
		};
	},
});

const amount = z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(1_000_000_000)));

const credits = command({
	name: 'credits',
	summary: 'Show and change the credits of an organization',
	args: z.object({
		grant: amount,
		refill: amount,
		threshold: amount,
		cap: amount,
		limit: amount,
		member: z.optional(z.string()),
		...place,
	}),
	describe: {
		grant: 'credits to add; the first grant starts billing',
		refill: 'credits that a refill buys, 0 for none',
		threshold: 'balance below which a refill is bought',
		cap: 'maximum refills a month',
		member: 'e-mail address of a member, to show limit and usage',
		limit: 'with --member: maximum credits a month, 0 for no limit',
		...describePlace,
	},
	examples: [
		'serve credits',
		'serve credits --grant 5000 --refill 1000 --threshold 500 --cap 3',
		'serve credits --member ada@acme.example --limit 200',
	],
	where: 'shell',

	async run({data, database, ...change}, {program, flags}) {
		if (change.limit !== undefined && change.member === undefined) {
			throw new AppError('usage', '--limit needs --member.', {hint: 'Name the member with --member <email>.'});
		}

		const {changeCreditsOf, organizationOf} = await import('../src/server/run/serve.ts');
		const organization = await organizationOf({env: program.local.env, data, database}, flags.org);
		const state = await changeCreditsOf({env: program.local.env, data, database}, {organization, ...change});
		const {member, ...account} = state;
		const shown = (value: number | null) => (value === null ? 'none' : formatNumber(value));
		return {
			kind: 'record',
			title: `Credits of ${organization}`,
			fields: [
				...Object.entries(account).map(([name, value]) => [name, shown(value)] as const),
				...(member
					? ([
							['member', member.email],
							['monthly limit', shown(member.monthly_limit)],
							['used this month', formatNumber(member.month_used)],
						] as const)
					: []),
			],
			data: state,
		};
	},
});

const seconds = z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(31_536_000)));

const limits = command({
	name: 'limits',
	summary: 'Show and change the sandbox limits of an organization',
	args: z.object({
		max: seconds,
		default: seconds,
		capacity: z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(10_000))),
		...place,
	}),
	describe: {
		max: 'longest run of a sandbox in seconds, 0 for the platform limit',
		default: 'run in seconds if no time is requested, 0 for the platform default',
		capacity: 'maximum sandboxes at once, 0 for the platform limit',
		...describePlace,
	},
	examples: ['serve limits', 'serve limits --org acme --max 7200 --default 1800 --capacity 4'],
	where: 'shell',

	async run({data, database, ...change}, {program, flags}): Promise<Result> {
		const {changeLimitsOf, organizationOf} = await import('../src/server/run/serve.ts');
		const organization = await organizationOf({env: program.local.env, data, database}, flags.org);
		const state = await changeLimitsOf({env: program.local.env, data, database}, {organization, ...change});
		const {effective} = state;
		const from = (own: number | null) => (own === null ? ' (platform)' : '');
		return {
			kind: 'record',
			title: `Sandbox limits of ${organization}`,
			fields: [
				['longest run', `${formatDuration(effective.max_seconds * 1000)}${from(state.max_seconds)}`],
				['default run', `${formatDuration(effective.default_seconds * 1000)}${from(state.default_seconds)}`],
				['at once', `${formatNumber(effective.capacity)}${from(state.capacity)}`],
			],
			data: state,
		};
	},
});

const machine = command({
	name: 'machine',
	summary: 'List the machines with sandboxes, or forget a lost one',
	args: z.object({action: z.enum(['list', 'forget']), id: z.optional(z.string()), ...place}),
	positional: ['action', 'id'],
	describe: {
		action: 'list, or forget: ends all sandboxes of a machine that is gone for good',
		id: 'of the machine to forget, or the beginning of it',
		...describePlace,
	},
	examples: ['serve machine list', 'serve machine forget 4f2a91c0'],
	where: 'shell',

	async run({action, id, ...where}, {program}): Promise<Result> {
		if ((id === undefined) === (action === 'forget')) {
			throw new AppError('usage', action === 'list' ? 'list takes no id.' : 'forget needs the id of a machine.', {
				hint: 'See all with `$ serve machine list`.',
			});
		}

		const {forgetMachineOf, machinesOf} = await import('../src/server/run/serve.ts');
		if (id === undefined) {
			const machines = await machinesOf({env: program.local.env, ...where});
			return {
				kind: 'table',
				columns: [
					{label: 'machine', whole: true},
					{label: 'host', cut: 'middle'},
					{label: 'sandboxes'},
					{label: 'seen'},
				],
				rows: machines.map(({id, host, sandboxes, seen_at}) => [id, host, formatNumber(sandboxes), {at: seen_at}]),
				empty: 'No machines yet. Start a server: `$ serve`',
				data: machines.map(({id, host, sandboxes, seen_at}) => ({id, host: host || null, sandboxes, seen_at})),
			};
		}

		const {id: forgotten, host, ended} = await forgetMachineOf({env: program.local.env, ...where}, id);
		return {
			kind: 'text',
			text: `Forgot machine ${forgotten}${host && ` (${host})`}. Sandboxes ended: ${ended}.`,
			data: {id: forgotten, host: host || null, sandboxes_ended: ended},
		};
	},
});

export default noun({
	name: 'serve',
	summary: 'Run a server of the platform on this machine',
	verbs: [start, init, member, key, password, credits, limits, machine],
	fallback: 'start',
});
