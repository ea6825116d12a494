import fc from 'fast-check';
import {expect, test} from 'vitest';
import {createFilter} from '../../../src/logs/filter.ts';
import {createLogBuffer} from '../../../src/logs/log-buffer.ts';
import {
	jumpTo,
	moveBy,
	pageBy,
	readAt,
	type ScrollPosition,
	scrollAtEnd,
	visibleRows,
} from '../../../src/ui/logs/log-scroll.ts';
import {createShownLines} from '../../../src/ui/logs/shown-lines.ts';
import {logOf, numbered, push, viewportOf} from '../log-parts.ts';

const read = (viewport: ReturnType<typeof viewportOf>) => {
	const scroll = scrollAtEnd(viewport);
	if (!scroll) {
		throw new Error('Nothing is shown.');
	}

	return scroll;
};

test('the end is at the lower edge, and a log without lines has none', () => {
	expect(scrollAtEnd(viewportOf(logOf([])))).toBeUndefined();
	expect(scrollAtEnd(viewportOf(logOf(numbered(3))))).toEqual({cursor: 2, top: 0, row: 0, since: 3});
	expect(scrollAtEnd(viewportOf(logOf(numbered(30))))).toEqual({cursor: 29, top: 20, row: 0, since: 30});
});

test('new lines never move what the user reads', () => {
	const log = logOf(numbered(100));
	const viewport = viewportOf(log);
	const scroll = moveBy(viewport, read(viewport), -30);
	const before = visibleRows(viewport, scroll);
	for (const line of numbered(5000)) {
		push(log, line);
	}

	expect(visibleRows(viewport, readAt(viewport, scroll, scroll.cursor))).toEqual(before);
});

test('if the lines on the screen are dropped, the oldest kept ones are shown', () => {
	const log = createLogBuffer({entries: 50});
	for (const line of numbered(50)) {
		push(log, line);
	}

	const viewport = viewportOf(log);
	const scroll = readAt(viewport, read(viewport), 0);
	for (const line of numbered(20)) {
		push(log, line);
	}

	expect(readAt(viewport, scroll, scroll.cursor)).toMatchObject({cursor: 20, top: 20});
});

test('a line taller than the window scrolls row by row', () => {
	const viewport = viewportOf(logOf(numbered(3)), 4, place => (place === 1 ? 10 : 1));
	let scroll: ScrollPosition = moveBy(viewport, readAt(viewport, read(viewport), 0), 1);
	const seen: (readonly [number, number])[] = [];
	for (let step = 0; step < 8; step++) {
		seen.push([scroll.cursor, scroll.row]);
		scroll = moveBy(viewport, scroll, 1);
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
	expect(scroll.cursor).toBe(2);
});

test('a filter that leaves little fills the window from below', () => {
	const log = logOf(numbered(100));
	const all = viewportOf(log);
	const scroll = moveBy(all, read(all), -3);
	const shown = createShownLines(log, {filter: createFilter({patterns: ['9']})});
	while (shown.advance()) {}
	const few = {...all, shown};
	expect(shown.hidden()).toBe(81);
	expect(visibleRows(few, readAt(few, scroll, scroll.cursor)).map(([place]) => place + 1)).toEqual([
		90, 91, 92, 93, 94, 95, 96, 97, 98, 99,
	]);
});

test('after any move, the cursor is in the window and the window is full', () => {
	fc.assert(
		fc.property(
			fc.integer({min: 1, max: 80}),
			fc.integer({min: 1, max: 12}),
			fc.array(fc.integer({min: 1, max: 5}), {minLength: 1, maxLength: 8}),
			fc.array(fc.constantFrom('up', 'down', 'page up', 'page down', 'home', 'jump'), {maxLength: 30}),
			(count, rows, heights, moves) => {
				const viewport = viewportOf(logOf(numbered(count)), rows, place => heights[place % heights.length] ?? 1);
				const total = Array.from({length: count}, (_, place) => viewport.heightOf(place)).reduce((a, b) => a + b);
				let scroll = read(viewport);
				for (const [index, move] of moves.entries()) {
					scroll =
						move === 'up' || move === 'down'
							? moveBy(viewport, scroll, move === 'up' ? -1 : 1)
							: move === 'home'
								? readAt(viewport, scroll, 0)
								: move === 'jump'
									? jumpTo(viewport, scroll, (index * 7) % count)
									: pageBy(viewport, scroll, move === 'page up' ? -1 : 1);
					const visible = visibleRows(viewport, readAt(viewport, scroll, scroll.cursor));
					expect(visible.map(([place]) => place)).toContain(scroll.cursor);
					expect(visible.length).toBe(Math.min(rows, total));
				}
			},
		),
		{numRuns: 300},
	);
});
