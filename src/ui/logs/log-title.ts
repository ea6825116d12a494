import {formatAmount, formatNumber} from '../../core/format.ts';
import {describeState, type TailState} from '../../logs/tail-state.ts';
import {allLogs, logPlaces, type OpenLog} from '../../store/logs-slice.ts';
import {fitParts} from '../../terminal/text/fit-parts.ts';
import type {Role} from '../../terminal/text/role.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {inHue} from './log-lines.ts';
import type {MergedOrder} from './merged-log.ts';

type Facts = {
	readonly logs: readonly OpenLog[];
	readonly focus: string;
	readonly now: number;
	/** The filter, '' for none, and the number of lines that it hides. */
	readonly filter: string;
	readonly hides: number;
	readonly palette: Palette;
	/** How the lines of several logs are ordered. */
	readonly order?: MergedOrder | undefined;
};

/** Number of new lines since the user scrolled up; undefined while the end is followed. */
type Paused = {readonly came: number} | undefined;

const longestTitle = 24;

type Tabs = Pick<Facts, 'logs' | 'focus' | 'palette'>;

/**
 * Returns the tabs: the focused log in brackets, each log with its number of unread lines. In a narrow window those around the
 * focused one are shown, and signs for the others, with their unread lines.
 */
export function tabsLine(tabbed: Tabs, width: number): string {
	const {logs, focus, palette} = tabbed;
	const tabs = logPlaces(logs).map(place => {
		const log = logs.find(({environment}) => environment === place);
		const unread = log && place !== focus ? log.unread : 0;
		return {text: tabOf(place, log, tabbed), unread};
	});
	const unreadOf = (some: typeof tabs) => {
		const unread = some.reduce((sum, tab) => sum + tab.unread, 0);
		return unread > 0 ? palette.warning(`+${formatNumber(unread)}`) : '';
	};
	const drawn = ([first, end]: Range) => [
		...(first > 0 ? [`${palette.dim('…')}${unreadOf(tabs.slice(0, first))}`] : []),
		...tabs.slice(first, end).map(tab => tab.text + (tab.unread > 0 ? `${unreadOf([tab])} ` : '')),
		...(end < tabs.length ? [`${palette.dim('…')}${unreadOf(tabs.slice(end))}`] : []),
	];
	const lineOf = (range: Range) => drawn(range).join(' ');
	const at = Math.max(0, logPlaces(logs).indexOf(focus));
	const fits = (range: Range) => range[0] >= 0 && range[1] <= tabs.length && lineWidth(lineOf(range)) <= width;
	let shown: Range = [at, at + 1];
	for (;;) {
		const [first, end]: Range = shown;
		const wider = (
			[
				[first - 1, end],
				[first, end + 1],
			] satisfies Range[]
		).find(fits);
		if (!wider) {
			return fits(shown) ? lineOf(shown) : truncate(tabs[at]?.text ?? '', width);
		}

		shown = wider;
	}
}

/** The first tab and the one behind the last. */
type Range = readonly [first: number, end: number];

function tabOf(place: string, log: OpenLog | undefined, {focus, palette}: Tabs): string {
	const name = log ? truncate(safeLine(log.title), longestTitle) : 'all';
	const text = place === focus ? `[${name}]` : ` ${name} `;
	const colored = log ? inHue(log.hue, text, palette) : text;
	return place === focus ? palette.label(colored) : colored;
}

/** Returns the title of the focused log and its state. If there is no room, the keys are left out, but not the state. */
export function titleLine(facts: Facts, width: number, paused: Paused, keys: readonly string[]): string {
	const {logs, focus, palette, filter, hides} = facts;
	const log = logs.find(({environment}) => environment === focus);
	const seen = log ? [log] : logs;
	const sum = (count: (open: OpenLog) => number) => seen.reduce((total, open) => total + count(open), 0);
	const lines = sum(open => open.lines);
	const gaps = sum(open => open.gaps);
	const dropped = sum(open => open.droppedLines);
	const unread = sum(open => open.unread);
	const parts = [
		{
			text: nameOf(facts),
			role: (text: string) => (log ? inHue(log.hue, palette.label(text), palette) : palette.label(text)),
			rank: 2,
		},
		...(paused ? [{text: `paused +${formatNumber(paused.came)}`, role: palette.warning, rank: 1}] : []),
		...stateParts(facts),
		...(unread > 0 && !paused ? [{text: `${formatNumber(unread)} unread`, role: palette.warning, rank: 3}] : []),
		{text: formatAmount(lines, 'line'), role: palette.dim, rank: 6},
		...orderParts(facts),
		// Who wonders where lines are reads why, and how many.
		...(filter ? [{text: filter, role: palette.warning, rank: 4, least: 12}] : []),
		...(hides > 0 ? [{text: `${formatNumber(hides)} hidden`, role: palette.dim, rank: 4}] : []),
		...(gaps > 0 ? [{text: formatAmount(gaps, 'gap'), role: palette.warning, rank: 3}] : []),
		...(dropped > 0 ? [{text: `${formatNumber(dropped)} oldest dropped`, role: palette.dim, rank: 4}] : []),
		...keys.map((text, index) => ({text, role: palette.dim, rank: 3 + 2 * index})),
	];
	return fitParts(parts, width, palette.dim(' · '));
}

/** Returns how the lines of several logs are ordered, and how many came too late for their place. */
function orderParts({order, palette}: Facts) {
	return order
		? [
				{text: order.by === 'time' ? 'by time' : 'order of arrival', role: palette.dim, rank: 5},
				...(order.by === 'time' && order.late > 0
					? [{text: `${formatNumber(order.late)} came late`, role: palette.warning, rank: 5}]
					: []),
			]
		: [];
}

/** Returns the title, with the beginning of the id. */
function nameOf({logs, focus}: Facts): string {
	const log = logs.find(({environment}) => environment === focus);
	if (!log) {
		return focus === allLogs ? `all ${logs.length} logs` : 'no log';
	}

	const id = log.environment.slice(0, 8);
	// If several logs share a name, each title already ends in the first characters of its id.
	const words = log.title.split(' ');
	const title = words.length > 1 && id.startsWith(words.at(-1) ?? id) ? words.slice(0, -1).join(' ') : log.title;
	const name = truncate(safeLine(title), longestTitle);
	return name === id ? `log ${id}` : `${name} ${safeLine(id)}`;
}

/** Returns the state of the focused log; for several logs, each state that is not live. */
function stateParts({logs, focus, now, palette}: Facts) {
	const log = logs.find(({environment}) => environment === focus);
	const text = (state: TailState) => safeLine(describeState(state, now));
	if (log) {
		return [{text: text(log.state), role: roleOf(log.state, palette), rank: 0}];
	}

	const troubled = logs.filter(({state}) => state.name !== 'live');
	return troubled.length === 0
		? [{text: logs.length === 0 ? 'no logs' : 'live', role: palette.success, rank: 0}]
		: troubled.map(({title, state}) => ({
				text: `${truncate(safeLine(title), longestTitle)} ${text(state)}`,
				role: roleOf(state, palette),
				rank: 0,
			}));
}

function roleOf({name}: TailState, palette: Palette): Role {
	switch (name) {
		case 'live':
			return palette.success;
		case 'ended':
		case 'login':
			return palette.danger;
		case 'connecting':
		case 'suspended':
		case 'held':
			return palette.dim;
		default:
			return palette.warning;
	}
}
