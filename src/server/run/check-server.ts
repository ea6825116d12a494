import {randomUUID} from 'node:crypto';
import {lookup} from 'node:dns/promises';
import {once} from 'node:events';
import {accessSync, constants, existsSync, readdirSync} from 'node:fs';
import {createServer} from 'node:net';
import {dirname, join, resolve} from 'node:path';
import {sql} from 'kysely';
import type {Environment} from '../../core/environment.ts';
import {AppError, type ErrorCode, messageOf, reportError} from '../../core/error.ts';
import {formatAmount} from '../../core/format.ts';
import {openHome} from '../../storage/home.ts';
import {withSecretFiles} from '../../storage/setting-file.ts';
import {isFault, oidcClient} from '../accounts/oidc/oidc-client.ts';
import {type OidcFlags, parseOidc} from '../accounts/oidc/oidc-settings.ts';
import {createSeal, type Seal} from '../accounts/seal.ts';
import {findSealKey, verifySeal} from '../accounts/seal-key.ts';
import {parseBucket} from '../artifacts/artifact-location.ts';
import {createS3Blobs} from '../artifacts/s3-blobs.ts';
import {type DatabaseLocation, parseDatabaseUrl} from '../database/location.ts';
import {pendingMigrations} from '../database/migrate.ts';
import {databaseOn, explainDatabaseFault} from '../database/open.ts';
import {openPostgres} from '../database/postgres.ts';
import {hostNames} from '../database/postgres-hosts.ts';
import {openSqlite} from '../database/sqlite.ts';
import type {Database} from '../database/tables.ts';
import {parseMetricsAddress} from '../metrics/serve-metrics.ts';
import {callbackPath} from '../pages/oidc-pages.ts';
import {parseRetention} from '../retention/retention.ts';
import {createLocalProvider} from '../sandboxes/local-provider.ts';
import type {SandboxProvider} from '../sandboxes/provider.ts';
import {dataMarker, withConnections} from './serve.ts';

/** What one check of a server found, and the code of what its start would throw. */
export type ServerCheck = {
	readonly name: string;
	readonly state: 'good' | 'note' | 'fault';
	readonly finding: string;
	readonly fix?: string;
	readonly code?: ErrorCode;
};

type Options = OidcFlags & {
	readonly env: Environment;
	readonly data?: string | undefined;
	readonly database?: string | undefined;
	readonly pool?: number | undefined;
	readonly retention?: string | undefined;
	readonly artifacts?: string | undefined;
	readonly host?: string | undefined;
	readonly port: number;
	readonly publicUrl?: string | undefined;
	readonly metrics?: string | undefined;
	readonly unsafeSandboxes: boolean;
	/** Opens the chosen engine; undefined for this machine. */
	readonly openProvider: () => Promise<SandboxProvider | undefined>;
	/** Throws AppError("usage") for flags of hosted sessions that a start refuses. */
	readonly readHosting: () => unknown;
};

/** Checks everything that the start of a server needs, and changes nothing. Never throws. */
export async function checkServer(given: Options): Promise<readonly ServerCheck[]> {
	const checks: ServerCheck[] = [];
	const check = async (name: string, work: () => Promise<readonly Omit<ServerCheck, 'name'>[]>) => {
		const found = await work().catch((error: unknown) => [faultOf(error)]);
		checks.push(...found.map(each => ({name, ...each})));
	};
	let env = given.env;
	await check('secrets', async () => {
		env = withSecretFiles(given.env);
		return [];
	});
	const folder = given.data === undefined ? openHome(given.env).server : resolve(given.data);
	await check('data folder', async () => [checkFolder(folder)]);
	let seal: Seal | undefined;
	await check('seal key', async () => {
		const key = findSealKey(folder, env);
		seal = key && createSeal(key);
		return [checkSealKey(folder, env, given.database)];
	});
	await check('database', async () => checkDatabase(folder, given, seal));
	await check('retention', async () => {
		if (given.retention !== undefined) {
			parseRetention(given.retention);
		}

		return [];
	});
	await check('hosting', async () => {
		given.readHosting();
		return [];
	});
	if (given.artifacts !== undefined) {
		await check('bucket', async () => [await checkBucket(given.artifacts ?? '', env)]);
	}

	await check('engine', async () => [await checkEngine(folder, given)]);
	await check('port', async () => [await checkPort(given.host ?? '127.0.0.1', given.port, requests)]);
	if (given.metrics !== undefined) {
		await check('metrics', async () => {
			const {host, port, isEverywhere} = await parseMetricsAddress(given.metrics ?? '');
			const found = await checkPort(host, port, metrics);
			return [
				isEverywhere
					? {...found, state: worse(found.state), finding: `${found.finding} Anyone on the network can read them.`}
					: found,
			];
		});
	}

	if (given.publicUrl !== undefined) {
		await check('public URL', async () => [await checkPublicUrl(given.publicUrl ?? '')]);
	}

	await check('login', async () => checkLogin(given));
	return checks;
}

type Found = Omit<ServerCheck, 'name'>;

const worse = (state: Found['state']): Found['state'] => (state === 'good' ? 'note' : state);

