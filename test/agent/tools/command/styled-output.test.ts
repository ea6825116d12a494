import fc from 'fast-check';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {createCommandOutput} from '../../../../src/agent/tools/command/command-output.ts';
import {createLiveOutput} from '../../../../src/agent/tools/command/live-output.ts';
import {plainOutput, styledOutput} from '../../../../src/agent/tools/command/styled-output.ts';
import {recordedStyles} from '../../../../src/core/output/text-styles.ts';
import {plainText} from '../../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../../src/terminal/text/style.ts';
import {drawnOutput, wholeOutput} from '../../../../src/ui/transcript/output-lines.ts';
import {anyText} from '../../../any-text.ts';
import {expectLinear} from '../../../growth.ts';
import {tricks} from '../../../sinks/tricks.ts';

/** Returns each part of an output that has a style, and the style. */
function parts(raw: string): string[] {
	const {text, styles} = styledOutput(raw);
	return styles.map(({start, end, codes}) => `${text.slice(start, end)} ${codes}`);
}

const sequences = [
	...[
		'\u001B[31m',
		'\u001B[m',
		'\u001B[0;1m',
		'\u001B[38:2::255:0:0m',
		'\u001B[38;5;4m',
		'\u001B[4:3m',
		'\u001B[97;41m',
	],
	...[
		'\u001B[K',
		'\u001B[2J',
		'\u001B]0;t\u0007',
		'\u001B]8;;https://x.example\u001B\\',
		'\u001BPq\u001B\\',
		'\u001B(B',
	],
	...['\u001B\u001B[31m', '\u001B[?25l', '\u001B[>4;1m', '\u001BM'],
];
const raws = fc
	.array(
		fc.oneof(
			{weight: 3, arbitrary: fc.constantFrom(...sequences)},
			{weight: 3, arbitrary: fc.constantFrom('word', ' ', '\n', '\r', '\r\n', '\t', '\0', '\u001B', '[', 'm', '1')},
			fc.constantFrom(...tricks.map(({bytes}) => bytes)),
			anyText({maxLength: 5}),
		),
		{maxLength: 60},
	)
	.map(all => all.join(''));

/** Takes escape sequences out, and all but the last state of a line. */
function plainOf(raw: string): string {
	return raw
		.replace(/\u001B(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001B]{0,4096}(?:\u0007|\u001B\\)?|[ -/]*[0-~])/g, '')
		.replace(/\r+\n/g, '\n')
		.replace(/\0/g, '␀')
		.split('\n')
		.map(line => (line.includes('\r') ? (line.split('\r').findLast(Boolean) ?? '') : line))
		.join('\n');
}

