import fc from 'fast-check';
import {expect, onTestFinished, test, vi} from 'vitest';
import {createCommandOutput} from '../../../../src/agent/tools/command/command-output.ts';
import {shownLength} from '../../../../src/agent/tools/command/line-mask.ts';
import {screenOutput} from '../../../../src/agent/tools/command/line-screen.ts';
import {createLiveOutput} from '../../../../src/agent/tools/command/live-output.ts';
import {addPiece, plainRecord, type RecordedOutput, toRecorded} from '../../../../src/core/output/recorded-output.ts';
import {recordedStyles} from '../../../../src/core/output/text-styles.ts';

/** Sends chunks, one each time output is shown. Returns what the screen has after each, and the texts for programs. */
function showing(chunks: readonly string[], secrets: readonly string[] = []) {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
	let shown: RecordedOutput = {output: ''};
	const screens: string[] = [];
	const texts: string[] = [];
	const live = createLiveOutput({
		secrets,
		onOutput(text, styles, redrawn) {
			texts.push(text);
			shown = addPiece(shown, {output: text, ...recordedStyles(styles), ...redrawn});
		},
	});
	for (const chunk of chunks) {
		live.add(chunk);
		vi.advanceTimersByTime(150);
		screens.push(shown.output);
	}

	live.end();
	return {screens, texts, last: shown};
}

test('a progress bar is drawn in place, and each of its states is a line for programs', () => {
	const {screens, texts, last} = showing(['start\n10%\r', '50%\r', '100%\n', 'done\n']);
	expect(screens).toEqual(['start\n10%\n', 'start\n50%\n', 'start\n100%\n', 'start\n100%\ndone\n']);
	expect(texts).toEqual(['start\n10%\n', '50%\n', '100%\n', 'done\n']);
	expect(last).toEqual({output: 'start\n100%\ndone\n', styles: undefined});
});

test('a state behind CR is shown at once, and not when the next one comes', () => {
	const {screens, texts} = showing(['\r10%', '\r20%', '\r30%', '\nend\n']);
	expect(screens.slice(1)).toEqual(['20%\n', '30%\n', '30%\nend\n']);
	expect(texts).toEqual(['10%\n', '20%\n', '30%\nend\n']);
});

test('rows above the cursor are drawn in place', () => {
	const frame = (done: number) => `\u001B[K\u001B[32mweb\u001B[m ${done}%\n\u001B[Kdb ${done}%\n`;
	const {screens, last} = showing(['Pulling\n', frame(1), `\u001B[2A${frame(50)}`, `\u001B[2A${frame(99)}`]);
	expect(screens.slice(1)).toEqual(['1', '50', '99'].map(done => `Pulling\nweb ${done}%\ndb ${done}%\n`));
	expect(last.styles).toBe('8+3:32');
});

test('a line end that comes later than its line adds no line', () => {
	const {screens} = showing(['one\r', '\n', 'two\r', '\n', '\n', 'three\n']);
	expect(screens.at(-1)).toBe('one\ntwo\n\nthree\n');
});

test('[8] a credential is never shown, however its line is written', () => {
	const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
	const {screens} = showing(
		[
			`\r${secret.slice(0, 20)}`,
			`\r${secret}\r`,
			`x ${secret}\r`,
			`\u001B[2C${secret.slice(0, 3)}\r`,
			`\u001B[5C${secret.slice(3)}\n`,
			'own val\r',
			'own value of mine\r',
			'\rown value of m',
			'ine, and more',
		],
		['value of mine'],
	);
	expect(screens.join('')).not.toMatch(/0123|abcdef|value of/);
	expect(screens.join('')).toContain('***');
});

test.each([
	['Downloading 50%', 'Downloading 50%'],
	['Building...', 'Building...'],
	['Downloading packages', 'Downloading packages'],
	['42 of 99', '42 of 99'],
	['fetching ghp_0123456', 'fetching '],
	['key: QUJDREVGRw', 'key: '],
	['SG.abcdefgh', ''],
	['say hunter', 'say '],
	['say hunters', 'say hunters'],
])('[8] of the open line “%s”, “%s” is shown', (line, shown) => {
	expect(line.slice(0, shownLength(line, ['hunter2hunter2']))).toBe(shown);
});

test('a line without an end is shown while its rest is awaited, and only once', () => {
	const {screens, texts, last} = showing(['one\nContinue? [y/N] ', '', '', '', 'y\ntwo\n']);
	expect(screens[0]).toBe('one\n');
	expect(screens[3]).toBe('one\nContinue? [y/N] \n');
	expect(last.output).toBe('one\nContinue? [y/N] y\ntwo\n');
	expect(texts.join('')).toBe('one\nContinue? [y/N] y\ntwo\n');
});

