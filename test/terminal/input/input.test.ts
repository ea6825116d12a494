import {PassThrough} from 'node:stream';
import {setImmediate as turn, setTimeout as wait} from 'node:timers/promises';
import {afterEach, expect, test, vi} from 'vitest';
import {joinBursts} from '../../../src/terminal/input/bursts.ts';
import {createInput} from '../../../src/terminal/input/input.ts';
import {type InputToken, keyToken, noModifiers} from '../../../src/terminal/input/token.ts';

const ctrl = {...noModifiers, ctrl: true};

/** A stream that records the modes that are set, as a terminal would. */
function terminal() {
	const modes: boolean[] = [];
	const stream = Object.assign(new PassThrough(), {
		isTTY: true,
		isRaw: false,
		setRawMode(raw: boolean) {
			modes.push(raw);
			stream.isRaw = raw;
		},
	});
	return {stream, modes};
}

const stops: (() => void)[] = [];
afterEach(() => {
	for (const stop of stops.splice(0)) {
		stop();
	}
});

function started(escapeTimeoutMs = 10, expectsReply = () => false) {
	const {stream, modes} = terminal();
	const batches: (readonly InputToken[])[] = [];
	const closed = vi.fn();
	const input = createInput({
		stdin: stream,
		onTokens: tokens => batches.push(tokens),
		onClose: closed,
		escapeTimeoutMs,
		expectsReply,
	});
	stops.push(input.stop);
	input.start();
	return {stream, modes, batches, closed, input};
}

test('everything read in one turn comes in one batch', async () => {
	const {stream, batches} = started();
	stream.emit('data', Buffer.from('ab\u001b['));
	stream.emit('data', Buffer.from('D\rc'));
	expect(batches).toEqual([]);

	await turn();
	expect(batches).toEqual([
		[{type: 'text', text: 'ab'}, keyToken('left'), keyToken('enter'), {type: 'text', text: 'c'}],
	]);
});

test('a lone Escape is delivered after its timeout, once', async () => {
	const {stream, batches} = started();
	stream.write('\u001b');
	await expect.poll(() => batches, {interval: 5}).toEqual([[keyToken('escape')]]);
	await wait(20);
	expect(batches).toHaveLength(1);
});

test('bytes that arrived while the loop was busy still belong to their Escape', async () => {
	const {stream, batches} = started(1);
	stream.emit('data', Buffer.from('\u001b'));
	// Like a read, this comes after the timeout, in the same turn of the loop.
	setTimeout(() => stream.emit('data', Buffer.from('[A')), 1);
	const end = performance.now() + 10;
	while (performance.now() < end) {
		// Busy, as a slow render is.
	}

	await expect.poll(() => batches, {interval: 5}).toEqual([[keyToken('up')]]);
});

test('raw mode is set while input runs and restored after, even if started twice', () => {
	const {stream, modes, input} = started();
	input.start();
	input.stop();
	input.stop();
	expect(modes).toEqual([true, false]);
	expect(['data', 'end', 'close'].map(event => stream.listenerCount(event))).toEqual([0, 0, 0]);
	expect(stream.isPaused()).toBe(true);

	input.start();
	input.stop();
	expect(modes).toEqual([true, false, true, false]);
	expect(stream.listenerCount('error')).toBe(1);
});

test('nothing is delivered after a stop, not even what was read before it', async () => {
	const {stream, batches, input} = started();
	stream.emit('data', Buffer.from('a\u001b'));
	input.stop();
	await wait(20);
	expect(batches).toEqual([]);
});

test('the end of the input closes it once', async () => {
	const {stream, modes, closed} = started();
	stream.end();
	await wait(5);
	expect(closed.mock.calls).toEqual([[undefined]]);
	expect(modes).toEqual([true, false]);
});

test("a terminal that vanished closes the input with its error, and a later error doesn't crash", () => {
	const {stream, closed} = started();
	const gone = Object.assign(new Error('read EIO'), {code: 'EIO'});
	stream.emit('error', gone);
	stream.emit('error', gone);
	expect(closed.mock.calls).toEqual([[gone]]);
});

