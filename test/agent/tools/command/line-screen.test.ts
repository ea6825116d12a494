import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
	copyScreen,
	createLineScreen,
	joinRows,
	rowsOn,
	screenOutput,
	trimScreen,
	writeOn,
} from '../../../../src/agent/tools/command/line-screen.ts';
import {styledOutput} from '../../../../src/agent/tools/command/styled-output.ts';
import {anyText} from '../../../any-text.ts';
import {expectLinear} from '../../../growth.ts';
import {tricks} from '../../../sinks/tricks.ts';

const pieces = fc.oneof(
	{weight: 3, arbitrary: fc.constantFrom('word', ' ', '\n', '\r', '\r\n', '\t', '\0', '\u001B', '[', 'm', '1', '界')},
	{weight: 2, arbitrary: fc.constantFrom('\u001B[31m', '\u001B[m', '\u001B[38;5;4m', '\u001B]0;t\u0007', '\u001B(B')},
	anyText({maxLength: 5}).map(text => text.replace(/[\b\u001B]/g, '')),
);
const moves = fc.constantFrom(
	...[
		'\b',
		'\u001B[K',
		'\u001B[1K',
		'\u001B[2K',
		'\u001B[J',
		'\u001B[A',
		'\u001B[2A',
		'\u001B[9999999999A',
		'\u001B[B',
	],
	...['\u001B[999999999C', '\u001B[D', '\u001B[E', '\u001B[3F', '\u001B[G', '\u001B[5G', '\u001B[2J', '\u001B[H'],
	...tricks.map(({bytes}) => bytes),
);

describe('the screen of an output', () => {
	test('shows the same text and colours as the result, unless the cursor was moved', () => {
		fc.assert(
			fc.property(fc.array(pieces, {maxLength: 40}), all => {
				const raw = all.join('');
				const {text, styles} = styledOutput(raw);
				const shown = screenOutput(raw);
				expect(`${shown.text}\n`).toBe(text.endsWith('\n') ? text : `${text}\n`);
				expect(shown.styles).toEqual(styles);
			}),
		);
	});

	test.each([
		['CR', '10 %\r50 %\r100 %\n', '100 %'],
		['CR and erasing', 'downloading\r\u001B[Kdone\n', 'done'],
		['BS', '|\b/\b-\b\\\bdone', 'done'],
		['BS and blanks', 'loading…\b \b\b \b', 'loadin  '],
		['rows above', 'a 1%\nb 1%\n\u001B[2A\u001B[Ka 9%\n\u001B[Kb 9%\n', 'a 9%\nb 9%'],
		[
			'one row above',
			'Compiling x\nBuilding 1/9\u001B[1A\r\u001B[JCompiling y\nBuilding 2/9',
			'Compiling y\nBuilding 2/9',
		],
		['columns', '[    ]\r\u001B[2C=\u001B[D\u001B[D=', '[==  ]'],
		['the beginning of rows', 'x 1\ny 1\n\u001B[2Fx 2\u001B[Ey 2\u001B[G', 'x 2\ny 2'],
	])('follows %s', (_, raw, shown) => {
		expect(screenOutput(raw).text).toBe(shown);
	});

	test('keeps colours of what stays', () => {
		const {text, styles} = screenOutput('\u001B[31mred\u001B[32mgreen\u001B[m\r\u001B[3C\u001B[K!');
		expect([text, styles]).toEqual(['red!', [{start: 0, end: 3, codes: '31'}]]);
	});

	test('is the same however the output is cut between sequences', () => {
		fc.assert(
			fc.property(fc.array(fc.oneof(pieces, moves), {maxLength: 40}), all => {
				const raw = all.join('');
				const screen = createLineScreen();
				const parts = raw.match(/[^\n]*\n|[^\n]+$/g) ?? [];
				fc.pre(!/\u001B[\]PX^_][^\u0007\u001B]*\n/.test(raw));
				for (const part of parts) {
					writeOn(copyScreen(screen), 'elsewhere\n\u001B[2Jx');
					writeOn(screen, part);
				}

				expect(joinRows(rowsOn(screen))).toEqual(screenOutput(raw));
			}),
		);
	});

	test('lets nothing reach rows that it has forgotten', () => {
		const screen = createLineScreen();
		writeOn(screen, Array.from({length: 500}, (_, index) => `row ${index}\n`).join(''));
		trimScreen(screen);
		expect(screen.first).toBe(381);
		writeOn(screen, '\u001B[999A\rchanged');
		const changed = rowsOn(screen).findIndex(({text}) => text === 'changed');
		expect(screen.first + changed).toBe(441);
	});

	test.each([
		['states of one line', 'x\r'],
		['movements', '\u001B[A\u001B[Bx'],
		['erased rows', '\n\u001B[J'],
		['columns', '\u001B[9Cx\n'],
		['colours of each character', '\u001B[31mx\u001B[38;5;9my'],
	])('[21] costs in proportion to the length of %s', (_, unit) => {
		expectLinear(size => screenOutput(unit.repeat(size)), 2000);
	});
});
