import {isIPv6} from 'node:net';
import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import type {Command} from '../src/command/context.ts';
import type {Result} from '../src/command/result.ts';
import {
	draining,
	fieldsOf,
	finishing,
	placeFlags,
	recordOf,
	sayWhatRuns,
	servedFields,
} from '../src/command/views/server-lines.ts';
import {AppError} from '../src/core/error.ts';
import {formatBytes, formatDuration, formatNumber} from '../src/core/format.ts';
import {isLoopback, originOf} from '../src/core/origin.ts';
import {shellLine} from '../src/core/program-name.ts';
import type {Interaction} from '../src/platform/interaction.ts';

/** The default slug of the first organization. */
const firstOrganization = 'default';

/** The flags that select a server's data. */
const place = {data: z.optional(z.string()), database: z.optional(z.string()), config: z.optional(z.string())};

const describePlace = {
	data: 'data folder, created if missing; server in the state folder by default',
	database: 'PostgreSQL as postgres://user@host/name, instead of SQLite in the data folder',
	config: 'YAML file with flags as keys; SERVICE_SERVE_<FLAG> wins over it, a flag over both',
};

/** The port that it listens on, by default. */
const defaultPort = 8700;

/** The URL that a server on a host would have. */
const urlOfHost = (host: string) => `http://${isIPv6(host) ? `[${host}]` : host}`;

const isHost = (text: string) => (isIPv6(text) || !/[\s:/?#@[\]\\]/.test(text)) && URL.canParse(urlOfHost(text));

const serverUrl = z.string().check(
	z.refine(text => {
		try {
			return originOf(text) !== '';
		} catch {
			return false;
		}
	}, 'takes a URL without a user name, such as https://agents.example.com'),
);

/** How a variable of a flag begins. */
const variablePrefix = 'SERVICE_SERVE_';

/** The flags of a server, which `check` and `deploy` read, too. */
const startShape = {
	port: z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(65_535)), defaultPort),
	host: z.optional(z.string().check(z.refine(isHost, 'takes a name or an address, such as 0.0.0.0'))),
	...place,
	artifacts: z.optional(z.string()),
	storageLimit: z.optional(z.coerce.number().check(z.gte(0.1), z.lte(1_000_000))),
	retention: z.optional(z.string()),
	publicUrl: z.optional(serverUrl),
	address: z.optional(serverUrl),
	serviceDomain: z.optional(
		z
			.string()
			.check(z.regex(/^[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d{1,5})?$/, 'takes a domain, such as sandboxes.example.com')),
	),
	keepAlive: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(86_400))),
	metrics: z.optional(z.string()),
	drain: z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(3600))),
	pool: z.optional(z.coerce.number().check(z.int(), z.gte(2), z.lte(1000))),
	sandboxes: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(1_000_000))),
	sandboxMemory: z.optional(z.coerce.number().check(z.gte(0.1), z.lte(1_000_000))),
	engine: z.optional(z.string()),
	image: z.optional(z.string()),
	runtime: z.optional(z.string()),
	openNetwork: z.optional(z.string()),
	unsafeSandboxes: z._default(z.boolean(), false),
	minClient: z.optional(z.string().check(z.regex(/^\d+(?:\.\d+){0,2}(?:-[\w.]+)?$/, 'takes a version, such as 0.2.0'))),
	oidcIssuer: z.optional(z.string()),
	oidcClientId: z.optional(z.string()),
	oidcClientSecret: z.optional(z.string()),
	oidcDomains: z.optional(z.string()),
	oidcOrganization: z.optional(z.string()),
	oidcRole: z.optional(z.enum(['member', 'admin'])),
	hostSessions: z._default(z.boolean(), false),
	hostUsers: z.optional(z.string()),
	demo: z._default(z.boolean(), false),
	logLevel: z._default(z.enum(['info', 'warn', 'error']), 'warn'),
};

