import {expect, test} from 'vitest';
import {nameCommands} from '../../src/core/command-words.ts';

test.each([
	['Run `help` to see them all.', '/', 'Run /help to see them all.'],
	['Run `keys set openai`, or set OPENAI_API_KEY.', 'service ', 'Run service keys set openai, or set OPENAI_API_KEY.'],
	['`login --server <url>` logs in, `connect <url>` too.', '/', '/login --server <url> logs in, /connect <url> too.'],
	['A lone ` stays, and so do empty ``.', '/', 'A lone ` stays, and so do empty ``.'],
] as const)('%j is told as it is typed behind %j', (hint, prefix, told) => {
	expect(nameCommands(hint, prefix)).toBe(told);
});
