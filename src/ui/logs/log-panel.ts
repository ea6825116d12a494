import {defaultKeys} from '../../editor/keymap/default-keys.ts';
import {hintsOf} from '../../editor/keymap/key-label.ts';
import {keymapOf} from '../../editor/keymap/keymap.ts';
import type {Size} from '../../store/view-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {truncate} from '../../terminal/text/width.ts';
import {titleRule} from '../panels/panel-rows.ts';
import {scrollAtEnd, visibleRows} from './log-scroll.ts';
import {tabsLine, titleLine} from './log-title.ts';
import {type LogPicture, whyEmpty, withOpenRows} from './viewer/log-view.ts';
import {filterOf} from './viewer/log-viewer-state.ts';

/** Returns the filter of the log in front as it is typed in the viewer: `level>=warn · path=/seen`. */
function filterName({viewer, focus}: LogPicture): string {
	const {patterns, minLevel} = filterOf(viewer, focus);
	return [...(minLevel ? [`level>=${minLevel}`] : []), ...patterns.map(safeLine)].join(' · ');
}

/** Draws the log panel: a title with the state and the keys, the tabs if there are several logs, the newest lines. */
export function drawLogPanel(picture: LogPicture, {columns, rows}: Size): readonly string[] {
	const {logs, viewport, drawn, palette, ownKeys} = picture;
	if (rows < 1) {
		return [];
	}

	const isHidden = rows === 1;
	const several = logs.length > 1;
	const keys = hintsOf(keymapOf(defaultKeys, ownKeys), [
		['open', 'logs.viewer'],
		[isHidden ? 'show' : 'hide', 'logs.panel'],
		...(several ? [['next', 'logs.next'] as const] : []),
		...(isHidden ? [] : [['resize', 'logs.taller', 'logs.shorter'] as const]),
	]);
	const facts = titleLine(
		{...picture, filter: filterName(picture), hides: viewport.shown.hidden()},
		columns - 3,
		undefined,
		keys,
	);
	const title = titleRule(facts, {columns, palette, weight: 'pane'});
	const tabs = several && rows > 3 ? [tabsLine(picture, columns)] : [];
	const room = rows - 1 - tabs.length;
	const {rest, open} = room > 0 ? withOpenRows(picture, room) : {rest: 0, open: []};
	const end = rest > 0 ? scrollAtEnd({...viewport, rows: rest}) : undefined;
	const ended = end
		? visibleRows({...viewport, rows: rest}, end).map(([place, row]) => {
				const {rows: parts, isMatch} = drawn(place);
				return `${isMatch && row === 0 ? palette.warning('•') : ' '} ${parts[row] ?? ''}`;
			})
		: rest > 0 && open.length === 0
			? [truncate(palette.dim(`  ${whyEmpty(viewport)}`), columns)]
			: [];
	const lines = [...ended, ...open];
	return [title, ...tabs, ...lines, ...Array.from({length: room - lines.length}, () => '')];
}
