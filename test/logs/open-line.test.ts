import fc from 'fast-check';
import {expect, test} from 'vitest';
import {down, follow, type Reply} from './tail-script.ts';

const gone = '<ended: the environment is gone>';
const told = async (replies: readonly Reply[]) =>
	(await follow(replies)).told.filter(line => !/^<(?:live|connecting|gap|ended: )/.test(line));

test('a last line without an end is reported as open after 0.3 s, and replaced when it ends', async () => {
	expect(await told(['a\nPassword: ', 'a\nPassword: ', 'a\nPassword: ok\nb\n'])).toEqual([
		...['a', '<open Password: >', '<ended>', 'Password: ok', 'b'],
	]);
	expect(await told(['a\nquick', 'a\nquick end\n'])).toEqual(['a', 'quick end']);
});

test('an open line that grows is reported each time, from 0.3 s on', async () => {
	const bar = (step: number) => `\r${step}%`;
	const grown = [1, 2, 3, 4].map(count => Array.from({length: count}, (_, step) => bar(step)).join(''));
	expect(await told([...grown, `${grown.at(-1)}\rdone\n`])).toEqual([
		...['<open \r0%\r1%>', '<open \r0%\r1%\r2%>', '<open \r0%\r1%\r2%\r3%>', '<ended>', '\r0%\r1%\r2%\r3%\rdone'],
	]);
});

test('an open line ends with the log, at a restart, and stays while the server is down', async () => {
	expect(await told(['x? ', 'x? '])).toEqual(['<open x? >', '<ended>', 'x? ']);
	expect(await told(['a\nb\nx? ', 'a\nb\nx? ', 'c\n'])).toEqual([
		...['a', 'b', '<open x? >', '<ended>', 'x? ', '-- restarted', 'c'],
	]);
	expect((await told(['x? ', down, 'x? yes\n'])).filter(line => !line.startsWith('<reconnecting'))).toEqual([
		...['<open x? >', '<ended>', 'x? yes'],
	]);
});

test('the end of a tail is one event after its last line', async () => {
	expect((await follow(['last words', 'last words'])).told.at(-1)).toBe(gone);
});

test('however a log is cut into polls, the lines are the same, and an open line never stands beside itself', async () => {
	const text = fc
		.array(fc.constantFrom('a', 'b\n', '\r10%', '\r20%', '\n', '\u001B[K', 'Password: ', '\r\n', 'ok'), {maxLength: 30})
		.map(parts => parts.join(''));
	await fc.assert(
		fc.asyncProperty(text, fc.array(fc.nat(), {maxLength: 6}), async (log, cuts) => {
			const ends = cuts.map(cut => cut % (log.length + 1)).sort((one, other) => one - other);
			const offsets = (end: number) => ({kind: 'window', text: log.slice(0, end), offset: end, start: 0}) as const;
			const {told: events} = await follow([...ends, log.length, log.length].map(offsets));
			const lines = events.filter(line => !line.startsWith('<'));
			expect(lines).toEqual(log.split('\n').filter((line, index, all) => index < all.length - 1 || line !== ''));
			let open = false;
			for (const event of events) {
				// A line comes only after the open one was taken back.
				expect(open && !event.startsWith('<')).toBe(false);
				open = event.startsWith('<open') || (open && event !== '<ended>');
			}

			expect(open).toBe(false);
		}),
		{numRuns: 60},
	);
});
