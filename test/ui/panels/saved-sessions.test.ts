import {randomUUID} from 'node:crypto';
import {expect, test} from 'vitest';
import {runApp} from '../running-app.ts';

/** Saves a session with a title in the folder of the app. Returns its id as lists show it. */
async function save({sessions}: ReturnType<typeof runApp>, title: string): Promise<string> {
	const session = randomUUID();
	const journal = await sessions.create(session);
	const record = {v: 1, at: '2026-01-01T00:00:00.000Z', session, server: 'local'} as const;
	journal.append({...record, seq: 0, event: {type: 'user-message', id: 'u', text: 'Hi'}});
	journal.append({...record, seq: 1, event: {type: 'rename', title}});
	await journal.close();
	return session.slice(0, 8);
}

test.each([80, 120])('/resume offers the sessions of the folder with their titles at %d columns [1]', async columns => {
	const app = runApp({columns});
	const id = await save(app, `The \u001B[2Jparser ${'x'.repeat(columns)}`);
	await app.waitFor('Demo model');
	app.type('/resume ');
	await app.waitFor(`❯ ${id}  The ␛[2Jparser x`);
	expect(app.lines().some(line => line.length > columns)).toBe(false);
	app.type('\t');
	await expect.poll(() => app.store.getState().composer.text).toBe(`/resume ${id}`);
});

test('a line that was typed while the app started is completed, too', async () => {
	const app = runApp();
	const id = await save(app, 'First');
	app.type('/resume ');
	await app.waitFor(`❯ ${id}  First`);
});

test('a session created by another window is offered, too', async () => {
	const app = runApp();
	const first = await save(app, 'First');
	await app.waitFor('Demo model');
	app.type('/usage --session ');
	await app.waitFor(`${first}  First`);
	const second = await save(app, 'Second');
	app.type('\u0015/resume ');
	await app.waitFor(`${second}  Second`);
});
