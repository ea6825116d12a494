import {setComposerText} from '../../../editor/editor.ts';
import {emptyComposer} from '../../../editor/editor-state.ts';
import {chordOf, type InputToken, keyToken} from '../../../terminal/input/token.ts';
import {timeStyles} from '../log-lines.ts';
import {moveBy, pageBy, readAt, type ScrollPosition, scrollAtEnd, type Viewport} from '../log-scroll.ts';
import {pressInField} from './log-field.ts';
import {withToggled} from './log-folds.ts';
import {
	type FieldKind,
	filterOf,
	type LogViewer,
	positionOf,
	type ViewerFocus,
	type ViewerStep,
	withFilter,
	withFilterForAll,
	withPosition,
} from './log-viewer-state.ts';

/** Minimum levels in the order of the key; lines without a level are always shown. */
const minLevels = [undefined, 'debug', 'info', 'warn', 'error', 'fatal'] as const;
const sidewaysStep = 16;
const farthestSideways = 16 * 1024;

/** Applies one token; a text of several characters counts as several keys. Pure; never throws. */
export function reduceLogViewer(viewer: LogViewer, token: InputToken, given: ViewerFocus): ViewerStep {
	if (token.type === 'key') {
		return pressed(viewer, chordOf(token), token, given);
	}

	if (token.type === 'paste') {
		return viewer.field ? pressInField(viewer, viewer.field, token, given.focus) : {viewer};
	}

	if (token.type !== 'text') {
		return {viewer};
	}

	let step: ViewerStep = {viewer};
	for (const character of token.text) {
		step = step.viewer.field
			? pressInField(step.viewer, step.viewer.field, {type: 'text', text: character}, given.focus)
			: pressed(step.viewer, character, keyToken(character), given);
		if (step.action) {
			return step;
		}
	}

	return step;
}

function pressed(viewer: LogViewer, chord: string, token: InputToken, given: ViewerFocus): ViewerStep {
	if (chord === 'ctrl+z' || chord === 'ctrl+l') {
		return {viewer, action: {type: chord === 'ctrl+z' ? 'suspend' : 'redraw'}};
	}

	if (viewer.field) {
		return pressInField(viewer, viewer.field, token, given.focus);
	}

	if (viewer.help !== undefined) {
		return {viewer: {...viewer, help: pageOfHelp(viewer.help, chord)}};
	}

	const quiet = {...viewer, note: ''};
	return moved(quiet, chord, given) ?? requested(quiet, chord, given) ?? {viewer: changed(quiet, chord, given)};
}

/** Returns the page of the help after a key; any other key closes it. */
function pageOfHelp(page: number, chord: string): number | undefined {
	switch (chord) {
		case ' ':
		case 'space':
		case 'down':
		case 'j':
		case 'page-down':
			return page + 1;
		case 'up':
		case 'k':
		case 'page-up':
			return page - 1;
		default:
			return undefined;
	}
}

/** Applies a key that scrolls. All of them pause, except End. */
function moved(viewer: LogViewer, chord: string, {focus, viewport}: ViewerFocus): ViewerStep | undefined {
	const position = positionOf(viewer, focus);
	const go = (move: (scroll: ScrollPosition) => ScrollPosition): ViewerStep => {
		const scroll = position.scroll ?? scrollAtEnd(viewport);
		return {viewer: scroll ? withPosition(viewer, focus, {...position, scroll: move(scroll)}) : viewer};
	};

	switch (chord) {
		case 'up':
		case 'k':
			return go(scroll => moveBy(viewport, scroll, -1));
		case 'down':
		case 'j':
			// At the end no line is below, and it is followed already.
			return position.scroll ? go(scroll => moveBy(viewport, scroll, 1)) : {viewer};
		case 'page-up':
		case 'b':
			return go(scroll => pageBy(viewport, scroll, -1));
		case 'page-down':
		case ' ':
		case 'space':
			return position.scroll ? go(scroll => pageBy(viewport, scroll, 1)) : {viewer};
		case 'home':
		case 'g':
			return go(scroll => readAt(viewport, scroll, viewport.log.start()));
		case 'end':
		case 'G':
			return {viewer: withPosition(viewer, focus, {...position, scroll: undefined})};
		case 'left':
		case 'right': {
			const sideways = viewer.sideways + (chord === 'left' ? -sidewaysStep : sidewaysStep);
			return {
				viewer: viewer.wrap
					? {...viewer, note: 'Lines are wrapped. Press w to cut them.'}
					: {...viewer, sideways: Math.max(0, Math.min(farthestSideways, sideways))},
			};
		}
		default:
			return undefined;
	}
}

