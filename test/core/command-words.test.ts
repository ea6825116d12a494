import {expect, test} from 'vitest';
import {nameCommands} from '../../src/core/command-words.ts';

test.each([
	['Run `help` to see them all.', 'app', 'Run /help to see them all.'],
	['Run `keys set openai`, or set OPENAI_API_KEY.', 'shell', 'Run service keys set openai, or set OPENAI_API_KEY.'],
	['`login --server <url>` logs in, `connect <url>` too.', 'app', '/login --server <url> logs in, /connect <url> too.'],
	['Quit, then run `$ serve init`.', 'app', 'Quit, then run service serve init.'],
	['Start it with `$`, or `$ -p "Hi"`.', 'shell', 'Start it with service, or service -p "Hi".'],
	['No files yet. Write one with `/memory init`.', 'app', 'No files yet. Write one with /memory init.'],
	['No files yet. Write one with `/init`.', 'shell', 'No files yet. In the app, write one with /init.'],
	['`/undo` and `/diff` work. So does `trust`.', 'shell', 'In the app, /undo and /diff work. So does service trust.'],
	['A lone ` stays, and so do empty ``.', 'app', 'A lone ` stays, and so do empty ``.'],
] as const)('%j is written as typed in the %s', (hint, place, told) => {
	expect(nameCommands(hint, place)).toBe(told);
});
