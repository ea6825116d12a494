import fc from 'fast-check';
import {expect, test} from 'vitest';
import {createFilter} from '../../../src/logs/filter.ts';
import {createLogBuffer} from '../../../src/logs/log-buffer.ts';
import {
	jumpTo,
	moveBy,
	pageBy,
	type Reading,
	readAt,
	readingAtEnd,
	visibleRows,
} from '../../../src/ui/logs/log-scroll.ts';
import {createShownLines} from '../../../src/ui/logs/log-shown.ts';
import {logOf, numbered, push, sightOf} from '../log-parts.ts';

const read = (sight: ReturnType<typeof sightOf>) => {
	const reading = readingAtEnd(sight);
	if (!reading) {
		throw new Error('Nothing is shown.');
	}

	return reading;
};

test('the end stands at the lower edge, and a log without lines has none', () => {
	expect(readingAtEnd(sightOf(logOf([])))).toBeUndefined();
	expect(readingAtEnd(sightOf(logOf(numbered(3))))).toEqual({cursor: 2, top: 0, row: 0, since: 3});
	expect(readingAtEnd(sightOf(logOf(numbered(30))))).toEqual({cursor: 29, top: 20, row: 0, since: 30});
});

test('new lines never move what is read', () => {
	const log = logOf(numbered(100));
	const sight = sightOf(log);
	const reading = moveBy(sight, read(sight), -30);
	const before = visibleRows(sight, reading);
	for (const line of numbered(5000)) {
		push(log, line);
	}

	expect(visibleRows(sight, readAt(sight, reading, reading.cursor))).toEqual(before);
});

test('what is dropped from under a reader gives way to the oldest that is kept', () => {
	const log = createLogBuffer({entries: 50});
	for (const line of numbered(50)) {
		push(log, line);
	}

	const sight = sightOf(log);
	const reading = readAt(sight, read(sight), 0);
	for (const line of numbered(20)) {
		push(log, line);
	}

	expect(readAt(sight, reading, reading.cursor)).toMatchObject({cursor: 20, top: 20});
});

test('a line that is taller than the window is read row by row', () => {
	const sight = sightOf(logOf(numbered(3)), 4, place => (place === 1 ? 10 : 1));
	let reading: Reading = moveBy(sight, readAt(sight, read(sight), 0), 1);
	const seen: (readonly [number, number])[] = [];
	for (let step = 0; step < 8; step++) {
		seen.push([reading.cursor, reading.row]);
		reading = moveBy(sight, reading, 1);
	}

	expect(seen.slice(0, 7)).toEqual([
		[1, 0],
		[1, 1],
		[1, 2],
		[1, 3],
		[1, 4],
		[1, 5],
		[1, 6],
	]);
	expect(reading.cursor).toBe(2);
});

test('a filter that leaves little fills the window from below', () => {
	const log = logOf(numbered(100));
	const all = sightOf(log);
	const reading = moveBy(all, read(all), -3);
	const shown = createShownLines(log, createFilter({patterns: ['9']}));
	while (shown.advance()) {}
	const few = {...all, shown};
	expect(shown.hidden()).toBe(81);
	expect(visibleRows(few, readAt(few, reading, reading.cursor)).map(([place]) => place + 1)).toEqual([
		90, 91, 92, 93, 94, 95, 96, 97, 98, 99,
	]);
});

test('however one moves, the cursor is in the window and the window is full', () => {
	fc.assert(
		fc.property(
			fc.integer({min: 1, max: 80}),
			fc.integer({min: 1, max: 12}),
			fc.array(fc.integer({min: 1, max: 5}), {minLength: 1, maxLength: 8}),
			fc.array(fc.constantFrom('up', 'down', 'page up', 'page down', 'home', 'jump'), {maxLength: 30}),
			(count, rows, heights, moves) => {
				const sight = sightOf(logOf(numbered(count)), rows, place => heights[place % heights.length] ?? 1);
				const total = Array.from({length: count}, (_, place) => sight.heightOf(place)).reduce((a, b) => a + b);
				let reading = read(sight);
				for (const [index, move] of moves.entries()) {
					reading =
						move === 'up' || move === 'down'
							? moveBy(sight, reading, move === 'up' ? -1 : 1)
							: move === 'home'
								? readAt(sight, reading, 0)
								: move === 'jump'
									? jumpTo(sight, reading, (index * 7) % count)
									: pageBy(sight, reading, move === 'page up' ? -1 : 1);
					const visible = visibleRows(sight, readAt(sight, reading, reading.cursor));
					expect(visible.map(([place]) => place)).toContain(reading.cursor);
					expect(visible.length).toBe(Math.min(rows, total));
				}
			},
		),
		{numRuns: 300},
	);
});
