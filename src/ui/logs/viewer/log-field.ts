import {AppError} from '../../../core/error.ts';
import {actionOf} from '../../../editor/keymap/keymap.ts';
import {createFilter} from '../../../logs/filter.ts';
import {createMatcher} from '../../../logs/matcher.ts';
import {chordOf, type InputToken} from '../../../terminal/input/token.ts';
import {editLine} from '../../line-field.ts';
import {
	type FieldKind,
	filterOf,
	type LogViewer,
	type ViewerFocus,
	type ViewerStep,
	withFilter,
} from './log-viewer-state.ts';

type Field = NonNullable<LogViewer['field']>;

/** Applies one token to the open input line: Enter applies it to the focused log, Escape cancels it. */
export function pressInField(
	viewer: LogViewer,
	{kind, composer}: Field,
	token: InputToken,
	{focus, keymap, promptKeymap}: Pick<ViewerFocus, 'focus' | 'keymap' | 'promptKeymap'>,
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