describe('styles of an output', () => {
	test('are those of SGR sequences, in the 16 colours, and go on over lines', () => {
		expect(parts('a\u001B[31mred\nmore\u001B[0m plain')).toEqual(['red 31', 'more 31']);
		expect(parts('\u001B[1;38;2;0;255;0mx\u001B[22my\u001B[mz')).toEqual(['x 1;92', 'y 92']);
		expect(parts('\u001B[38:2::255:0:0mx\u001B[39;4:3my\u001B[4:0mz\u001B[58:2::1:2:3;3mw')).toEqual([
			'x 91',
			'y 4',
			'w 3',
		]);
	});

	test('of a line that was redrawn are those of its last state', () => {
		expect(styledOutput('\u001B[31m10 %\r\u001B[32m50 %\r100 %\u001B[0m\r\ndone')).toMatchObject({
			text: '100 %\ndone',
			styles: [{start: 0, end: 5, codes: '32'}],
		});
	});

	test('begin with the one that was in effect before', () => {
		const {style} = styledOutput('\u001B[1;31mx');
		expect(styledOutput('y', style).styles).toEqual([{start: 0, end: 1, codes: '1;31'}]);
	});

	test('are limited on a line, whose rest has none', () => {
		const rainbow = Array.from({length: 500}, (_, index) => `\u001B[${31 + (index % 6)}mx`).join('');
		const {text, styles} = styledOutput(`${rainbow}\n\u001B[31mnext`);
		expect(styles.filter(({end}) => end <= 500)).toHaveLength(200);
		expect(styles.at(-1)).toEqual({start: 501, end: 505, codes: '31'});
		expect(text).toHaveLength(505);
	});

	test('leave the text as it is without sequences, and are in its lines', () => {
		fc.assert(
			fc.property(raws, raw => {
				const {text, styles} = styledOutput(raw);
				expect(plainOutput(raw)).toBe(text);
				// A second ESC starts the sequence again, so that the first one is none.
				expect(text.replace(/\u001B+/g, '\u001B')).toBe(plainOf(raw.replace(/\u001B+/g, '\u001B')));
				let last = 0;
				for (const {start, end, codes} of styles) {
					expect(start).toBeGreaterThanOrEqual(last);
					expect(end).toBeGreaterThan(start);
					expect(text.slice(start, end)).not.toContain('\n');
					expect(codes).toMatch(/^\d+(?:;\d+)*$/);
					last = end;
				}

				expect(last).toBeLessThanOrEqual(text.length);
			}),
		);
	});

	test('[2] no sequence appears where others are taken out', () => {
		expect(styledOutput('a\u001B\u001B[31m[2Jb').text).toBe('a[2Jb');
		expect(styledOutput(`a${'\u001B'.repeat(9)}[31m[32mb`).text).toBe('a[32mb');
		fc.assert(
			fc.property(raws, raw => {
				expect(styledOutput(raw).text).not.toMatch(/\u001B\[[0-9;:]*m/);
			}),
		);
	});

	test.each([
		['colours', '\u001B[31m'],
		['colours of each character', '\u001B[31mx\u001B[38;5;9my'],
		['escape characters', '\u001B'],
		['titles without an end', '\u001B]'],
		['sequences without an end', '\u001B[0'],
		['states of one line', 'x\r'],
		['empty lines', '\r\n'],
	])('[21] cost in proportion to the length of %s', (_, unit) => {
		expectLinear(size => styledOutput(unit.repeat(size)), 2000);
	});
});

/** Credentials, each with all that must not be seen of it. */
const secrets = fc.oneof(
	fc.stringMatching(/^ghp_[A-Za-z0-9]{36}$/),
	fc.stringMatching(/^sk-ant-api03-[A-Za-z0-9]{40}$/),
	fc.stringMatching(/^AKIA[A-Z0-9]{16}$/),
	fc.stringMatching(/^[a-z]{6}-horse-[a-z]{8}$/),
);

/** A secret with sequences inside, which no terminal shows. */
const interrupted = secrets.chain(secret =>
	fc
		.array(fc.option(fc.constantFrom(...sequences), {freq: 3}), {minLength: secret.length, maxLength: secret.length})
		.map(between => ({
			secret,
			raw: secret
				.split('')
				.map((character, index) => character + (between[index] ?? ''))
				.join(''),
		})),
);

/** Cuts a text anywhere. */
const chunksOf = (raw: string, cuts: readonly number[]) => {
	const bytes = Buffer.from(raw);
	const places = [0, ...cuts.map(cut => cut % (bytes.length + 1)).sort((one, other) => one - other), bytes.length];
	return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
};

test('[8] a secret is hidden in what is shown and recorded wherever sequences interrupt it and chunks end', () => {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
	const before = fc.constantFrom('', 'word \u001B[1m', 'first\n\u001B[32m', 'x 10 %\r', 'old\r\n', '\u001B]0;t\u0007=');
	const behind = fc.constantFrom('', ' word\n', '\u001B[0m\n', '\r\n', '\nnext\n');
	fc.assert(
		fc.property(
			interrupted,
			before,
			behind,
			fc.array(fc.nat(400), {maxLength: 6}),
			({secret, raw}, head, tail, cuts) => {
				const events: string[] = [];
				const drawn: string[] = [];
				const keep = (output: string, styles: ReturnType<typeof styledOutput>['styles']) => {
					const recorded = {output, ...recordedStyles(styles)};
					events.push(JSON.stringify(recorded));
					const lines = wholeOutput(drawnOutput(recorded), 80, createPalette({color: true}));
					expect(lines.map(plainText).join('\n')).toBe(output);
					drawn.push(lines.map(plainText).join('\n'));
				};
				const live = createLiveOutput({onOutput: keep, secrets: [secret]});
				const output = createCommandOutput({
					openFile: () => undefined,
					secrets: [secret],
					onText: live.add,
				});
				for (const chunk of chunksOf(head + raw + tail, cuts)) {
					output.add(chunk);
					vi.advanceTimersByTime(150);
				}

				live.end();
				const {text, styles} = output.take();
				keep(text, styles);
				expect(text).toContain('***');
				for (let at = 0; at + 8 <= secret.length; at++) {
					expect([...events, ...drawn].join('\n')).not.toContain(secret.slice(at, at + 8));
				}
			},
		),
		{numRuns: 300},
	);
});
