import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {chownSync, existsSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import pg from 'pg';
import {expect, onTestFinished} from 'vitest';
import {freePort} from '../../free-port.ts';

const program = '/usr/sbin/pgbouncer';

/** Whether the pooler is installed; tests that need it are skipped otherwise. */
export const hasPgBouncer = existsSync(program);
if (!hasPgBouncer) {
	console.warn('PgBouncer is not installed (Debian: pgbouncer): the tests of poolers are skipped.');
}

type Options = {
	readonly mode: 'session' | 'transaction';
	/** Start-up parameters that it accepts without a use. */
	readonly ignored?: readonly string[];
};

/** Starts PgBouncer in front of the PostgreSQL with this socket folder until the test ends. */
export async function startPgBouncer(postgres: string, {mode, ignored = []}: Options) {
	const folder = mkdtempSync(join(tmpdir(), 'service-pgbouncer-'));
	const port = await freePort();
	const settings = join(folder, 'pgbouncer.ini');
	writeFileSync(
		settings,
		[
			'[databases]',
			`* = host=${postgres} user=service`,
			'[pgbouncer]',
			'listen_addr = 127.0.0.1',
			`listen_port = ${port}`,
			'unix_socket_dir =',
			'auth_type = any',
			`pool_mode = ${mode}`,
			// In session mode each of our connections has one to itself.
			`default_pool_size = ${mode === 'session' ? 20 : 2}`,
			'max_client_conn = 200',
			...(ignored.length > 0 ? [`ignore_startup_parameters = ${ignored.join(', ')}`] : []),
		].join('\n'),
	);
	const user = unprivilegedUser(folder, settings);
	let child: ChildProcess | undefined;
	const start = async () => {
		child = spawn(program, [settings], {...user, stdio: 'ignore'});
		await expect.poll(() => answers(port), {interval: 20}).toBe(true);
	};
	/** Ends it at once, and what goes through it. */
	const end = async () => {
		if (child && child.exitCode === null && child.signalCode === null) {
			child.kill('SIGKILL');
			await once(child, 'exit');
		}
	};
	onTestFinished(async () => {
		await end();
		rmSync(folder, {recursive: true, force: true});
	});
	await start();
	return {port, start, end};
}

/** It refuses to run as root, so root runs it as Debian's `postgres` user. */
function unprivilegedUser(...paths: readonly string[]): {uid?: number; gid?: number} {
	if (process.getuid?.() !== 0) {
		return {};
	}

	const [uid = 0, gid = 0] = ['-u', '-g'].map(flag =>
		Number(execFileSync('id', [flag, 'postgres'], {encoding: 'utf8'})),
	);
	for (const path of paths) {
		chownSync(path, uid, gid);
	}

	return {uid, gid};
}

async function answers(port: number): Promise<boolean> {
	const client = new pg.Client({connectionString: `postgres://service@127.0.0.1:${port}/postgres`});
	client.on('error', () => undefined);
	try {
		await client.connect();
		await client.end();
		return true;
	} catch {
		return false;
	}
}
