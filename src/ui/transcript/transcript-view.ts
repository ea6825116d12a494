import {type ComposerState, emptyComposer} from '../../editor/editor-state.ts';
import {defaultKeys} from '../../editor/keymap/default-keys.ts';
import {hintKey, hintsOf} from '../../editor/keymap/key-label.ts';
import {actionOf, type Keymap, keymapOf, type OwnKeys, pressedKey} from '../../editor/keymap/keymap.ts';
import {type TranscriptAction, transcriptKeys} from '../../editor/keymap/view-keys.ts';
import {chordOf, type InputToken} from '../../terminal/input/token.ts';
import {fitHints, fitParts} from '../../terminal/text/fit-parts.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {truncate} from '../../terminal/text/width.ts';
import {drawLine, editLine} from '../line-field.ts';
import type {FullScreenView} from '../screen/full-screen.ts';
import {findNext, type TranscriptActions, transcriptActions} from './transcript-keys.ts';
import {createTranscriptPage, type PageContent, type TranscriptPage} from './transcript-page.ts';

type Dependencies = PageContent &
	TranscriptActions & {
		readonly ownKeys: () => OwnKeys;
		readonly invalidate: () => void;
	};

/** Shows the whole transcript, with what the conversation leaves out: thoughts, arguments and outputs in full. */
export function createTranscriptView({invalidate, ownKeys, ...dependencies}: Dependencies): FullScreenView {
	const {palette} = dependencies;
	const page = createTranscriptPage(dependencies);
	const keymap = () => keymapOf(transcriptKeys, ownKeys());
	let search = noSearch;
	let shownNote = '';
	const note = (text: string) => {
		shownNote = text;
		invalidate();
	};

	const context = () => ({page, searched: search.text, actions: dependencies, keymap: keymap(), note});
	const pressInField = (token: InputToken) => {
		search = editSearch(search, token, keymapOf(defaultKeys, ownKeys()));
		if (token.type === 'key' && chordOf(token) === 'enter' && search.text) {
			findNext(context(), -1);
		}
	};

	const pressKey = (key: string) => {
		const action = actionOf(keymap(), key);
		if (key === 'escape' || key === 'ctrl+c') {
			dependencies.close();
		} else if (action === 'transcript.search') {
			search = openSearch(search);
		} else if (action) {
			transcriptActions[action](context());
		}
	};

	return {
		draw(size) {
			page.resize(size);
			const {columns} = size;
			const bottom = search.field
				? `/${drawLine('/', search.field, columns).text}`
				: palette.dim(safeLine(shownNote) || hintLine(keymap(), columns));
			const title = palette.label(titleOf(page, keymap(), columns));
			return [title, ...page.draw(search.text), truncate(bottom, columns)];
		},
		caret() {
			const {rows, columns} = page.size();
			return search.field && {row: rows - 1, column: drawLine('/', search.field, columns).column};
		},
		press(token) {
			note('');
			search.field ? pressInField(token) : pressKey(pressedKey(token) ?? '');
			invalidate();
		},
	};
}

function hintLine(keymap: Keymap<TranscriptAction>, columns: number): string {
	const hints = hintsOf(keymap, [
		['open', 'transcript.open'],
		['your messages', 'transcript.previous-message', 'transcript.next-message'],
		['search', 'transcript.search'],
		['copy', 'transcript.copy'],
		['log', 'transcript.log'],
	]);
	return fitHints([...hints, 'Esc close'], columns);
}

function titleOf({blocks, reading}: TranscriptPage, keymap: Keymap<TranscriptAction>, columns: number): string {
	const count = blocks().length;
	const place = count === 0 ? 'no messages yet' : `${reading.place().chosen + 1} of ${count}`;
	const key = reading.isFollowing() ? '' : hintKey(keymap, 'transcript.last');
	const parts = ['Transcript', place, ...(key ? [`${key}: jump to latest`] : [])];
	return fitParts(
		parts.map((text, rank) => ({text, role: String, rank})),
		columns,
	);
}

type TranscriptSearch = {
	/** The text to find; empty before the first search. */
	readonly text: string;
	/** The search field; undefined while it is closed. */
	readonly field: ComposerState | undefined;
};

const noSearch: TranscriptSearch = {text: '', field: undefined};

/** Opens an empty search field. */
function openSearch({text}: TranscriptSearch): TranscriptSearch {
	return {text, field: emptyComposer};
}

/** Applies a key or a text to the open field, which has the keys of the prompt. Enter searches for the text; an empty field repeats the last search. */
function editSearch(
	{text, field = emptyComposer}: TranscriptSearch,
	token: InputToken,
	keymap?: Keymap,
): TranscriptSearch {
	switch (token.type === 'key' ? chordOf(token) : undefined) {
		case 'escape':
		case 'ctrl+c':
			return {text, field: undefined};
		case 'enter':
			return {text: field.text || text, field: undefined};
		default:
			return {text, field: editLine(field, token, keymap)};
	}
}
