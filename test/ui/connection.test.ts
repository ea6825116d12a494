import {expect, test} from 'vitest';
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
