import {expect, test} from 'vitest';
import type {CommandBlock} from '../../../src/core/session/block.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {foldFrames} from '../../../src/ui/line/fold-frames.ts';
import {createLineOutput} from '../../../src/ui/line/line-output.ts';
import {createLinearLogs} from '../../../src/ui/logs/log-linear.ts';
import {traceOf, traces} from '../../core/stack-trace/traces.ts';

const palette = createPalette({color: false, spoken: true});

/** What is heard of lines that arrive one after another. */
function heard(lines: readonly string[], hidden: (line: string) => boolean = () => false): readonly string[] {
	const said: string[] = [];
	const {line, flush} = foldFrames(text => said.push(text));
	for (const text of lines) {
		line(text, hidden(text) ? undefined : text);
	}

	flush();
	return said;
}

test('frames of libraries are one line that counts them, and all else is heard as it came', () => {
	expect(heard(traceOf('Node'))).toEqual([
		'Error: connect ECONNREFUSED 127.0.0.1:5432',
		'    at loadRates (/app/src/rates.ts:31:9)',
		'    … 4 frames',
		'    at async file:///app/src/main.mjs:3:1',
		'    … 3 frames',
		'  errno: -2',
		'}',
		'Node.js v20.20.2',
	]);
});

test.each(traces)('of a trace of $name, every line is heard or counted', ({name, lines}) => {
	const all = heard(lines);
	expect(all.length < lines.length).toBe(name !== 'prose');
	expect(all.filter(line => !line.startsWith('    … ')).every(line => lines.includes(line))).toBe(true);
});

test('a single frame is heard, and frames that a filter hides are not counted', () => {
	const frame = '    at Layer.handle (/app/node_modules/express/layer.js:95:5)';
	expect(heard(['Error: no', frame, 'next'])).toEqual(['Error: no', frame, 'next']);
	expect(heard(['Error: no', frame, frame, 'next'], line => line === frame)).toEqual(['Error: no', 'next']);
});

const command = (output: string, status: CommandBlock['status'] = 'running'): CommandBlock => ({
	...{kind: 'command', id: 'c', command: 'npm test', status, output, end: ''},
	...{milliseconds: undefined, open: true, at: '2026-01-01T00:00:00Z'},
});

test('the output of a running command is folded across its pieces, and nothing is heard twice', () => {
	const said: string[] = [];
	const {follow, unheard} = createLineOutput({say: line => said.push(line), palette});
	const output = `${traceOf('Node').slice(0, 6).join('\n')}\n`;
	for (let end = 1; end <= output.length; end += 7) {
		follow({open: [command(output.slice(0, end))]});
	}

	follow({open: [command(output)]});
	expect(said.slice(1)).toEqual(['    at loadRates (/app/src/rates.ts:31:9)']);
	expect(unheard(command(output, 'done'))).toBe('');
	expect(said.at(-1)).toBe('    … 4 frames');
	expect(said).toHaveLength(3);
});

test.each([
	[false, '    … 4 frames'],
	[true, '    at Array.map (<anonymous>)'],
])('a log is folded, too; with --frames (%s) all of them are heard', async (frames, line) => {
	const said: string[] = [];
	const logs = createLinearLogs({say: text => said.push(text), palette});
	const text = `${traceOf('Node').join('\n')}\n`;
	const log = {environment: '33f3f8a1', server: 'http://127.0.0.1', profile: 'local', follow: false, frames};
	const source = async () => ({kind: 'window', text, start: 0, offset: text.length}) as const;
	await logs.follow({...log, source, sinceStart: true}, new AbortController().signal);
	expect(said).toContain(line);
	expect(said.at(-1)).toMatch(/^Note: .* lines, /);
	expect(said.filter(each => each.includes('loadRates'))).toHaveLength(1);
});

test('a log line of JSON is heard with its time, level and message first', async () => {
	const said: string[] = [];
	const logs = createLinearLogs({say: text => said.push(text), palette});
	const text = '{"time":"2026-01-01T10:00:00.5Z","level":"warn","msg":"stock is low","stock":7}\n';
	const log = {environment: '33f3f8a1', server: 'http://127.0.0.1', profile: 'local', follow: false};
	const source = async () => ({kind: 'window', text, start: 0, offset: text.length}) as const;
	await logs.follow({...log, source, sinceStart: true}, new AbortController().signal);
	expect(said[0]).toMatch(/^\d\d:\d\d:00\.500 warn {2}stock is low stock=7$/);
});
