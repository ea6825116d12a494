import {expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {down, follow, notFound, refused} from './tail-script.ts';

const gone = '<ended: the environment is gone>';

test('a tail reports lines as they arrive, and its end', async () => {
	const {told} = await follow(['a\n', 'a\nb\nhel', 'a\nb\nhello\n', 'a\nb\nhello\n']);
	expect(told).toEqual(['<connecting>', 'a', '<live>', 'b', 'hello', gone]);
});

test('a log that ends without a newline is shown to its end, once', async () => {
	expect((await follow(['a\nlast words'])).told).toEqual(['<connecting>', 'a', '<live>', 'last words', gone]);
});

test('a tail polls every 250 ms while lines arrive, then less and less often, up to 5 s', async () => {
	const {times} = await follow(['', 'a\n', 'a\nb\n', ...Array.from({length: 12}, () => 'a\nb\n'), 'a\nb\nc\n']);
	const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0));
	expect(waits).toEqual([250, 250, 250, 375, 563, 843, 1266, 1898, 2848, 4271, 5000, 5000, 5000, 5000, 5000, 250]);
});

test('a gap is marked and halves the interval', async () => {
	const {told, times} = await follow(['a\n', 'x\ny\n', 'x\ny\nz\n']);
	expect(told).toEqual(['<connecting>', 'a', '<live>', '-- gap', 'x', 'y', '<gap>', 'z', '<live>', gone]);
	expect(times).toEqual([0, 250, 375, 500]);
});

test('a log that restarts is marked, even while it is empty', async () => {
	expect((await follow(['aaa\nbbb\n', '', '', 'c\n'])).told).toEqual([
		'<connecting>',
		'aaa',
		'bbb',
		'<live>',
		'-- restarted',
		'<gap>',
		'<live>',
		'c',
		gone,
	]);
});

test('the incomplete last line before a restart or a gap is shown', async () => {
	const linesOf = async (...replies: string[]) => (await follow(replies)).told.filter(line => !line.startsWith('<'));
	expect(await linesOf('a\nb\npanic: no memory', 'again\n')).toEqual([
		...['a', 'b', 'panic: no memory', '-- restarted', 'again'],
	]);
	expect(await linesOf('a\nb\nhalf', 'x\ny\nz\n')).toEqual(['a', 'b', 'half', '-- gap', 'x', 'y', 'z']);
	expect(await linesOf('a\nb\nhalf', 'half of it\nc\nd\n')).toEqual(['a', 'b', '-- gap', 'half of it', 'c', 'd']);
	expect(await linesOf('last words', '')).toEqual(['last words', '-- restarted']);
	expect(await linesOf('a\nb\nhalf', 'b\nhalf of it\n')).toEqual(['a', 'b', 'half of it']);
});

test('equal marks without a line between them are one', async () => {
	const {told} = await follow(['b\na\na\n', 'a\na\n', 'a\na\n', 'a\n']);
	expect(told.filter(line => !line.startsWith('<'))).toEqual(['b', 'a', 'a', '-- ambiguous']);
});

test('a failure that may pass is retried without limit and reported [23]', async () => {
	const {told, times} = await follow(['a\n', ...Array.from({length: 8}, () => down), 'a\nb\n']);
	expect(told).toEqual([
		'<connecting>',
		'a',
		'<live>',
		...[1, 1, 2, 4, 8, 15, 15, 15].map((wait, index) => `<reconnecting in ${wait} s (attempt ${index + 1})>`),
		'b',
		'<live>',
		gone,
	]);
	expect(times.at(-2)).toBe(250 + 500 + 1000 + 2000 + 4000 + 8000 + 15_000 * 3);
});

test('an answer resets the count of failures and the wait', async () => {
	const {told} = await follow(['a\n', down, down, 'a\nb\n', down]);
	expect(told.filter(line => line.startsWith('<reconnecting'))).toEqual([
		'<reconnecting in 1 s (attempt 1)>',
		'<reconnecting in 1 s (attempt 2)>',
		'<reconnecting in 1 s (attempt 1)>',
	]);
});