/** Applies a key that opens something or asks the app for something. */
function requested(viewer: LogViewer, chord: string, {focus, fileName}: ViewerFocus): ViewerStep | undefined {
	const open = (kind: FieldKind, text = '') => ({
		viewer: {...viewer, field: {kind, composer: setComposerText(emptyComposer, text)}},
	});
	switch (chord) {
		case 'q':
		case 'escape':
		case 'ctrl+c':
		case 'ctrl+g':
			// A mark that stayed would select all lines in between when the viewer is opened again.
			return {
				viewer: withPosition(viewer, focus, {...positionOf(viewer, focus), mark: undefined}),
				action: {type: 'close'},
			};
		case '?':
			return {viewer: {...viewer, help: 0}};
		case '/':
			return open('search');
		case '&':
			return open('filter');
		case 'h':
			return open('highlight');
		case 's':
			return open('save', fileName);
		case 'n':
		case 'N':
			return viewer.search
				? {viewer, action: {type: 'search', direction: chord === 'n' ? 'forward' : 'backward'}}
				: {viewer: {...viewer, note: 'No search yet. Press / to search.'}};
		case 'c':
			return {viewer, action: {type: 'copy'}};
		case 'a':
			return {viewer, action: {type: 'attach'}};
		case 'L':
			return {viewer, action: {type: 'transcript'}};
		case 'tab':
		case 'shift+tab':
			return {viewer, action: {type: 'cycle', steps: chord === 'tab' ? 1 : -1}};
		default:
			return undefined;
	}
}

/** Applies a key that changes which lines are shown, or how. */
function changed(viewer: LogViewer, chord: string, given: ViewerFocus): LogViewer {
	const {focus, viewport} = given;
	switch (chord) {
		case 'l': {
			const minLevel = minLevels[(minLevels.indexOf(filterOf(viewer, focus).minLevel) + 1) % minLevels.length];
			const note = minLevel ? `Showing ${minLevel} and above (and lines without a level).` : 'Showing all levels.';
			return {...withFilter(viewer, focus, {minLevel}), note};
		}
		case '=':
			return {...withFilterForAll(viewer, given), note: filterForAllNote(viewer, given)};
		case 'w': {
			const note = viewer.wrap ? 'Long lines are cut.' : 'Long lines are wrapped.';
			return {...viewer, wrap: !viewer.wrap, sideways: 0, note};
		}
		case 'p':
			return {...viewer, raw: !viewer.raw, note: viewer.raw ? 'Showing time, level and message first.' : rawNote};
		case 't': {
			const times = timeStyles[(timeStyles.indexOf(viewer.times) + 1) % timeStyles.length] ?? 'off';
			const shown = {off: 'off', local: 'local time', UTC: 'UTC', delta: 'since the previous line'}[times];
			return {...viewer, times, note: `Arrival times: ${shown}.`};
		}
		case 'enter':
			return withToggled(viewer, focus, viewport);
		case 'm':
			return marked(viewer, focus, viewport);
		default:
			return viewer;
	}
}

const rawNote = 'Showing lines as received.';

/** Marks the line at the cursor as one end of a range, or removes the mark. */
function marked(viewer: LogViewer, focus: string, viewport: Viewport): LogViewer {
	const {scroll = scrollAtEnd(viewport), mark} = positionOf(viewer, focus);
	if (mark !== undefined) {
		return {...withPosition(viewer, focus, {scroll, mark: undefined}), note: 'Mark removed.'};
	}

	return scroll
		? {
				...withPosition(viewer, focus, {scroll, mark: scroll.cursor}),
				note: 'Mark set. Move to the other end: c copy · s save · a attach.',
			}
		: viewer;
}

function filterForAllNote(viewer: LogViewer, {focus, places}: ViewerFocus): string {
	if (places.length < 2) {
		return 'No other log is open.';
	}

	const {patterns, minLevel} = filterOf(viewer, focus);
	return patterns.length > 0 || minLevel ? 'All logs use this filter and level now.' : 'All logs show all lines now.';
}
