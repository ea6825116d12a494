import {expect, test} from 'vitest';
import {createSystemPrompt} from '../../src/program/agent-parts.ts';

test('the date of the system prompt stays that of its session, also over midnight and beside another session', async () => {
	let now = Date.UTC(2026, 0, 1, 23, 59);
	const write = createSystemPrompt(
		{folder: {path: () => '/work'}},
		{loadTools: async () => [], projectInstructions: async () => undefined, now: () => now},
	);
	const one = {session: 'one', isPlanning: false};
	const another = {session: 'another', isPlanning: false};
	const first = await write(one);
	expect(first).toContain('Date: 2026-01-01');
	now += 120_000;
	expect(await write(one)).toBe(first);
	expect(await write(another)).toContain('Date: 2026-01-02');
	expect(await write(one)).toBe(first);
});

test('the system prompt of a session that plans says so, and that of another one does not', async () => {
	const write = createSystemPrompt(
		{folder: {path: () => '/work'}},
		{loadTools: async () => [], projectInstructions: async () => undefined},
	);
	const planning = await write({session: 'one', isPlanning: true});
	const working = await write({session: 'another', isPlanning: false});
	expect(planning).not.toBe(working);
	expect(await write({session: 'one', isPlanning: true})).toBe(planning);
});