function faultOf(error: unknown): Found {
	const {code, message, hint} = reportError(error);
	return {state: 'fault', finding: message, code, ...(hint && {fix: hint})};
}

const good = (finding: string): Found => ({state: 'good', finding});

/** Returns whether a folder is the data of a server, or can become it. */
function checkFolder(folder: string): Found {
	if (!existsSync(folder)) {
		let parent = dirname(folder);
		while (!existsSync(parent)) {
			parent = dirname(parent);
		}

		return isWritable(parent)
			? good(`${folder} will be created.`)
			: fail(`${folder} can't be created: ${parent} is not writable.`, 'Choose another --data, or change its owner.');
	}

	const names = readdirSync(folder);
	if (names.length > 0 && !names.includes(dataMarker)) {
		return fail(`${folder} already contains other files.`, 'Use an empty or new folder for --data.', 'usage');
	}

	return isWritable(folder)
		? good(`${folder} is writable.`)
		: fail(`${folder} is not writable.`, 'Change its owner to the user of the server, or choose another --data.');
}

function fail(finding: string, fix: string, code: ErrorCode = 'failed'): Found {
	return {state: 'fault', finding, fix, code};
}

function isWritable(path: string): boolean {
	try {
		// Reads mounts that are read-only, too.
		accessSync(path, constants.W_OK | constants.R_OK);
		return true;
	} catch {
		return false;
	}
}

async function checkDatabase(
	folder: string,
	{database: url, pool}: Options,
	seal: Seal | undefined,
): Promise<readonly Found[]> {
	if (url !== undefined) {
		return checkPostgres(url, seal);
	}

	const file = join(folder, 'service.db');
	withConnections({engine: 'sqlite', file}, pool);
	if (!existsSync(file)) {
		return [good(`SQLite, ${file} will be created.`)];
	}

	if (!isWritable(file)) {
		return [fail(`${file} accepts no writes.`, 'Change its owner or mode, or mount its disk for writing.')];
	}

	const database = await databaseOn({engine: 'sqlite', database: openSqlite(file, {isReadOnly: true})});
	try {
		return [good(`SQLite, ${file}`), await checkSchema(database, 'sqlite', seal)];
	} catch (error) {
		throw explainDatabaseFault({engine: 'sqlite', file}, error);
	} finally {
		await database.destroy();
	}
}

async function checkPostgres(url: string, seal: Seal | undefined): Promise<readonly Found[]> {
	const location = parseDatabaseUrl(url) as DatabaseLocation & {engine: 'postgres'};
	const database = await databaseOn({engine: 'postgres', pool: openPostgres({...location, connections: 2}, () => {})});
	try {
		const {rows} = await sql<{
			name: string;
			version: string;
			read_only: string;
			creates: boolean;
			place: string | null;
			foreign_tables: number;
		}>`select current_user as name, current_setting('server_version') as version,
			current_setting('transaction_read_only') as read_only, current_schema() as place,
			coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as creates,
			(select count(*) from pg_tables where schemaname = current_schema()
				and not pg_has_role(current_user, tableowner, 'USAGE')) as foreign_tables`.execute(database);
		const [found] = rows;
		if (!found) {
			return [fail('PostgreSQL answers nothing.', 'Check --database.', 'network')];
		}

		const {name, version, read_only, creates, place, foreign_tables} = found;
		const where = `PostgreSQL ${version} of ${hostNames(url)}`;
		const isRefused = read_only === 'on';
		return [
			isRefused
				? fail(`${where} accepts no writes.`, 'Name the primary in --database, or both hosts: host1,host2.', 'network')
				: good(where),
			place === null || !creates || Number(foreign_tables) > 0
				? fail(
						place === null
							? `The role ${name} has no schema.`
							: creates
								? `The role ${name} doesn't own ${formatAmount(Number(foreign_tables), 'table')} of the schema ${place}.`
								: `The role ${name} may not create tables in the schema ${place}.`,
						`Make ${name} the owner of the database and its tables.`,
					)
				: good(`The role ${name} may change the schema ${place}.`),
			await checkSchema(database, 'postgres', seal),
		];
	} catch (error) {
		throw error instanceof AppError
			? error
			: new AppError('network', `The database of ${hostNames(url)} cannot be used: ${messageOf(error)}.`, {
					hint: 'Check that it runs, and the user, the password and the name in --database.',
				});
	} finally {
		await database.destroy();
	}
}

/** Throws AppError("upgrade") for a schema of a newer version, and AppError("failed") for secrets of another key. */
async function checkSchema(database: Database, engine: 'sqlite' | 'postgres', seal: Seal | undefined): Promise<Found> {
	const {isNew, names} = await pendingMigrations(database.withTables<never>(), engine);
	if (isNew) {
		return good('No schema yet. The start will create it.');
	}

	await verifySeal(database, seal);

	return names.length === 0
		? good('The schema is up to date.')
		: {
				state: 'note',
				finding: `${formatAmount(names.length, 'migration')} will run with the next start.`,
				fix: 'Back up the database. To upgrade without serving: `$ serve migrate`',
			};
}