test('a line that grows in pieces is shown again and again in place', () => {
	const {screens, texts, last} = showing(Array.from({length: 20}, () => '\u001B[32m.\u001B[m'));
	expect(screens.filter(shown => shown !== '').length).toBeGreaterThan(10);
	expect(screens.every(shown => /^(?:\.+\n)?$/.test(shown))).toBe(true);
	expect([last.output, texts.join('')]).toEqual([`${'.'.repeat(20)}\n`, `${'.'.repeat(20)}\n`]);
	expect(last.styles).toBe('0+20:32');
});

test.each([
	['a credential of a known kind', 'ghp_0123456789abcdefghijABCDEFGHIJ012345'],
	['a value of a file', 'correct horse battery staple'],
])('[8] %s is never shown, not even in part, if it arrives a character at a time', (_, secret) => {
	const {screens, last} = showing(
		['the ', '', '', 'key is ', '', '', ...secret, '', '', '', ' now\n'],
		['correct horse battery staple'],
	);
	const begun = screens.join('').replaceAll('the key is ', '');
	expect(begun).not.toMatch(/ghp_0|cor|horse/);
	expect(screens).toContain('the key is \n');
	expect(last.output).toBe('the key is *** now\n');
});

const pieces = fc.constantFrom(
	...[
		'a',
		'b ',
		'12%',
		'\n',
		'\r',
		'\r\n',
		'\b',
		'\u001B[K',
		'\u001B[2K',
		'\u001B[A',
		'\u001B[3A',
		'\u001B[31m',
		'\u001B[m',
	],
	...['\u001B[J', '\u001B[F', '\u001B[G', '\u001B[2C'],
);

test('rows that were only added are drawn in place once something is written over them', () => {
	const many = Array.from({length: 400}, (_, index) => `\u001B[3${index % 7}mrow ${index}\n`);
	const {last, screens} = showing([...many, 'end\n', '\u001B[2A\rover 399\u001B[2B', '\r\u001B[999Ftop\n']);
	const rows = last.output.split('\n');
	expect(rows.slice(-4)).toEqual(['row 398', 'over 399', 'end', '']);
	expect(screens.at(-2)).toBe(`${many.join('').replace(/\u001B\[\d+m/g, '')}end\n`);
	expect(rows.indexOf('top')).toBeGreaterThan(300);
	expect(rows).toHaveLength(402);
});

test('what is shown in the end is what a terminal shows', () => {
	fc.assert(
		fc.property(fc.array(fc.array(pieces, {maxLength: 8}), {maxLength: 8}), all => {
			const chunks = all.map(chunk => chunk.join(''));
			const {last} = showing(chunks);
			const expected = screenOutput(chunks.join(''));
			// What ends in a line end adds no line to the screen, and a piece for programs has one.
			expect(last.output.replace(/\n+$/, '')).toBe(expected.text.replace(/\n+$/, ''));
			expect(last.styles ?? '').toBe(toRecorded(expected).styles ?? '');
		}),
		{numRuns: 200},
	);
});

test('long outputs stay short on the screen when a bar is drawn for an hour', () => {
	const bars = Array.from({length: 3000}, (_, index) => `\u001B[32m[=====>      ]\u001B[m ${index} of 3000\r`);
	const {last, screens} = showing(['begin\n', ...bars]);
	expect(screens.at(-1)).toMatch(/^begin\n\[=====> {6}\] 29\d\d of 3000\n$/);
	expect(last.output.length).toBeLessThan(60);
});

test('records for programs have no trace of how a piece is drawn', () => {
	const event = {type: 'tool-output', id: 'a', text: '50%\n', styles: '0+1:31', over: 1, shown: '51%\n'} as const;
	const record = plainRecord({v: 1, seq: 1, at: '', session: '', server: '', event} as never);
	expect(record.event).toEqual({type: 'tool-output', id: 'a', text: '50%\n'});
});

test('the output of a command of the user is the last state, also where rows were drawn over', () => {
	const frames = 'web 1%\ndb 1%\n\u001B[2A\u001B[Kweb 9%\n\u001B[Kdb 9%\n|\b/\b-\b done';
	const output = createCommandOutput({openFile: () => undefined, secrets: []});
	output.add(Buffer.from(frames));
	expect(output.take().text).toBe('web 9%\ndb 9%\n- done'.replace('- ', ' '));
});

test('[8] the last lines of a command that still runs have no part of a credential, and a line without an end', async () => {
	const output = createCommandOutput({openFile: () => undefined, secrets: []});
	output.add(Buffer.from('one\nkey ghp_0123456789'));
	expect(output.lastLines()).toEqual(['one', 'key']);
	expect(output.lastOutput().text).toBe('one\nkey');
	output.add(Buffer.from('abcdefghijABCDEFGHIJ012345\nContinue? [y/N] '));
	expect(output.lastLines()).toEqual(['one', 'key ***', 'Continue? [y/N]']);
	output.add(Buffer.from('file-name.ts'));
	await output.close();
	expect(output.lastLines().at(-1)).toBe('Continue? [y/N] file-name.ts');
});