test('an equal mark is repeated after a line', async () => {
	const {told} = await follow(['a\nb\n', 'x\ny\n', 'x\ny\nz\n', 'c\nd\ne\n']);
	expect(told.filter(line => !line.startsWith('<'))).toEqual([
		...['a', 'b', '-- gap', 'x', 'y', 'z', '-- gap', 'c', 'd', 'e'],
	]);
});

test.each([
	['a piece of the length that servers cut at is followed by the next one at once', 64 * 1024, 250],
	['a shorter piece is the end for now, and the tail waits for the next one', 64 * 1024 - 1, 500],
])('%s', async (_, length, nextAt) => {
	const {times} = await follow([
		{kind: 'window', text: '', offset: 0},
		{kind: 'window', text: `${'x'.repeat(length - 1)}\n`, start: 0, offset: length},
		{kind: 'window', text: '', start: length, offset: length},
	]);
	expect(times.slice(0, 3)).toEqual([0, 250, nextAt]);
});

test('a tail obeys Retry-After, however long it is', async () => {
	const busy = new AppError('network', 'Too many requests.', {retryAfter: 90_000});
	const {told, times} = await follow(['a\n', busy, 'a\n']);
	expect(told[3]).toBe('<reconnecting in 1 m 30 s (attempt 1)>');
	expect(times).toEqual([0, 250, 90_250, 90_625]);
});

test('a missing answer makes the tail stale, counted from the last answer [21]', async () => {
	const {told} = await follow(['a\n', 'hang', 'a\nb\n']);
	expect(told).toEqual([
		'<connecting>',
		'a',
		'<live>',
		'<stale 6 s>',
		'<reconnecting in 1 s (attempt 1)>',
		'b',
		'<live>',
		gone,
	]);
});

test('a tail asks for a login that expired, and resumes where it was', async () => {
	const {told, asked} = await follow(['a\n', refused, 'a\nb\n'], {
		onEvent(event, control) {
			if (event.type === 'state' && event.state.name === 'login') {
				setImmediate(control.resume);
			}
		},
	});
	expect(told).toEqual(['<connecting>', 'a', '<live>', '<login needed>', 'b', '<live>', gone]);
	expect(asked).toHaveLength(4);
});

test('a suspended tail sends no request', async () => {
	const {told, times} = await follow(['a\n', 'a\nb\n'], {
		onEvent(event, control) {
			if (event.type === 'lines') {
				control.suspend();
			} else if (event.type === 'state' && event.state.name === 'suspended') {
				setImmediate(control.resume);
			}
		},
	});
	expect(told.slice(2, 7)).toEqual(['<live>', '<suspended>', 'b', '<live>', '<suspended>']);
	expect(times).toHaveLength(3);
});

test.each([
	[notFound, gone],
	[new AppError('auth', 'The server does not allow this.'), '<ended: The server does not allow this>'],
	[new AppError('failed', 'The request is invalid.'), '<ended: The request is invalid>'],
	[new AppError('network', 'The certificate has expired.', {permanent: true}), '<ended: The certificate has expired>'],
])('the first answer may be the last: %s', async (error, ended) => {
	expect((await follow([error])).told).toEqual(['<connecting>', ended]);
});

test('a tail waits for a login page in between to go away, once it had an answer', async () => {
	const {told} = await follow(['a\n', new AppError('network', 'A web page came.', {permanent: true}), 'a\nb\n']);
	expect(told.slice(3, 5)).toEqual(['<reconnecting in 1 s (attempt 1)>', 'b']);
});

test('an aborted tail ends silently, whatever it waits for', async () => {
	for (const replies of [['a\n'], ['a\n', 'hang'], [down], [refused]] as const) {
		const {told} = await follow(replies, {
			onEvent(event, _, abort) {
				if (event.type === 'state' && event.state.name !== 'connecting') {
					setImmediate(abort);
				}
			},
		});
		expect(told.at(-1)).not.toMatch(/ended/);
	}
});

test('a tail throws a bug instead of taking it for a broken connection', async () => {
	await expect(follow([new TypeError('x is not a function')])).rejects.toThrow(TypeError);
});
