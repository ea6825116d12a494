import {expect, test} from 'vitest';
import type {AgentEvent} from '../../src/core/session/event.ts';
import {emptyTranscript} from '../../src/core/session/transcript.ts';
import {announceAgents} from '../../src/program/announce-agents.ts';
import type {FolderAgent} from '../../src/storage/folder-agents.ts';
import {createAppStore} from '../../src/store/store.ts';
import {done, start, toRecords, user} from '../core/records.ts';

const key = 'sk-0123456789abcdefghijklmnopqrstuvwxyz';

/** Follows a store. Returns what other processes were told, and what records events. */
function announced() {
	const store = createAppStore();
	const told: Array<readonly FolderAgent[]> = [];
	const open = async () => ({announce: async (agents: readonly FolderAgent[]) => void told.push(agents)});
	const end = announceAgents({store, open, hide: text => text.replaceAll(key, '***')});
	let seq = 0;
	store.getState().openTranscript(emptyTranscript('s'));
	const record = (...events: readonly AgentEvent[]) => {
		const records = toRecords(events).map(each => ({...each, session: 's', seq: seq++}));
		store.getState().applyRecords(records);
	};
	return {store, told, end, record};
}

test('other processes are told of a run, of what it waits for, and of its end', async () => {
	const {store, told, end, record} = announced();
	record(start, user('Fix the login. It fails.'));
	store.setState({manner: 'asks'});
	store.setState({manner: undefined});
	record(done);
	store.getState().setBackground([
		{id: '1', about: 'Docs', state: 'waiting', unread: 0},
		{id: '2', about: 'Old', state: 'ended', unread: 0},
	]);
	await end();
	expect(told).toEqual([
		[{about: 'Fix the login.', state: 'running'}],
		[{about: 'Fix the login.', state: 'waiting'}],
		[{about: 'Fix the login.', state: 'running'}],
		[],
		[{about: 'Docs', state: 'waiting'}],
		[],
	]);
});

test('[8] they are told no credential, also none in a title of the user', async () => {
	const {told, end, record} = announced();
	record(start, user(`Try the key ${key} on the server`));
	record({type: 'rename', title: `With ${key}`});
	await end();
	expect(told.flat().length).toBe(2);
	expect(JSON.stringify(told)).not.toContain(key);
});

test('a program in which no agent works tells nothing', async () => {
	const {told, end} = announced();
	await end();
	expect(told).toEqual([]);
});
