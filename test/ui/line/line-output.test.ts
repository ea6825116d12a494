import {expect, test} from 'vitest';
import type {CommandBlock} from '../../../src/core/session/block.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {createLineOutput} from '../../../src/ui/line/line-output.ts';

/** What is heard of a command while its output changes, one second after another. */
function hear(outputs: readonly string[]) {
	const said: string[] = [];
	let seconds = 0;
	const palette = createPalette({color: false, spoken: true});
	const {follow, unheard} = createLineOutput({say: line => said.push(line), palette, now: () => seconds * 1000});
	const command = (output: string): CommandBlock => ({
		...{kind: 'command', id: 'c', command: 'npm ci', status: 'running', output, end: ''},
		...{milliseconds: undefined, open: true, at: '2026-01-01T00:00:00Z'},
	});
	for (const output of outputs) {
		seconds++;
		follow({open: [command(output)]});
	}

	return {said, end: (output: string) => unheard(command(output))};
}

const percents = Array.from({length: 99}, (_, index) => `fetch\n${index + 1}%\n`);

test('of a progress bar, the first and the last state are heard, and between them one now and then', () => {
	const {said, end} = hear([...percents, 'fetch\n100%\ndone\n']);
	expect(said.slice(0, 3)).toEqual(['fetch', '1%', '11%']);
	expect(said.slice(-3)).toEqual(['91%', '100%', 'done']);
	expect(said).toHaveLength(13);
	expect(end('fetch\n100%\ndone')).toBe('');
});

test('the last state of a progress bar is heard when its command ends', () => {
	const {said, end} = hear(percents.slice(0, 5));
	expect(said).toEqual(['fetch', '1%']);
	expect(end('fetch\n5%')).toBe('5%');
});

test('lines that are equal are heard each time', () => {
	const {said, end} = hear(['same\n', 'same\nsame\n', 'same\nsame\nsame\n']);
	expect(said).toEqual(['same', 'same', 'same']);
	expect(end('same\nsame\nsame')).toBe('');
});

test('an output of which the beginning was left out is heard on', () => {
	const lines = Array.from({length: 1000}, (_, index) => `line ${index}\n`);
	const {said, end} = hear([lines.slice(0, 900).join(''), lines.slice(200, 950).join('')]);
	expect(said).toEqual(lines.slice(0, 950).map(line => line.trimEnd()));
	expect(end(lines.slice(200).join('').trimEnd())).toBe(lines.slice(950).join('').trimEnd());
});
