import {hintKey, keyLabel, shortLabel} from '../../../editor/keymap/key-label.ts';
import type {LogViewerAction} from '../../../editor/keymap/view-keys.ts';
import type {Size} from '../../../store/view-slice.ts';
import {fitHints} from '../../../terminal/text/fit-parts.ts';
import type {Palette} from '../../../terminal/text/style.ts';
import {lineWidth, padEnd} from '../../../terminal/text/width.ts';
import {wrapLine} from '../../../terminal/text/wrap.ts';
import type {ViewerKeymap} from './log-viewer-state.ts';

type Row = readonly [meaning: string, ...actions: readonly LogViewerAction[]];

/** Returns what the actions do; those of a row share a meaning. */
function meanings(keymap: ViewerKeymap): readonly Row[] {
	const wrap = hintKey(keymap, 'viewer.wrap');
	const last = hintKey(keymap, 'viewer.last');
	return [
		[`a line up or down; this pauses${last && ` until ${last}`}`, 'viewer.up', 'viewer.down'],
		['a page up or down', 'viewer.page-up', 'viewer.page-down'],
		['the oldest line', 'viewer.first'],
		['jump to the latest line and follow it', 'viewer.last'],
		[`scroll long lines sideways${wrap && `; ${wrap} wraps them`}`, 'viewer.left', 'viewer.right'],
		['search with a regex, next match, previous match', 'viewer.search', 'viewer.next-match', 'viewer.previous-match'],
		['filter by a regex, ! excludes; Enter without text removes the last filter', 'viewer.filter'],
		['highlight matches; Enter without text removes the last highlight', 'viewer.highlight'],
		['the minimum level', 'viewer.level'],
		['use this filter and level for all logs', 'viewer.filter-all'],
		['lines as received; or JSON and logfmt with time, level and message first, and traces folded', 'viewer.raw'],
		['wrap long lines, or cut them', 'viewer.wrap'],
		['arrival times: off, local, UTC, since the previous line', 'viewer.times'],
		['open or close the folded frames of a stack trace, or a line of JSON', 'viewer.fold'],
		['mark one end of a range; the cursor is the other end', 'viewer.mark'],
		['copy the range, or the line, to the clipboard', 'viewer.copy'],
		['save the range, or all shown lines', 'viewer.save'],
		['attach the range, or the line, to the prompt', 'viewer.attach'],
		['the transcript at the time of this line', 'viewer.transcript'],
		['the next log, the previous log', 'viewer.next-log', 'viewer.previous-log'],
		['close the log viewer', 'viewer.close', 'logs.viewer'],
	];
}

/** Returns the keys of actions: the first one of each, then the second ones, and so on. */
function keysOf({keys}: ViewerKeymap, actions: readonly LogViewerAction[]): string {
	const all = actions.map(action => keys[action]);
	const most = Math.max(...all.map(({length}) => length));
	const turns = Array.from({length: most}, (_, turn) =>
		all
			.flatMap(each => each[turn] ?? [])
			.map(shortLabel)
			.join(' '),
	);
	return [...turns, ...(actions.includes('viewer.close') ? ['Esc'] : [])].join('  ');
}

/** Returns one page of the help. Pages wrap around, so any number is valid. */
export function helpPage(page: number, {columns, rows}: Size, keymap: ViewerKeymap, palette: Palette) {
	const shown = meanings(keymap)
		.map(([meaning, ...actions]) => [keysOf(keymap, actions), meaning] as const)
		.filter(([keys]) => keys !== '');
	const width = Math.max(...shown.map(([keys]) => lineWidth(keys)));
	const lines = shown.flatMap(([keys, meaning]) =>
		wrapLine(meaning, columns, {
			first: `  ${palette.label(padEnd(keys, width))}  `,
			rest: ' '.repeat(width + 4),
		}),
	);
	const pages = Math.ceil(lines.length / rows);
	const index = ((page % pages) + pages) % pages;
	const next = keymap.keys['viewer.page-down'].at(-1);
	const more =
		pages > 1 ? [`page ${index + 1} of ${pages}`, ...(next === undefined ? [] : [`${keyLabel(next)} next`])] : [];
	return {
		lines: lines.slice(index * rows, (index + 1) * rows),
		keys: fitHints([...more, 'Esc close'], columns),
	};
}
