import {expect, test} from 'vitest';
import {toMessages} from '../../src/core/session/read-conversation.ts';
import {reduceTranscript} from '../../src/core/session/reduce-transcript.ts';
import {emptyTranscript} from '../../src/core/session/transcript.ts';
import {createSystemPrompt} from '../../src/program/agent-parts.ts';
import {call, finish, text} from '../agent/scripted.ts';
import {scripted} from '../store/scripted-conversation.ts';

const noLog = {
	append: () => undefined,
	flush: async () => undefined,
	settle: async () => undefined,
	close: async () => undefined,
};
const says = [text('Yes.'), finish('stop')];
const note = (date: string) => `[Note from the program, not from the user. Today is ${date}.]`;

test('a session that continues on a later day sends what it sent before byte for byte, and the new date once', async () => {
	let at = new Date(2026, 0, 1, 12).toISOString();
	const now = () => at;
	const {conversation, transcript, records, model} = scripted([says, says, says, says], {now});
	await conversation.send('One.');
	expect(transcript().beganAt).toBe(at);
	const [first = []] = model.asked;

	const read = records().reduce(reduceTranscript, emptyTranscript(transcript().session));
	const resumed = scripted([[call('echo', {word: 'a'}), finish('tool-calls')], says, says, says], {
		now,
		newId: () => crypto.randomUUID(),
	});
	at = new Date(2026, 0, 3, 0, 5).toISOString();
	await resumed.conversation.open(read, noLog);
	await resumed.conversation.send('Two.');
	await resumed.conversation.send('Three.');
	const [second = [], third = [], fourth = []] = resumed.model.asked;
	expect(JSON.stringify(second.slice(0, first.length))).toBe(JSON.stringify(first));
	expect(second.at(-1)).toEqual({role: 'user', text: `${note('2026-01-03')}\n\nTwo.`});
	expect(third.slice(0, second.length)).toEqual(second);
	expect(fourth.at(-1)).toEqual({role: 'user', text: 'Three.'});
	// What a later resumption sends is what was sent.
	expect(toMessages(resumed.transcript()).slice(0, fourth.length)).toEqual(fourth);

	await resumed.conversation.compact();
	await resumed.conversation.send('Four.');
	expect(resumed.model.asked.at(-1)?.at(-1)).toEqual({role: 'user', text: `${note('2026-01-03')}\n\nFour.`});
});

test('the system prompt of a resumed session has the date on which it began, that of a sub-agent today', async () => {
	const write = createSystemPrompt(
		{folder: {path: () => '/work'}},
		{
			...{loadTools: async () => [], projectInstructions: async () => undefined},
			now: () => new Date(2026, 0, 3, 12).getTime(),
		},
	);
	const resumed = {session: 'one', beganAt: new Date(2026, 0, 1, 12).toISOString(), isPlanning: false};
	expect(await write(resumed)).toContain('Date: 2026-01-01');
	expect(await write(resumed, [])).toContain('Date: 2026-01-03');
	expect(await write({session: 'new', isPlanning: false})).toContain('Date: 2026-01-03');
});
