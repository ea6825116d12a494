import fc from 'fast-check';
import {expect, test} from 'vitest';
import {hyperlink} from '../../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../../src/terminal/text/style.ts';
import {finishedText} from '../../../../src/ui/screen/ink/ink-text.ts';

const {strong, danger} = createPalette({color: true});
const own = fc.constantFrom(
	'words\n',
	'日本',
	'👍🏽',
	strong('bold'),
	danger(strong('both')),
	'\u001b[38;5;200mx\u001b[0m',
	hyperlink('link', 'https://example.com/a?b=c'),
);

test('text with our own colours and links stays as it is', () => {
	fc.assert(
		fc.property(fc.array(own), parts => {
			expect(finishedText(parts.join(''))).toBe(parts.join(''));
		}),
	);
});

test.each([
	['a cleared screen', 'a\u001b[2Jb', 'a[2Jb'],
	['a cursor movement beside a colour', `${strong('a')}\u001b[3A`, `${strong('a')}[3A`],
	['a title', '\u001b]0;title\u0007', ']0;title\u0007'],
	['a clipboard write', '\u001b]52;c;eA==\u001b\\', ']52;c;eA==\\'],
	['a device control string', '\u001bPq\u001b\\', 'Pq\\'],
	['a sequence of one character (C1)', '\u009b2J\u009d0;x\u009c', '2J0;x'],
	['a sequence inside another', '\u001b\u001b[2J[2J', '[2J[2J'],
	['a link that does not end', '\u001b]8;;https://example.com', ']8;;https://example.com'],
	['a link with another sequence in its target', '\u001b]8;;x\u001b[2Jy\u0007', ']8;;x[2Jy\u0007'],
])('%s never reaches the terminal [1]', (_, text, finished) => {
	expect(finishedText(text)).toBe(finished);
});

test('whatever the text, no other sequence is left [1]', () => {
	const piece = fc.constantFrom('\u001b', '[', ']', '8;;', '2J', '31m', '\u0007', '\\', '\u009b', '\u009c', 'x');
	fc.assert(
		fc.property(fc.array(piece, {maxLength: 12}), pieces => {
			const rest = finishedText(pieces.join('')).replace(
				/\u001b\[[\d:;]*m|\u001b\]8;[^\u0007\u001b]*(?:\u001b\\|\u0007)/g,
				'',
			);
			expect(rest).not.toMatch(/[\u001b\u0080-\u009f]/);
		}),
		{numRuns: 300},
	);
});
