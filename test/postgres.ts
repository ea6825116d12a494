import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {existsSync, mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {chown} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import pg from 'pg';
import type {TestProject} from 'vitest/node';
import {openDatabase} from '../src/server/database/open.ts';

declare module 'vitest' {
	interface ProvidedContext {
		/** The socket folder of the tests' PostgreSQL server; empty if none is installed. */
		postgres: string;
	}
}

/** Where Debian installs its versions. */
const versions = '/usr/lib/postgresql';

/** A database with the schema; tests copy it. */
export const template = 'service_template';

/** Returns the URL of a database on the server with this socket folder. */
export const postgresUrl = (folder: string, database: string): string =>
	`postgres:///${database}?host=${encodeURIComponent(folder)}&user=service`;

/** A PostgreSQL server for tests. */
export type Postgres = {
	/** The folder of its socket; the server doesn't listen on TCP. */
	readonly folder: string;
	readonly start: () => Promise<void>;
	/** Stops it: `SIGINT` doesn't wait for clients, `SIGQUIT` acts like a crash. */
	readonly end: (signal: 'SIGINT' | 'SIGQUIT') => Promise<void>;
	readonly remove: () => void;
};

/** Starts PostgreSQL for the whole run if it is installed, and stops it. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
	const postgres = await createPostgres();
	if (!postgres) {
		console.warn('PostgreSQL is not installed (Debian: postgresql): the tests of the server run on SQLite alone.');
		project.provide('postgres', '');
		return undefined;
	}

	const end = async () => {
		await postgres.end('SIGINT');
		postgres.remove();
	};
	try {
		await postgres.start();
		await prepare(postgres.folder);
	} catch (error) {
		await end();
		throw error;
	}

	project.provide('postgres', postgres.folder);
	return end;
}

type PostgresOptions = {
	/** The server that it is a standby of. */
	readonly primary?: Postgres;
	/** Its settings, as `name=value`. */
	readonly settings?: readonly string[];
	/** The disk that it is on. */
	readonly disk?: string;
};

/**
 * Creates an empty PostgreSQL, or a standby of one that runs, without starting it. Returns undefined if none is installed.
 */
export async function createPostgres({
	primary,
	settings: added = [],
	disk = tmpdir(),
}: PostgresOptions = {}): Promise<Postgres | undefined> {
	const binaries = findBinaries();
	if (!binaries) {
		return undefined;
	}

	const folder = mkdtempSync(join(disk, 'service-postgres-'));
	const user = await unprivilegedUser(folder);
	const data = join(folder, 'data');
	const [program, options] = primary
		? ['pg_basebackup', ['-h', primary.folder, '-R', '--checkpoint=fast']]
		: ['initdb', ['-E', 'UTF8', '--locale=C', '--auth=trust']];
	execFileSync(join(binaries, program), ['-D', data, '--no-sync', '-U', 'service', ...options], {
		...user,
		cwd: folder,
		stdio: 'ignore',
	});
	const all = ['fsync=off', 'full_page_writes=off', 'max_connections=200', ...added];
	const settings = all.flatMap(setting => ['-c', setting]);
	let server: ChildProcess | undefined;
	return {
		folder,
		async start() {
			server = spawn(join(binaries, 'postgres'), ['-D', data, '-h', '', '-k', folder, ...settings], {
				...user,
				stdio: 'ignore',
			});
			await (await connect(folder)).end();
		},
		end: signal => endProcess(server, signal),
		remove: () => rmSync(folder, {recursive: true, force: true}),
	};
}

function findBinaries(): string | undefined {
	const installed = existsSync(versions) ? readdirSync(versions) : [];
	return installed
		.sort((a, b) => Number(b) - Number(a))
		.map(version => join(versions, version, 'bin'))
		.find(folder => existsSync(join(folder, 'initdb')));
}

/** PostgreSQL refuses to run as root, so root runs it as Debian's `postgres` user. */
async function unprivilegedUser(folder: string): Promise<{uid?: number; gid?: number}> {
	if (process.getuid?.() !== 0) {
		return {};
	}

	const [uid, gid] = ['-u', '-g'].map(flag => Number(execFileSync('id', [flag, 'postgres'], {encoding: 'utf8'})));
	await chown(folder, uid ?? 0, gid ?? 0);
	return {uid, gid};
}

async function prepare(folder: string): Promise<void> {
	const client = await connect(folder);
	// In most installations the order of texts is that of a language; it must not matter.
	const {rows} = await client.query("select 1 from pg_collation where collprovider = 'i' limit 1");
	const {rows: versions} = await client.query("select current_setting('server_version_num')::int >= 150000 as knows");
	const locale = rows.length > 0 && versions[0].knows ? "locale_provider icu icu_locale 'en-US'" : '';
	await client.query(`create database ${template} template template0 ${locale}`);
	await client.end();
	const database = await openDatabase({engine: 'postgres', url: postgresUrl(folder, template)});
	await database.destroy();
}

async function connect(folder: string): Promise<pg.Client> {
	for (let attempt = 0; ; attempt++) {
		const client = new pg.Client({connectionString: postgresUrl(folder, 'postgres')});
		try {
			await client.connect();
			return client;
		} catch (error) {
			if (attempt === 12_000) {
				throw error;
			}

			await sleep(50);
		}
	}
}

function endProcess(server: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
	return new Promise(resolve => {
		if (!server || server.exitCode !== null || server.signalCode !== null) {
			resolve();
		} else {
			server.once('exit', () => resolve());
			server.kill(signal);
		}
	});
}