const describeStart = {
	port: `port to listen on, ${defaultPort} by default; 0 for a free one`,
	host: 'address to listen on; 127.0.0.1 by default, for this machine only',
	...describePlace,
	artifacts: 'bucket as s3://name?endpoint=https://host; the data folder by default',
	storageLimit: 'maximum GB of spans and artifacts per organization; 10 by default',
	retention: 'days that data is kept: 90, or spans=30,logs=7,findings=365; all but logs for ever by default',
	publicUrl: 'URL for browsers and clients, with its path, if a proxy is in front',
	address: 'URL where servers of other machines reach this one; where it listens by default',
	serviceDomain: 'domain below which each service of a sandbox gets a host of its own',
	keepAlive: 'seconds that idle connections stay open; 75 by default, more than a load balancer’s 60',
	metrics: 'address for Prometheus as host:port, such as 127.0.0.1:9464; none by default',
	drain: 'seconds that it still answers after SIGTERM, while it says that it is not ready; 0 by default',
	pool: 'maximum connections to PostgreSQL; 10 by default',
	sandboxes: 'maximum sandboxes on this machine, of all organizations; no limit by default',
	sandboxMemory: 'GB of memory that all sandboxes on this machine may have; no limit by default',
	engine: 'what runs sandboxes: local, docker[=address] or kubernetes[=context/namespace]',
	image: 'container image of tasks that name none',
	runtime: 'container runtime, such as runsc, or RuntimeClass; the engine’s own by default',
	openNetwork: 'network for tasks with an open network: Docker’s by its name, or ranges as 0.0.0.0/0',
	unsafeSandboxes: 'run tasks without containment if bubblewrap is missing',
	minClient: 'oldest accepted client version, such as 0.2.0; older ones must update',
	oidcIssuer: 'OpenID provider that users log in with, as its https URL; none by default',
	oidcClientId: 'what the provider calls this server',
	oidcClientSecret: 'secret of that client; better from SERVICE_SERVE_OIDC_CLIENT_SECRET_FILE',
	oidcDomains: 'domains whose addresses get accounts without an invitation, such as acme.example',
	oidcOrganization: 'organization that those join',
	oidcRole: 'role of those there, member or admin; member by default',
	hostSessions: 'host sessions of its users in the folders that follow; they reach them with attach --at',
	hostUsers: 'addresses of users who may host sessions beside administrators, or all',
	demo: 'create a demo organization with sessions, findings and runs',
	logLevel: 'minimum level of JSON log lines on stderr; warn by default',
};

