import fc from 'fast-check';
import {expect, test} from 'vitest';
import {createLogReader, nanosecondsOf} from '../../../../src/server/sandboxes/kubernetes/log-lines.ts';

const stamp = (time: number) =>
	`2026-01-01T00:00:${String(Math.floor(time / 10) % 60).padStart(2, '0')}.${time % 10}0000000${time % 7}Z`;

test('a log that is read in pieces, cut anywhere and asked for again since a second loses and doubles nothing', () => {
	const lines = fc.array(fc.tuple(fc.nat(2), fc.string({maxLength: 12})), {maxLength: 40});
	const cuts = fc.array(fc.tuple(fc.nat(), fc.nat(5)), {maxLength: 8});
	fc.assert(
		fc.property(lines, cuts, (given, breaks) => {
			let time = 0;
			const log = given.map(([later, text]) => {
				time += later;
				return {time, text: `${text.replaceAll(/[\n\r]/g, '')}\n`};
			});
			const after = (from: string | undefined) => {
				const second = from === undefined ? 0n : (nanosecondsOf(from) ?? 0n) / 1_000_000_000n;
				const kept = log.filter(each => (nanosecondsOf(stamp(each.time)) ?? 0n) / 1_000_000_000n >= second);
				return Buffer.from(kept.map(each => `${stamp(each.time)} ${each.text}`).join(''));
			};
			let place: ReturnType<ReturnType<typeof createLogReader>['place']>;
			let text = Buffer.alloc(0);
			for (const [cut, size] of [...breaks, [Number.POSITIVE_INFINITY, 3] as const]) {
				const reader = createLogReader(place);
				const bytes = after(place?.time);
				const end = Number.isFinite(cut) ? cut % (bytes.length + 1) : bytes.length;
				for (let at = 0; at < end; at += size + 1) {
					text = Buffer.concat([text, reader.read(bytes.subarray(at, Math.min(end, at + size + 1)))]);
				}

				place = reader.place();
			}

			expect(text.toString()).toBe(log.map(each => each.text).join(''));
		}),
		{numRuns: 300},
	);
});

test('any bytes are read without an error, and a line without a time is a line', () => {
	fc.assert(
		fc.property(fc.array(fc.uint8Array({maxLength: 80})), parts => {
			const reader = createLogReader(undefined);
			const all = parts.reduce((sum, part) => sum + reader.read(Buffer.from(part)).length, 0);
			expect(all).toBeLessThanOrEqual(parts.reduce((sum, part) => sum + part.length, 0));
		}),
	);
	const reader = createLogReader(undefined);
	expect(reader.read(Buffer.from('no time\n2026-01-01T00:00:00.5Z yes\n\nrest')).toString()).toBe('no time\nyes\n\n');
	expect(reader.read(Buffer.from(' of it\n')).toString()).toBe('rest of it\n');
});

test('a place that the cluster has forgotten is reported once', () => {
	let gaps = 0;
	const reader = createLogReader({time: '2026-01-01T00:00:01.5Z', lines: 2, bytes: 3}, () => {
		gaps += 1;
	});
	const text = '2026-01-01T00:00:01.6Z later\n2026-01-01T00:00:01.7Z last\n';
	expect([reader.read(Buffer.from(text)).toString(), gaps]).toEqual(['later\nlast\n', 1]);
});
