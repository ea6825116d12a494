import {expect, test} from 'vitest';
import {createSystemPrompt} from '../../src/compose/system-prompt.ts';
import {emptyTranscript} from '../../src/core/session/transcript.ts';
import {createAppStore} from '../../src/store/store.ts';

test('the date of the system prompt stays the same through a session, also over midnight', async () => {
	const store = createAppStore();
	let now = Date.UTC(2026, 0, 1, 23, 59);
	const write = createSystemPrompt(
		{store},
		{folder: {path: () => '/work'}},
		{loadTools: async () => [], projectInstructions: async () => undefined, now: () => now},
	);
	const first = await write();
	expect(first).toContain('Date: 2026-01-01');
	now += 120_000;
	expect(await write()).toBe(first);
	store.getState().openTranscript(emptyTranscript('another'));
	expect(await write()).toContain('Date: 2026-01-02');
});
