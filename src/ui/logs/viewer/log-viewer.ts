import {AppError} from '../../../core/error.ts';
import {setComposerText} from '../../../editor/editor.ts';
import {emptyComposer} from '../../../editor/editor-state.ts';
import {hintKey, hintsOf} from '../../../editor/keymap/key-label.ts';
import {actionOf, pressedKey} from '../../../editor/keymap/keymap.ts';
import type {LogViewerAction} from '../../../editor/keymap/view-keys.ts';
import {createFilter} from '../../../logs/filter.ts';
import {levels} from '../../../logs/levels.ts';
import {createMatcher} from '../../../logs/matcher.ts';
import {chordOf, type InputToken} from '../../../terminal/input/token.ts';
import {editLine} from '../../line-field.ts';
import {timeStyles} from '../log-lines.ts';
import {moveBy, pageBy, readAt, type ScrollPosition, scrollAtEnd} from '../log-scroll.ts';
import {
	type FieldKind,
	filterOf,
	type LogViewer,
	positionOf,
	type ViewerFocus,
	type ViewerKeymap,
	type ViewerStep,
	withFilter,
	withFilterForAll,
	withPosition,
	withToggled,
} from './log-viewer-state.ts';

/** Minimum levels in the order of the key; lines without a level are always shown. */
const minLevels = [undefined, ...levels.slice(1)];
const sidewaysStep = 16;
const farthestSideways = 16 * 1024;

/** Applies a key, a character or a paste. Pure; never throws. */
export function reduceLogViewer(viewer: LogViewer, token: InputToken, given: ViewerFocus): ViewerStep {
	if (token.type !== 'key' && token.type !== 'text') {
		return token.type === 'paste' && viewer.field ? pressInField(viewer, viewer.field, token, given) : {viewer};
	}

	const key = pressedKey(token) ?? '';
	const action = actionOf(given.keymap, key);
	if (action === 'app.suspend' || action === 'app.redraw') {
		return {viewer, action: {type: action === 'app.suspend' ? 'suspend' : 'redraw'}};
	}

	if (viewer.field) {
		return pressInField(viewer, viewer.field, token, given);
	}

	if (viewer.help !== undefined) {
		return {viewer: {...viewer, help: pageOfHelp(viewer.help, action)}};
	}

	const quiet = {...viewer, note: ''};
	const meant = key === 'escape' || key === 'ctrl+c' ? 'viewer.close' : action;
	return moved(quiet, meant, given) ?? requested(quiet, meant, given) ?? {viewer: changed(quiet, meant, given)};
}

/** Returns the page of the help after a key; any other key closes it. */
function pageOfHelp(page: number, action: LogViewerAction | undefined): number | undefined {
	switch (action) {
		case 'viewer.down':
		case 'viewer.page-down':
			return page + 1;
		case 'viewer.up':
		case 'viewer.page-up':
			return page - 1;
		default:
			return undefined;
	}
}

/** Applies a key that scrolls. All of them pause, except End. */
function moved(
	viewer: LogViewer,
	action: LogViewerAction | undefined,
	{focus, viewport, keymap}: ViewerFocus,
): ViewerStep | undefined {
	const position = positionOf(viewer, focus);
	const go = (move: (scroll: ScrollPosition) => ScrollPosition): ViewerStep => {
		const scroll = position.scroll ?? scrollAtEnd(viewport);
		return {viewer: scroll ? withPosition(viewer, focus, {...position, scroll: move(scroll)}) : viewer};
	};

	switch (action) {
		case 'viewer.up':
			return go(scroll => moveBy(viewport, scroll, -1));
		case 'viewer.down':
			// At the end no line is below, and it is followed already.
			return position.scroll ? go(scroll => moveBy(viewport, scroll, 1)) : {viewer};
		case 'viewer.page-up':
			return go(scroll => pageBy(viewport, scroll, -1));
		case 'viewer.page-down':
			return position.scroll ? go(scroll => pageBy(viewport, scroll, 1)) : {viewer};
		case 'viewer.first':
			return go(scroll => readAt(viewport, scroll, viewport.log.start()));
		case 'viewer.last':
			return {viewer: withPosition(viewer, focus, {...position, scroll: undefined})};
		case 'viewer.left':
		case 'viewer.right': {
			const sideways = viewer.sideways + (action === 'viewer.left' ? -sidewaysStep : sidewaysStep);
			return {
				viewer: viewer.wrap
					? {...viewer, note: `Lines are wrapped.${pressTo(keymap, 'viewer.wrap', 'cut them')}`}
					: {...viewer, sideways: Math.max(0, Math.min(farthestSideways, sideways))},
			};
		}
		default:
			return undefined;
	}
}

