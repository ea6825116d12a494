import {expect, onTestFinished, test, vi} from 'vitest';
import {createCommandOutput} from '../../../../src/agent/tools/command/command-output.ts';
import {createLiveOutput} from '../../../../src/agent/tools/command/live-output.ts';
import {recordedStyles} from '../../../../src/core/output/text-styles.ts';

test('a style goes on in the next piece of a running output, but not behind what was left out', () => {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
	const pieces: string[] = [];
	const live = createLiveOutput({
		onOutput: (text, styles) => pieces.push([text, ...styles.map(({codes}) => codes)].join(' ')),
		secrets: [],
	});
	for (const text of ['\u001B[31mone\ntw', 'o\n', `${'x'.repeat(9000)}\n`, 'last\n']) {
		live.add(text);
		vi.advanceTimersByTime(150);
	}

	live.end();
	expect(pieces.filter(piece => !piece.startsWith('x'))).toEqual(['one\n 31', 'two\n 31', 'last\n']);
});

test('[8] no end of a credential is shown where a long line is cut', () => {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
	const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
	for (let rest = 3950; rest < 4010; rest++) {
		let shown = '';
		const live = createLiveOutput({onOutput: text => (shown += text), secrets: []});
		live.add(`${'x'.repeat(9000)} ${secret} ${'y'.repeat(rest)}`);
		live.end();
		expect(shown).not.toMatch(/GHIJ012345|ghp_0/);
		expect(shown.length).toBeLessThan(4100);
	}
});

test('an output that is cut has the styles of its head and its tail', () => {
	const output = createCommandOutput({openFile: () => undefined, secrets: []});
	output.add(Buffer.from('\u001B[31mred\n'));
	output.add(Buffer.from('plain line\n'.repeat(100_000)));
	output.add(Buffer.from('\u001B[32mgreen\n\n'));
	const {text, styles} = output.take();
	expect(text).toContain('lines left out');
	const [first, last] = [styles[0], styles.at(-1)];
	expect(text.slice(first?.start, first?.end)).toBe('red');
	expect(first?.codes).toBe('31');
	expect(text.slice(last?.start)).toBe('green');
	expect(last?.codes).toBe('32');
	// What the head left open is not known to hold behind what was left out.
	const middle = styles.filter(({start}) => start > text.indexOf('left out') && start < text.length - 100);
	expect(middle).toEqual([]);
});

test('[21] 10 MB of colours cost little and leave little', () => {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
	const pieces: string[] = [];
	const live = createLiveOutput({
		onOutput: (text, styles) => pieces.push(JSON.stringify({text, ...recordedStyles(styles)})),
		secrets: [],
	});
	const output = createCommandOutput({openFile: () => undefined, secrets: [], onText: live.add});
	const chunk = Buffer.from('\u001B[31ma\u001B[42mb\n'.repeat(5000));
	for (let bytes = 0; bytes < 10_000_000; bytes += chunk.length) {
		output.add(chunk);
		vi.advanceTimersByTime(100);
	}

	live.end();
	const {text, styles} = output.take();
	expect(text.length).toBeLessThan(30_000);
	expect(recordedStyles(styles).styles?.length).toBeLessThan(64_000);
	expect(pieces.join('').length).toBeLessThan(400_000);
});
