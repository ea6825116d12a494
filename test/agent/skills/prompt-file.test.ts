import {expect, test} from 'vitest';
import {promptText, readPromptFile} from '../../../src/agent/skills/prompt-file.ts';

test.each([
	['$ARGUMENTS is everything as typed', 'Look at $ARGUMENTS!', 'a  "b c"', 'Look at a  "b c"!'],
	['words are numbered, quotes keep them together', '$2 before $1', 'one "two three"', 'two three before one'],
	['a missing word is empty', '[$3]', 'one', '[]'],
	['without a placeholder the arguments follow', 'Fix it.', 'the tests', 'Fix it.\n\nthe tests'],
	['an argument is never a placeholder', '$1 $2', '$2 $ARGUMENTS', '$2 $ARGUMENTS'],
	['prices and other variables stay', 'It costs $10 or $HOME, $ARGUMENTSX', '', 'It costs $10 or $HOME, $ARGUMENTSX'],
	['an open quote is a character', '$1|$2', `don't stop`, `don't|stop`],
])('%s', (_, body, typed, text) => {
	expect(promptText(body, typed)).toBe(text);
});

test('a file says how it is shown; without fields its first line does', () => {
	const file = readPromptFile('.service/prompts/Fix-It.md', '# Fix the build\n\nDo it.');
	expect(file).toMatchObject({name: 'fix-it', description: 'Fix the build', argumentHint: undefined});
	const hostile = readPromptFile(
		'a.md',
		`---\ndescription: "${'x'.repeat(500)}"\nargument-hint: a\u001b]0;b\u0007\n---\nGo`,
	);
	expect([hostile.description.length, hostile.argumentHint, hostile.body]).toEqual([120, 'a\u001b]0;b\u0007', 'Go']);
});