/** Applies a key that opens something or asks the app for something. */
function requested(
	viewer: LogViewer,
	action: LogViewerAction | undefined,
	{focus, fileName, keymap}: ViewerFocus,
): ViewerStep | undefined {
	const open = (kind: FieldKind, text = '') => ({
		viewer: {...viewer, field: {kind, composer: setComposerText(emptyComposer, text)}},
	});
	switch (action) {
		case 'viewer.close':
		case 'logs.viewer':
			// A mark that stayed would select all lines in between when the viewer is opened again.
			return {
				viewer: withPosition(viewer, focus, {...positionOf(viewer, focus), mark: undefined}),
				action: {type: 'close'},
			};
		case 'viewer.help':
			return {viewer: {...viewer, help: 0}};
		case 'viewer.search':
			return open('search');
		case 'viewer.filter':
			return open('filter');
		case 'viewer.highlight':
			return open('highlight');
		case 'viewer.save':
			return open('save', fileName);
		case 'viewer.next-match':
		case 'viewer.previous-match':
			return viewer.search
				? {viewer, action: {type: 'search', direction: action === 'viewer.next-match' ? 'forward' : 'backward'}}
				: {viewer: {...viewer, note: `No search yet.${pressTo(keymap, 'viewer.search', 'search')}`}};
		case 'viewer.copy':
			return {viewer, action: {type: 'copy'}};
		case 'viewer.attach':
			return {viewer, action: {type: 'attach'}};
		case 'viewer.transcript':
			return {viewer, action: {type: 'transcript'}};
		case 'viewer.next-log':
		case 'viewer.previous-log':
			return {viewer, action: {type: 'cycle', steps: action === 'viewer.next-log' ? 1 : -1}};
		default:
			return undefined;
	}
}

/** Applies a key that changes which lines are shown, or how. */
function changed(viewer: LogViewer, action: LogViewerAction | undefined, given: ViewerFocus): LogViewer {
	const {focus, viewport} = given;
	switch (action) {
		case 'viewer.level': {
			const minLevel = minLevels[(minLevels.indexOf(filterOf(viewer, focus).minLevel) + 1) % minLevels.length];
			const note = minLevel ? `Showing ${minLevel} and above (and lines without a level).` : 'Showing all levels.';
			return {...withFilter(viewer, focus, {minLevel}), note};
		}
		case 'viewer.filter-all':
			return {...withFilterForAll(viewer, given), note: filterForAllNote(viewer, given)};
		case 'viewer.wrap': {
			const note = viewer.wrap ? 'Long lines are cut.' : 'Long lines are wrapped.';
			return {...viewer, wrap: !viewer.wrap, sideways: 0, note};
		}
		case 'viewer.raw':
			return {...viewer, raw: !viewer.raw, note: viewer.raw ? 'Showing time, level and message first.' : rawNote};
		case 'viewer.times': {
			const times = timeStyles[(timeStyles.indexOf(viewer.times) + 1) % timeStyles.length] ?? 'off';
			const shown = {off: 'off', local: 'local time', UTC: 'UTC', delta: 'since the previous line'}[times];
			return {...viewer, times, note: `Arrival times: ${shown}.`};
		}
		case 'viewer.fold':
			return withToggled(viewer, focus, viewport);
		case 'viewer.mark':
			return marked(viewer, given);
		default:
			return viewer;
	}
}