test('a terminal that refuses raw mode does not throw', () => {
	const {stream} = terminal();
	stream.setRawMode = () => {
		throw new Error('setRawMode EIO');
	};
	const input = createInput({stdin: stream, onTokens: () => {}});
	stops.push(input.stop);
	expect(input.start).not.toThrow();
});

test('a stop lets the process end, and a start keeps it alive', () => {
	const {stream} = terminal();
	const seen: string[] = [];
	const stdin = Object.assign(stream, {ref: () => seen.push('ref'), unref: () => seen.push('unref')});
	const input = createInput({stdin, onTokens: () => {}});
	input.start();
	expect(seen).toEqual(['ref']);
	input.stop();
	expect(seen).toEqual(['ref', 'unref']);
	expect(stream.isPaused()).toBe(true);
});

test('an answer of the terminal that comes byte by byte does not become text', async () => {
	const {stream, batches} = started(1);
	for (const byte of '\u001b[?62;22c') {
		stream.write(byte);
		await wait(10);
	}

	expect(batches.flat().filter(token => token.type === 'text')).toEqual([]);
	expect(batches.flat().at(-1)).toEqual({type: 'reply', reply: 'device-attributes', attributes: [62, 22]});
});

test('while an answer is expected, its ESC is not the Escape key, even if the rest is late', async () => {
	const {stream, batches} = started(1, () => true);
	stream.write('\u001b');
	await wait(30);
	stream.write('[1;5R');
	await expect
		.poll(() => batches, {interval: 5})
		.toEqual([[{type: 'reply', reply: 'cursor-position', row: 0, column: 4}]]);
});

test('lines that come in several reads are delivered together, a lone Enter at once', async () => {
	const {stream, batches} = started();
	stream.emit('data', Buffer.from('one\r'));
	await turn();
	stream.emit('data', Buffer.from('two\r'));
	await turn();
	expect(batches).toEqual([]);
	await expect.poll(() => batches, {interval: 5}).toHaveLength(1);
	stream.emit('data', Buffer.from('\r'));
	await turn();
	expect(batches[1]).toEqual([keyToken('enter')]);
});

test('a paste without brackets that takes many turns to read is one, without an Enter at its end', async () => {
	const {stream, batches} = started();
	for (const piece of ['one\rtw', 'o\rthr', 'ee', '\u001b[O', '\rfour', '\r']) {
		stream.emit('data', Buffer.from(piece));
		await turn();
	}

	expect(batches).toEqual([]);
	await expect
		.poll(() => batches.map(batch => joinBursts(batch)), {interval: 5})
		.toEqual([[{type: 'paste', text: 'one\ntwo\nthree\nfour\n', truncated: false}]]);
});

test('a key ends a paste without brackets at once', async () => {
	const {stream, batches} = started();
	stream.emit('data', Buffer.from('one\rtwo'));
	await turn();
	expect(batches).toEqual([]);
	stream.emit('data', Buffer.from('\u0003'));
	await turn();
	expect(batches.map(batch => joinBursts(batch))).toEqual([
		[{type: 'paste', text: 'one\ntwo', truncated: false}],
		[keyToken('c', ctrl)],
	]);
});

test('of a paste without brackets that is too large only the beginning is held', async () => {
	const {stream, batches} = started();
	const megabyte = Buffer.from(`${'line of text\r'.repeat(80_000)}`);
	for (let count = 0; count < 12; count++) {
		stream.emit('data', megabyte);
		await turn();
	}

	await expect.poll(() => batches.length, {interval: 5}).toBe(1);
	const [pasted] = batches[0] ?? [];
	expect(pasted).toMatchObject({type: 'paste', truncated: true});
	expect(pasted?.type === 'paste' && pasted.text.length).toBeLessThanOrEqual(8 * 1024 * 1024);
});
