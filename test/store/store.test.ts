import {describe, expect, test} from 'vitest';
import type {Recorded} from '../../src/core/session/event.ts';
import {emptyTranscript} from '../../src/core/session/transcript.ts';
import {createAppStore} from '../../src/store/store.ts';
import {openPanel} from '../../src/ui/panels/panels.ts';
import {recorded, run} from '../storage/records.ts';

describe('the session in the store', () => {
	test('applies a batch of records in one update', () => {
		const store = createAppStore();
		store.getState().openTranscript(emptyTranscript('s'));
		let changes = 0;
		store.subscribe(() => changes++);
		store.getState().applyRecords(recorded(run('Hello'), 's'));
		expect(changes).toBe(1);
		expect(store.getState().transcript.settled.map(({kind}) => kind)).toEqual(['user', 'text']);
	});

	test('drops records of another session, and of a run from another server [20]', () => {
		const store = createAppStore();
		const [start, user, delta, rest] = recorded(run('Hello'), 's');
		const at = (record: Recorded | undefined, change: Partial<Recorded>) => (record ? [{...record, ...change}] : []);
		store.getState().openTranscript(emptyTranscript('s'));
		store
			.getState()
			.applyRecords([
				...at(start, {}),
				...at(user, {session: 'other'}),
				...at(user, {}),
				...at(delta, {server: 'https://other.example'}),
				...at(rest, {}),
			]);
		const {settled, open} = store.getState().transcript;
		expect([...settled, ...open]).toMatchObject([
			{kind: 'user', text: 'Hello'},
			{kind: 'text', text: 'lo.'},
		]);
	});

	test('returns the queue once, and drops it with its session', () => {
		const {enqueue, takeQueue, openTranscript} = createAppStore().getState();
		enqueue({id: '1', text: 'one'});
		enqueue({id: '2', text: 'two'});
		expect(takeQueue()).toEqual([
			{id: '1', text: 'one'},
			{id: '2', text: 'two'},
		]);
		expect(takeQueue()).toEqual([]);
		enqueue({id: '3', text: 'three'});
		openTranscript(emptyTranscript('other'));
		expect(takeQueue()).toEqual([]);
	});

	test('starts as saved, even after an unsaved one [19]', () => {
		const store = createAppStore();
		store.getState().setUnsaved('disk full');
		store.getState().openTranscript(emptyTranscript('other'));
		expect(store.getState().unsaved).toBe(undefined);
	});
});

test('a panel opens at its top', () => {
	const store = createAppStore();
	openPanel(store, {kind: 'lines', title: 'a', lines: () => []});
	store.getState().scrollBy(7);
	openPanel(store, {kind: 'lines', title: 'b', lines: () => []});
	expect(store.getState().scroll).toBe(0);
});

test('the store knows no prices or models before the catalog is loaded', () => {
	const store = createAppStore();
	expect([store.getState().priceOf('a'), store.getState().infoOf('a')]).toEqual([undefined, undefined]);
	store.getState().setCatalog({priceOf: () => undefined, infoOf: id => ({id, name: 'A', contextWindow: undefined})});
	expect(store.getState().infoOf('a')).toEqual({id: 'a', name: 'A', contextWindow: undefined});
	expect(store.getState().connection).toEqual({profile: 'local', server: 'local', state: 'starting'});
});