const rawNote = 'Showing lines as received.';

/** Marks the line at the cursor as one end of a range, or removes the mark. */
function marked(viewer: LogViewer, {focus, viewport, keymap}: ViewerFocus): LogViewer {
	const {scroll = scrollAtEnd(viewport), mark} = positionOf(viewer, focus);
	if (mark !== undefined) {
		return {...withPosition(viewer, focus, {scroll, mark: undefined}), note: 'Mark removed.'};
	}

	const keys = hintsOf(keymap, [
		['copy', 'viewer.copy'],
		['save', 'viewer.save'],
		['attach', 'viewer.attach'],
	]);
	const note = `Mark set. Move to the other end: ${keys.join(' · ')}.`;
	return scroll ? {...withPosition(viewer, focus, {scroll, mark: scroll.cursor}), note} : viewer;
}

/** Returns a sentence about the key of an action, '' if it has none. */
export function pressTo(keymap: ViewerKeymap, action: LogViewerAction, purpose: string): string {
	const key = hintKey(keymap, action);
	return key && ` Press ${key} to ${purpose}.`;
}

function filterForAllNote(viewer: LogViewer, {focus, places}: ViewerFocus): string {
	if (places.length < 2) {
		return 'No other log is open.';
	}

	const {patterns, minLevel} = filterOf(viewer, focus);
	return patterns.length > 0 || minLevel ? 'All logs use this filter and level now.' : 'All logs show all lines now.';
}

type Field = NonNullable<LogViewer['field']>;

/** Applies one token to the open input line: Enter applies it to the focused log, Escape cancels it. */
function pressInField(
	viewer: LogViewer,
	{kind, composer}: Field,
	token: InputToken,
	{focus, keymap, promptKeymap}: ViewerFocus,
): ViewerStep {
	const chord = token.type === 'key' ? chordOf(token) : '';
	if (chord === 'escape' || chord === 'ctrl+c' || actionOf(keymap, chord) === 'logs.viewer') {
		return {viewer: {...viewer, field: undefined, note: ''}};
	}

	if (chord === 'enter') {
		try {
			return entered({...viewer, field: undefined, note: ''}, {kind, text: composer.text, focus});
		} catch (error) {
			// The line stays open, so that the user can fix it.
			return {viewer: {...viewer, note: error instanceof AppError ? error.message : String(error)}};
		}
	}

	return {viewer: {...viewer, note: '', field: {kind, composer: editLine(composer, token, promptKeymap)}}};
}

type Entered = {readonly kind: FieldKind; readonly text: string; readonly focus: string};

/** Applies the entered line. Throws `AppError("usage")` for an invalid expression. */
function entered(viewer: LogViewer, {kind, text, focus}: Entered): ViewerStep {
	switch (kind) {
		case 'search': {
			const search = text || viewer.search;
			if (!search) {
				return {viewer};
			}

			createMatcher(search);
			return {viewer: {...viewer, search}, action: {type: 'search', direction: 'forward'}};
		}
		case 'filter': {
			const before = filterOf(viewer, focus).patterns;
			const patterns = text ? [...before, text] : before.slice(0, -1);
			createFilter({patterns: patterns});
			return {viewer: withFilter(viewer, focus, {patterns})};
		}
		case 'highlight': {
			const highlights = text ? [...viewer.highlights, text] : viewer.highlights.slice(0, -1);
			for (const source of highlights) {
				createMatcher(source);
			}
			return {viewer: {...viewer, highlights}};
		}
		case 'save':
			return text.trim() ? {viewer, action: {type: 'save', path: text.trim()}} : {viewer};
		default:
			return kind satisfies never;
	}
}
