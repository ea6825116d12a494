import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import type {StreamItem} from '../../src/command/result.ts';
import {printStream} from '../../src/headless/print-stream.ts';
import {output} from './output.ts';

const line = (text: string): StreamItem => ({kind: 'line', text, data: {text}});
const note: StreamItem = {kind: 'note', text: '-- between --', data: {note: 1}};
const trouble: StreamItem = {kind: 'state', text: 'trouble', data: {state: 1}};
const fine: StreamItem = {kind: 'state', text: 'fine'};

async function* batches(...given: ReadonlyArray<readonly StreamItem[]>) {
	yield* given;
}

async function printed(terminals: {readonly out?: boolean; readonly error?: boolean; readonly json?: boolean}) {
	const [stdout, stderr] = [output(terminals.out ? 80 : undefined), output(terminals.error ? 80 : undefined)];
	const {signal} = new AbortController();
	const items = [[fine], [line('a\u0007'), note, line('b'), trouble]];
	await printStream(batches(...items), {stdout, stderr, signal}, {json: terminals.json ?? false, env: {}});
	return [stdout.text(), stderr.text()];
}

test('lines go to standard output, states to standard error', async () => {
	expect(await printed({})).toEqual(['a\u0007\nb\n', 'service: -- between --\nservice: trouble\n']);
	expect(await printed({error: true})).toEqual([
		'a\u0007\nb\n',
		'service: fine\nservice: -- between --\nservice: trouble\n',
	]);
	expect((await printed({out: true, error: true})).map(text => text.replace(/\u001B\[\d*m/g, ''))).toEqual([
		'a␇\n-- between --\nb\n',
		'service: fine\nservice: trouble\n',
	]);
	expect(await printed({json: true, out: true, error: true})).toEqual([
		'{"text":"a\\u0007"}\n{"note":1}\n{"text":"b"}\n{"state":1}\n',
		'',
	]);
});

test('a terminal shows an open line on a row that the next output erases; a pipe and JSON get the whole line only', async () => {
	const open = (text: string): StreamItem => ({kind: 'open', text});
	const items = [
		[line('a')],
		[open('\r1%\r2%')],
		[open('\r1%\r2%\r3%')],
		[open('')],
		[line('\r1%\r2%\r3%\rdone')],
		[fine],
	];
	const printedTo = async (columns: number | undefined, env = {}, json = false) => {
		const stdout = output(columns);
		const {signal} = new AbortController();
		await printStream(batches(...items), {stdout, stderr: output(), signal}, {json, env});
		return stdout.text().replace(/\u001B\[\d*m/g, '');
	};
	expect(await printedTo(80)).toBe('a\n2% ⋯ open\r\u001B[K3% ⋯ open\r\u001B[Kdone\n');
	expect(await printedTo(80, {TERM: 'dumb'})).toBe('a\ndone\n');
	expect(await printedTo(undefined)).toBe('a\n\r1%\r2%\r3%\rdone\n');
	expect(await printedTo(80, {}, true)).not.toContain('open');
});

test('a slow reader pauses the stream [21]', async () => {
	const stdout = new PassThrough({highWaterMark: 10});
	const abort = new AbortController();
	let asked = 0;
	const endless = async function* () {
		for (;;) {
			asked++;
			yield [line('0123456789')];
		}
	};
	const {signal} = abort;
	const ended = printStream(endless(), {stdout, stderr: output(), signal}, {json: false, env: {}});
	await new Promise(resolve => setTimeout(resolve, 20));
	expect(asked).toBe(1);
	stdout.read();
	await new Promise(resolve => setTimeout(resolve, 20));
	expect(asked).toBe(2);
	abort.abort();
	await ended;
});
