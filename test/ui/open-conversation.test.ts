import {expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {runApp} from './running-app.ts';

test('why a connection failed is said once, in the conversation', async () => {
	const {store, lines, settle, waitFor} = runApp();
	await waitFor('Demo model');
	const {connection, setConnection} = store.getState();
	setConnection({...connection, state: 'failed', detail: 'The embedded server ended.'});
	await waitFor('! The embedded server ended.');
	store.getState().setToast('something else');
	await settle(40);
	expect(lines().filter(line => line.includes('The embedded server ended.'))).toHaveLength(1);
});

test('a history of prompts that cannot be read is told, and keeps nobody from working', async () => {
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
