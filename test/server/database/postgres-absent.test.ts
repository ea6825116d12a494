import {join} from 'node:path';
import {expect, inject, onTestFinished, test} from 'vitest';
import {AppError} from '../../../src/core/error.ts';
import {whenDatabaseAnswers} from '../../../src/server/database/await-database.ts';
import {serve} from '../../../src/server/run/serve.ts';
import {createPostgres, postgresUrl} from '../../postgres.ts';
import {temporaryFolder} from '../../storage/temporary.ts';

const needsPostgres = test.skipIf(!inject('postgres'));

/** Starts a server on a database, and collects the sentences about the wait for it. */
function begin(database: string) {
	const folder = temporaryFolder();
	const stop = new AbortController();
	const said: string[] = [];
	const served = serve({
		env: {SERVICE_HOME: folder},
		data: join(folder, 'data'),
		database,
		host: undefined,
		port: 0,
		artifacts: undefined,
		storageLimit: undefined,
		publicUrl: undefined,
		unsafeSandboxes: false,
		demo: false,
		logLevel: 'error',
		writeLog: () => {},
		onWaiting: sentence => void said.push(sentence),
		signal: stop.signal,
	});
	served.catch(() => undefined);
	onTestFinished(async () => {
		stop.abort();
		await served.then(
			({ended}) => ended,
			() => undefined,
		);
	});
	return {served, said, stop};
}

needsPostgres('a server waits for a database that starts later, with a line for each change', async () => {
	const postgres = await createPostgres();
	if (!postgres) {
		throw new Error('PostgreSQL is missing.');
	}

	onTestFinished(async () => {
		await postgres.end('SIGINT');
		postgres.remove();
	});
	const {served, said} = begin(postgresUrl(postgres.folder, 'postgres'));
	await expect.poll(() => said.length).toBe(1);
	expect(said[0]).toMatch(/^The database of .+ cannot be used: .+\. Waiting for it\.$/);
	await postgres.start();
	const {url} = await served;
	expect((await fetch(`${url}/readyz`)).status).toBe(200);
	expect(said.at(-1)).toBe('The database answers.');
	expect(new Set(said).size).toBe(said.length);
});

needsPostgres('a server does not wait for a database that has no such name', async () => {
	const {served, said} = begin(postgresUrl(inject('postgres'), 'nobody_made_this'));
	await expect(served).rejects.toMatchObject({code: 'network'});
	expect(said).toEqual([]);
});

test('a server that waits for its database stops when it is told to', async () => {
	const {served, said, stop} = begin('postgres://127.0.0.1:1/name');
	await expect.poll(() => said.length).toBe(1);
	stop.abort();
	await expect(served).rejects.toMatchObject({code: 'interrupted'});
});

test('a disk that stays full is told once, though PostgreSQL names another block each time', async () => {
	const said: string[] = [];
	let attempt = 0;
	const open = async () => {
		attempt++;
		if (attempt > 3) {
			return 'open';
		}

		const cause = Object.assign(new Error(`could not extend file at block ${attempt}`), {code: '53100'});
		throw new AppError('network', `The database cannot be used: ${cause.message}.`, {cause});
	};
	const {signal} = new AbortController();
	const onChange = (sentence: string) => void said.push(sentence);
	expect(await whenDatabaseAnswers(open, {signal, onChange, delayMs: 0})).toBe('open');
	expect(said).toEqual([
		'The database cannot be used: could not extend file at block 1. Waiting for it.',
		'The database answers.',
	]);
});
