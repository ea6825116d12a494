import {expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {runApp} from './running-app.ts';

test('the reason of a failed connection is shown once, in the conversation', async () => {
	const {store, lines, settle, waitFor} = runApp();
	await waitFor('Demo model');
	const {connection, setConnection} = store.getState();
	setConnection({...connection, state: 'failed', detail: 'The embedded server ended.'});
	await waitFor('! The embedded server ended.');
	store.getState().setToast('something else');
	await settle(40);
	expect(lines().filter(line => line.includes('The embedded server ended.'))).toHaveLength(1);
});

test('the farewell does not offer to resume a session without a message', async () => {
	const {program, type, lines, settle, status, waitFor} = runApp();
	await waitFor('Demo model');
	program.session.conversation.notice('A watch found something.', 'Look.');
	await waitFor('ℹ A watch found something.');
	type('\u0004');
	await status;
	await settle(5);
	expect(lines().join('\n')).not.toContain('Resume this session');
});

test('an alert rings the bell, with safe text only [3]', async () => {
	const {store, written, waitFor} = runApp();
	await waitFor('Demo model');
	store.getState().setAlert('Watch 1 found 2 lines.');
	expect(written.at(-1)).toBe('\u0007');
});

test('an unreadable prompt history shows an error, and the app still works', async () => {
	const {type, waitFor} = runApp({
		loadHistory() {
			throw new AppError('failed', 'The history is not a file.', {hint: 'Move it away and try again.'});
		},
	});
	await waitFor('✗ The history is not a file.');
	await waitFor('→ Move it away and try again.');
	type('/usage\r');
	await waitFor('Usage of this session');
});

test('a line is prepared once, when its first key is typed', async () => {
	const {type, prepared, waitFor} = runApp();
	await waitFor('Demo model');
	expect(prepared).toEqual([]);
	type('h');
	type('i');
	await waitFor('❯ hi');
	expect(prepared).toEqual(['h']);
	type('\u0015/');
	await waitFor('❯ /');
	expect(prepared).toEqual(['h', '/']);
});
