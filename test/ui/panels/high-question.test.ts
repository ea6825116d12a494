import {expect, test} from 'vitest';
import {openPanel} from '../../../src/ui/panels/panels.ts';
import {runApp} from '../running-app.ts';

const question = {
	kind: 'confirm',
	question: 'Which one?',
	answers: Array.from('abcdefgh', key => ({key, label: `Answer ${key}`, value: key})),
	askedAt: -10_000,
} as const;

/** The sequences that switch to the alternate screen or back, and the wheel there. */
const switches = /\u001b\[\?(?:1049|1007)[hl]/g;

test('[4] the wheel marks no answer to a question on the alternate screen, but still scrolls a view over it', async () => {
	const {type, waitFor, store, written} = runApp({env: {TERM: 'xterm-256color'}});
	const switched = () => (written.join('').match(switches) ?? []).map(sequence => sequence.slice(3));
	const [enter, leave, scrolls, still] = ['1049h', '1049l', '1007h', '1007l'];
	await waitFor('Ask something');
	openPanel(store, question);
	await waitFor('Answer h');
	expect(switched()).toEqual([enter, scrolls, still]);
	type('\u000f');
	await waitFor('Transcript');
	expect(switched().at(-1)).toBe(scrolls);
	type('q');
	await expect.poll(switched, {interval: 5}).toHaveLength(8);
	expect(switched().slice(3)).toEqual([scrolls, leave, enter, scrolls, still]);
	store.getState().closePanel();
	await waitFor('Ask something');
	expect(switched().slice(-2)).toEqual([scrolls, leave]);
});

test('the transcript opens over a question of the agent, which is still open below it', async () => {
	const {type, waitFor, store} = runApp();
	await waitFor('Ask something');
	const choices = [{label: 'one', description: undefined}];
	const asked = {kind: 'ask', question: 'Which one?', choices, askedAt: -10_000, isFollowUp: false} as const;
	openPanel(store, asked);
	await waitFor('Something else');
	type('\u000f');
	await waitFor('Transcript');
	type('q');
	await waitFor('Something else');
	expect(store.getState().panel).toBe(asked);
});
