import {expect, test} from 'vitest';
import type {AppStore} from '../../src/store/store.ts';
import {finish, text} from '../agent/scripted.ts';
import {runApp} from './running-app.ts';

/** Counts the updates of the store from now on. */
function countUpdates(store: AppStore): () => number {
	let updates = 0;
	store.subscribe(() => updates++);
	return () => updates;
}

test('a key updates the store once', async () => {
	const {type, waitFor, settle, store} = runApp();
	await waitFor('Demo model');
	await settle();
	const updates = countUpdates(store);
	type('x');
	await waitFor('❯ x');
	expect(updates()).toBe(1);
});

test('a token updates the store once', async () => {
	let sendNext: () => void = () => undefined;
	const next = () => new Promise<void>(resolve => (sendNext = resolve));
	const {type, waitFor, settle, store} = runApp({
		async *ask() {
			yield text('One ');
			await next();
			yield text('two');
			await next();
			yield finish('stop');
		},
	});
	await waitFor('Demo model');
	type('hi\r');
	await waitFor('One');
	await settle();
	const updates = countUpdates(store);
	sendNext();
	await waitFor('One two');
	expect(updates()).toBe(1);
	sendNext();
});