function checkSealKey(folder: string, env: Environment, database: string | undefined): Found {
	if (env['SERVICE_SEAL_KEY']) {
		return good('from SERVICE_SEAL_KEY');
	}

	const file = join(folder, 'seal.key');
	if (existsSync(file)) {
		return isWritable(file)
			? good(file)
			: fail(`${file} can't be read.`, 'Change its owner to the user of the server.');
	}

	return database === undefined
		? good(`${file} will be created.`)
		: {
				state: 'note',
				finding: `${file} will be created.`,
				fix: 'Other servers of the database need the same: copy the file, or set SERVICE_SEAL_KEY_FILE.',
			};
}

/** Asks for an object that isn't there, with the credentials of the server. */
async function checkBucket(text: string, env: Environment): Promise<Found> {
	const bucket = parseBucket(text, env);
	const blobs = createS3Blobs(bucket, {now: () => new Date(), log: () => {}, timeoutMs: 10_000});
	try {
		await blobs.size(`service-check-${randomUUID()}`);
		return good(`${bucket.url} answers.`);
	} catch (error) {
		return fail(
			`${bucket.url} refuses or does not answer: ${messageOf(error)}`,
			'Check the name, the endpoint, and AWS_ACCESS_KEY_ID with its secret.',
			'network',
		);
	}
}

async function checkEngine(folder: string, {openProvider, unsafeSandboxes, env}: Options): Promise<Found> {
	const chosen = await openProvider();
	const provider =
		chosen ??
		createLocalProvider({
			root: join(folder, 'sandboxes'),
			hidden: [folder, openHome(env).path],
			allowUncontained: unsafeSandboxes,
		});
	try {
		const reason = await provider.unavailableReason();
		if (reason === undefined) {
			const summary = await provider.summary();
			return unsafeSandboxes ? {state: 'note', finding: summary, fix: 'Leave out --unsafe-sandboxes.'} : good(summary);
		}

		return chosen
			? fail(reason, 'Check that the engine runs, and the address in --engine.', 'network')
			: {state: 'note', finding: reason, fix: 'Install bubblewrap, or choose --engine docker.'};
	} finally {
		await provider.close();
	}
}

/** What listens on a port: the flag that chooses it, and the path and the beginning of a server's answer. */
type Listener = {readonly flag: string; readonly path: string; readonly answer: string};

const requests: Listener = {flag: '--port', path: '/healthz', answer: '{"status":"ok"'};
const metrics: Listener = {flag: '--metrics', path: '/metrics', answer: '# HELP service_'};

async function checkPort(host: string, port: number, listener: Listener): Promise<Found> {
	const server = createServer().listen({host, port});
	const failure = await once(server, 'listening').then(
		() => undefined,
		(error: NodeJS.ErrnoException) => error,
	);
	if (!failure) {
		server.close();
		await once(server, 'close');
		return good(`${host}:${port} is free.`);
	}

	if (failure.code === 'EADDRINUSE') {
		return (await isServer(host, port, listener))
			? {state: 'note', finding: `A server already runs on ${host}:${port}.`}
			: fail(`Another program listens on ${host}:${port}.`, `Choose another ${listener.flag}.`);
	}

	return fail(
		`Can't listen on ${host}:${port}: ${failure.message}.`,
		listener.flag === '--port'
			? 'Choose another --port, or a --host of this machine.'
			: `Choose another ${listener.flag}.`,
	);
}

async function isServer(host: string, port: number, {path, answer}: Listener): Promise<boolean> {
	const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
	const url = `http://${name.includes(':') ? `[${name}]` : name}:${port}${path}`;
	const response = await fetch(url, {signal: AbortSignal.timeout(2000)}).catch(() => undefined);
	return response?.status === 200 && (await response.text()).includes(answer);
}

/** Asks the OpenID provider for its metadata. Throws AppError for flags that a start would refuse. */
async function checkLogin(given: Options): Promise<readonly Found[]> {
	const oidc = parseOidc(given, given.env);
	if (!oidc) {
		return [];
	}

	const server = given.publicUrl ?? `http://127.0.0.1:${given.port}`;
	const redirectUri = `${server}${callbackPath}`;
	const client = await oidcClient(oidc);
	const url = await client.authorizationUrl({state: 'check', nonce: 'check', verifier: 'check'}, redirectUri);
	return [
		isFault(url)
			? fail(`${oidc.issuer} doesn't answer as an OpenID provider: ${url.reason}`, 'Check --oidc-issuer.', 'network')
			: good(`${oidc.issuer} answers. Its redirect URI for this server must be ${redirectUri}`),
	];
}

async function checkPublicUrl(url: string): Promise<Found> {
	const {hostname, protocol} = new URL(url);
	const name = hostname.replace(/^\[|\]$/g, '');
	const address = await lookup(name).catch(() => undefined);
	if (!address) {
		return fail(
			`${url}: this machine doesn't find ${name}.`,
			'Check --public-url, and the DNS of that name.',
			'network',
		);
	}

	return protocol === 'https:'
		? good(`${url} is at ${address.address}.`)
		: {state: 'note', finding: `${url} is at ${address.address}, without TLS.`, fix: 'Put a proxy with TLS in front.'};
}
