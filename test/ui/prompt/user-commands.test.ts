import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {parseRecorded} from '../../../src/core/session/event.ts';
import {toMessages} from '../../../src/core/session/read-conversation.ts';
import {reduceTranscript} from '../../../src/core/session/reduce-transcript.ts';
import {emptyTranscript} from '../../../src/core/session/transcript.ts';
import {expectStill} from '../../agent/tools/command/expect-still.ts';
import {keys} from '../key-presses.ts';
import {realApp} from './real-app.ts';

/** Returns the conversation that is read from the only journal of a state folder. */
function journalOf(home: string) {
	const [path = ''] = readdirSync(join(home, 'state'), {recursive: true, encoding: 'utf8'}).filter(
		name => name.endsWith('.jsonl') && name.includes('sessions'),
	);
	const records = readFileSync(join(home, 'state', path), 'utf8')
		.split('\n')
		.flatMap(line => (line.startsWith('{') ? (parseRecorded(JSON.parse(line)) ?? []) : []));
	return toMessages(records.reduce(reduceTranscript, emptyTranscript(records[0]?.session ?? '')));
}

test('the output of a command is shown, joins the next message, and is resumed as it was sent', async () => {
	const {type, waitFor, lastMessages, host, home} = await realApp({files: {'a.txt': 'alpha'}});
	await waitFor('custom/alpha');
	type('!cat a.txt; false\r');
	await waitFor('✗ ! cat a.txt; false · exit status 1');
	await waitFor('alpha');
	expect(host.received.filter(({path}) => path.endsWith('/chat/completions'))).toEqual([]);
	type('why?\r');
	await waitFor('Understood.');
	const [, sent] = lastMessages();
	expect(sent?.content).toMatch(/^\[The user ran this command in their shell \(exit status 1/);
	expect(sent?.content).toContain('```\n$ cat a.txt; false\nalpha\n```\n\nwhy?');
	await expect.poll(() => journalOf(home)[0]).toEqual({role: 'user', text: sent?.content});
	type('and now?\r');
	await expect.poll(() => lastMessages().at(-1)).toEqual({role: 'user', content: 'and now?'});
});

test('Esc ends a command, its output so far is kept, and during a run none starts', async () => {
	const {type, waitFor, host, store} = await realApp();
	await waitFor('custom/alpha');
	type('!echo first; sleep 600\r');
	await waitFor('first');
	type('\u001b');
	await waitFor('■ ! echo first; sleep 600 · stopped by the user');
	let finish = () => {};
	host.answerWith(({say, finish: end}) => {
		say('Working');
		finish = end;
	});
	type('go\r');
	await waitFor('Working');
	type('!echo second\r');
	await waitFor("A command can't run while the agent works.");
	expect(store.getState().composer.text).toBe('!echo second');
	finish();
});

test('Ctrl+B sends a command to the background: Esc leaves it alone, /jobs has it, and the model is told', async () => {
	const {type, waitFor, lastMessages, store, folder} = await realApp();
	await waitFor('custom/alpha');
	type('!echo first; until [ -e go ]; do sleep 0.05; done; echo second; exit 4\r');
	await waitFor('\nfirst\n');
	expect(store.getState().foreground).toBe(1);
	type('\u0002');
	await waitFor('in the background as job 1');
	await expect.poll(() => [store.getState().jobs, store.getState().busy]).toEqual([1, false]);
	type(keys.escape);
	type('/jobs\r');
	await waitFor('running for');
	type(keys.escape);
	type('why?\r');
	await waitFor('Understood.');
	expect(lastMessages().at(-1)?.content).toMatch(
		/^\[The user ran this command in their shell \(in the background as job 1\):\]\n\n```\n\$ echo first;.*\nfirst\n```\n\nwhy\?$/,
	);
	expect(store.getState().jobs).toBe(1);
	writeFileSync(join(folder, 'go'), '');
	await waitFor('Job 1 ended: exit status 4 after');
	expect(store.getState().jobs).toBe(0);
	await waitFor('Show its output: /jobs show 1');
	type('/jobs show 1\r');
	await waitFor('job 1: exit status 4 after');
	await waitFor('second');
});

test('a command of the user in the background ends with the session', async () => {
	const {type, waitFor, store, folder} = await realApp();
	await waitFor('custom/alpha');
	type('!while sleep 0.05; do touch alive; done\r');
	await expect.poll(() => existsSync(join(folder, 'alive'))).toBe(true);
	type('\u0002');
	await expect.poll(() => store.getState().jobs).toBe(1);
	type('/new\r');
	await expect.poll(() => store.getState().jobs).toBe(0);
	await expectStill(join(folder, 'alive'));
});