const start = command({
	name: 'start',
	summary: 'Run a server of the platform on this machine',
	args: z.object({...startShape, folder: z.optional(z.array(z.string()))}),
	positional: ['folder'],
	rest: true,
	describe: {...describeStart, folder: 'where hosted sessions may be, with everything below; this folder by default'},
	examples: [
		'serve',
		'serve --port 0 --json',
		'serve --database postgres://service@127.0.0.1/service',
		'serve --host-sessions ~/code',
	],
	where: 'shell',

	async run(
		{
			host,
			artifacts,
			storageLimit,
			publicUrl,
			address,
			keepAlive,
			drain,
			pool,
			hostSessions,
			hostUsers,
			folder,
			...given
		},
		{program, ui: {interact}, flags: {json}, signal},
	) {
		const {sandboxes, sandboxMemory, minClient} = given;
		const say = json ? await openNotices(interact.log, signal) : interact.say;
		if (host !== undefined && !isLoopback(new URL(urlOfHost(host)))) {
			say(`Anyone on the network can reach ${host} and read plain HTTP. Put a proxy with TLS in front.`);
		}

		const {readHosting, hostingRisk} = await import('../src/server/run/read-hosting.ts');
		const hosting = readHosting({hostSessions, hostUsers, folder}, program.hosting);
		if (hosting) {
			say(hostingRisk(hosting));
		}

		const {serve} = await import('../src/server/run/serve.ts');
		const served = await serve({
			env: program.local.env,
			...given,
			host,
			artifacts,
			storageLimit: storageLimit === undefined ? undefined : Math.round(storageLimit * 1e9),
			publicUrl: publicUrl && originOf(publicUrl),
			address: address && originOf(address),
			keepAliveMs: keepAlive === undefined ? undefined : keepAlive * 1000,
			drainMs: drain === undefined ? undefined : drain * 1000,
			connections: pool,
			hosting,
			room: {
				sandboxes,
				memoryBytes: sandboxMemory === undefined ? undefined : Math.round(sandboxMemory * 1024 ** 3),
			},
			minimumClient: minClient,
			writeLog: line => interact.log?.(line),
			debug: program.local.debug,
			signal,
			onWaiting: say,
			onOpenMetrics: at => say(`Anyone on the network can reach ${at} and read the metrics.`),
			onDraining: drainMs => say(draining(drainMs)),
			onFinishing: requests => say(finishing(requests)),
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
			ended: served.ended.then(sandboxes => sayWhatRuns(say, sandboxes)),
		};
	},
});

/**
 * Returns how sentences are written as lines of the JSON log, for programs that read standard error: so are warnings of Node,
 * until `signal` aborts.
 */
async function openNotices(write: Interaction['log'], signal: AbortSignal): Promise<Interaction['say']> {
	const {jsonLog} = await import('../src/server/kit/log.ts');
	const log = jsonLog(line => write?.(line));
	const warn = ({name, message}: Error) => log({level: 'warn', message, name});
	process.removeAllListeners('warning');
	process.on('warning', warn);
	signal.addEventListener('abort', () => process.off('warning', warn), {once: true});
	return message => log({level: 'info', message});
}

/** Checks what a start needs, and starts nothing. */
const check = command({
	name: 'check',
	summary: 'Check everything that a start with these flags needs',
	args: z.object(startShape),
	describe: describeStart,
	examples: ['serve check', 'serve check --config /etc/service/serve.yaml --json'],
	where: 'shell',

	async run({publicUrl, hostSessions, hostUsers, ...given}, {program}): Promise<Result> {
		const [{checkServer}, {readHosting}, {openProvider}, {checksResult}] = await Promise.all([
			import('../src/server/run/check-server.ts'),
			import('../src/server/run/read-hosting.ts'),
			import('../src/server/run/serve.ts'),
			import('../src/command/views/checks-view.ts'),
		]);
		const {env} = program.local;
		const checks = await checkServer({
			...given,
			env,
			publicUrl: publicUrl && originOf(publicUrl),
			openProvider: () => openProvider({...given, env}),
			readHosting: () => readHosting({hostSessions, hostUsers, folder: undefined}, program.hosting),
		});
		const faults = checks.filter(({state}) => state === 'fault');
		const names = new Intl.ListFormat('en').format(new Set(faults.map(({name}) => name)));
		const code = faults[0]?.code ?? 'failed';
		const failure = {code, message: `A server would not start like this. Check: ${names}.`};
		return {...checksResult(checks, 'shell'), ...(faults.length > 0 && {failure})};
	},
});

/** Prints the file of a deployment for the flags, variables and file of this line. */
const deploy = command({
	name: 'deploy',
	summary: 'Print a file that deploys a server with these flags',
	args: z.object({target: z.enum(['systemd', 'docker', 'kubernetes', 'nginx', 'caddy']), ...startShape}),
	positional: ['target'],
	describe: {target: 'what runs the server, or the proxy in front of it', ...describeStart},
	examples: [
		'serve deploy systemd > service-server.service',
		'serve deploy nginx --public-url https://agents.example.com',
	],
	where: 'shell',

	async run({target, ...given}): Promise<Result> {
		const [{deployFile}, {parseMetricsAddress}, {variableOf}] = await Promise.all([
			import('../src/server/deploy/deploy-file.ts'),
			import('../src/server/metrics/serve-metrics.ts'),
			import('../src/command/configured.ts'),
		]);
		const {metrics, publicUrl, engine = 'local', drain = 0, artifacts, database, port} = given;
		const defaults: Readonly<Record<string, unknown>> = z.object(startShape).parse({});
		// A URL of a database has a password, a client has a secret, and the file of --config is not where the server is.
		const variables = Object.entries({
			...given,
			database: undefined,
			config: undefined,
			oidcClientSecret: undefined,
		}).flatMap(([name, value]) =>
			value === undefined || value === defaults[name]
				? []
				: [[`${variablePrefix}${variableOf(name)}`, String(value)] as const],
		);
		const text = deployFile(target, {
			variables,
			hasDatabase: database !== undefined,
			hasBucket: artifacts !== undefined,
			hasOidc: given.oidcIssuer !== undefined,
			port,
			metricsPort: metrics === undefined ? undefined : (await parseMetricsAddress(metrics)).port,
			publicUrl: publicUrl === undefined ? undefined : new URL(originOf(publicUrl)),
			engine,
			drainSeconds: drain,
			command: [process.execPath, process.argv[1] ?? ''],
		});
		return {kind: 'lines', lines: text.trimEnd().split('\n'), data: {target, file: text}};
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
					kind: 'lines',
					lines: [
						"Copy this API key now; it won't be shown again.",
						`Start the server:    ${shellLine(`serve${at}`)}`,
						`Choose a password:   ${shellLine(`serve password ${email}${at}`)}`,
						...(chosen ? [`Used by default:     ${chosen}`] : []),
						...(chosen ? [`To choose:           ${shellLine(`serve init --org <name> --email <address>${at}`)}`] : []),
					],
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

const admin = command({
	name: 'admin',
	summary: 'Make a user an administrator of this server',
	args: z.object({email: z.string(), remove: z._default(z.boolean(), false), ...place}),
	positional: ['email'],
	describe: {
		email: 'of the user; the first one that `serve init` created is one',
		remove: 'make them an ordinary user again',
		...describePlace,
	},
	examples: ['serve admin ada@acme.example', 'serve admin ada@acme.example --remove'],
	where: 'shell',

	async run({email, remove, ...where}, {program}) {
		const {administratorOf} = await import('../src/server/run/serve.ts');
		const {userId} = await administratorOf({env: program.local.env, ...where}, email, !remove);
		return {
			kind: 'text',
			text: `${email} is ${remove ? 'no longer' : 'now'} an administrator of this server.`,
			data: {user_id: userId, is_administrator: !remove},
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
	summary: 'Show and change the limits of an organization',
	args: z.object({
		max: seconds,
		default: seconds,
		capacity: z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(10_000))),
		storage: z.optional(z.coerce.number().check(z.gte(0), z.lte(1_000_000))),
		...place,
	}),
	describe: {
		max: 'longest run of a sandbox in seconds, 0 for the platform limit',
		default: 'run in seconds if no time is requested, 0 for the platform default',
		capacity: 'maximum sandboxes at once, 0 for the platform limit',
		storage: 'maximum GB of spans and artifacts, 0 for that of `serve --storage-limit`',
		...describePlace,
	},
	examples: ['serve limits', 'serve limits --org acme --max 7200 --default 1800 --capacity 4 --storage 50'],
	where: 'shell',

	async run({data, database, storage, ...limit}, {program, flags}): Promise<Result> {
		const change = {...limit, storageBytes: storage === undefined ? undefined : Math.round(storage * 1e9)};
		const {changeLimitsOf, organizationOf} = await import('../src/server/run/serve.ts');
		const organization = await organizationOf({env: program.local.env, data, database}, flags.org);
		const state = await changeLimitsOf({env: program.local.env, data, database}, {organization, ...change});
		const {effective} = state;
		const from = (own: number | null) => (own === null ? ' (platform)' : '');
		return {
			kind: 'record',
			title: `Limits of ${organization}`,
			fields: [
				['longest run', `${formatDuration(effective.max_seconds * 1000)}${from(state.max_seconds)}`],
				['default run', `${formatDuration(effective.default_seconds * 1000)}${from(state.default_seconds)}`],
				['at once', `${formatNumber(effective.capacity)}${from(state.capacity)}`],
				['storage', state.storage_bytes === null ? 'that of the server' : formatBytes(state.storage_bytes)],
				['stored', formatBytes(state.stored_bytes)],
			],
			data: state,
		};
	},
});

/** How often a migration that runs says so. */
const progressMs = 10_000;

const migrate = command({
	name: 'migrate',
	summary: 'Upgrade the database to this version',
	args: z.object({dryRun: z._default(z.boolean(), false), ...place}),
	describe: {dryRun: 'list the changes and change nothing', ...describePlace},
	examples: ['serve migrate --dry-run', 'serve migrate --database postgres://service@127.0.0.1/service'],
	where: 'shell',

	async run({dryRun, ...where}, {program, ui: {interact}}): Promise<Result> {
		const {migrateData} = await import('../src/server/run/serve.ts');
		let running: NodeJS.Timeout | undefined;
		const onStep = (name: string) => {
			clearInterval(running);
			const started = performance.now();
			interact.say(`Running ${name}.`);
			running = setInterval(
				() => interact.say(`Still running ${name}, for ${formatDuration(performance.now() - started)}.`),
				progressMs,
			);
		};
		const planned = await migrateData({env: program.local.env, ...where}, {dryRun, onStep}).finally(() =>
			clearInterval(running),
		);
		const data = planned.map(({name, tables}) => ({name, tables: [...tables]}));
		if (!dryRun) {
			const text = planned.length > 0 ? 'The database is up to date now.' : 'The database was up to date already.';
			return {kind: 'text', text, data};
		}

		return {
			kind: 'table',
			columns: [{label: 'migration', whole: true}, {label: 'tables'}, {label: 'rows, about', align: 'right'}],
			rows: planned.map(({name, tables}) => [
				name,
				tables.map(table => table.name).join(', '),
				formatNumber(tables.reduce((sum, {rows}) => sum + rows, 0)),
			]),
			empty: 'The database is up to date. Start a server: `$ serve`',
			data,
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

/** Lets variables and the file of `--config` set the flags that a verb shares with `serve`. A flag twice is an error. */
function configured(verb: Command): Command {
	return {
		...verb,
		refusesRepeats: true,
		async execute(given, context) {
			const [{nameOrigins, readConfigured}, {readSetting}] = await Promise.all([
				import('../src/command/configured.ts'),
				import('../src/storage/setting-file.ts'),
			]);
			const {env} = context.program.local;
			const sources = {prefix: variablePrefix, main: start, env, read: readSetting};
			const {values, origins} = await readConfigured(verb, given, sources);
			if (passwordPattern.test(String(given['database']))) {
				hideArguments();
				context.ui.interact.say(
					`Every user of this machine could see the password in --database. Use ${variablePrefix}DATABASE_FILE.`,
				);
			}

			try {
				return await verb.execute(values, context);
			} catch (error) {
				throw nameOrigins(error, origins);
			}
		},
	};
}

/** A database URL with a password. */
const passwordPattern = /^postgres(?:ql)?:\/\/[^/@]*:[^/@]/;

/** Replaces the command line that `ps` shows, as far as the system allows it. */
function hideArguments(): void {
	process.title = 'serve';
}

export default noun({
	name: 'serve',
	summary: 'Run a server of the platform on this machine',
	verbs: [start, check, deploy, init, member, admin, key, password, credits, limits, migrate, machine].map(configured),
	fallback: 'start',
});
