import {reportError} from '../../core/error.ts';
import {formatAmount} from '../../core/format.ts';
import {type ComposerState, emptyComposer} from '../../editor/editor-state.ts';
import {defaultKeys} from '../../editor/keymap/default-keys.ts';
import {hintKey, hintsOf} from '../../editor/keymap/key-label.ts';
import {actionOf, type Keymap, keymapOf, type OwnKeys, pressedKey} from '../../editor/keymap/keymap.ts';
import {type TranscriptAction, transcriptKeys} from '../../editor/keymap/view-keys.ts';
import {type CopyWay, copyNote, plainCopy} from '../../terminal/clipboard.ts';
import {chordOf, type InputToken} from '../../terminal/input/token.ts';
import {fitHints, fitParts} from '../../terminal/text/fit-parts.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {truncate} from '../../terminal/text/width.ts';
import {drawLine, editLine} from '../line-field.ts';
import type {FullScreenView} from '../screen/full-screen.ts';
import {hasDetail} from './block-detail.ts';
import {firstCall, textOf} from './block-text.ts';
import type {Shown} from './read-group.ts';
import {createTranscriptPage, findBlock, type PageContent, type TranscriptPage} from './transcript-page.ts';

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

type TranscriptActions = {
	readonly close: () => void;
	readonly redraw: () => void;
	/** Suspends the program and returns to the shell. */
	readonly suspend: () => void;
	/** Copies as `copyTo` does. */
	readonly copy: (text: string) => CopyWay | undefined;
	/** Saves a text that can't be copied. Returns the path; undefined before the app is ready. */
	readonly keepCopy: (text: string) => Promise<string | undefined>;
	/** Shows a log at a moment (ms since the epoch): that of `environment` if it is open. Returns false if no log is open. */
	readonly openLogAt: (at: number, environment: unknown) => boolean;
};

type Context = {
	readonly page: TranscriptPage;
	/** The text to find; empty before the first search. */
	readonly searched: string;
	readonly actions: TranscriptActions;
	readonly keymap: Keymap<TranscriptAction>;
	/** Shows a note in the bottom line until the next key. */
	readonly note: (text: string) => void;
};

type KeyHandler = (context: Context) => void;

/** What each action does, but for the search field, which the view opens. */
const transcriptActions: Readonly<Record<Exclude<TranscriptAction, 'transcript.search'>, KeyHandler>> = {
	'app.suspend': ({actions}) => actions.suspend(),
	'app.redraw': ({actions}) => actions.redraw(),
	'app.transcript': ({actions}) => actions.close(),
	'transcript.close': ({actions}) => actions.close(),
	'transcript.up': ({page: {reading}}) => reading.choose(reading.place().chosen - 1),
	'transcript.down': ({page: {reading}}) => reading.choose(reading.place().chosen + 1),
	'transcript.page-up': ({page: {reading, rows}}) => reading.scroll(1 - rows()),
	'transcript.page-down': ({page: {reading, rows}}) => reading.scroll(rows() - 1),
	'transcript.first': ({page: {reading}}) => reading.choose(0),
	'transcript.last': ({page: {reading}}) => reading.choose(Number.POSITIVE_INFINITY),
	'transcript.previous-message': context => findPrompt(context, -1),
	'transcript.next-message': context => findPrompt(context, 1),
	'transcript.open': toggleChosen,
	'transcript.next-match': context => findNext(context, -1),
	'transcript.previous-match': context => findNext(context, 1),
	'transcript.copy': copyChosen,
	'transcript.log': openLog,
};

/** Selects the next match of the search, up (-1) or down, and wraps around. */
function findNext({page, searched, keymap, note}: Omit<Context, 'actions'>, direction: 1 | -1): void {
	if (!searched) {
		const key = hintKey(keymap, 'transcript.search');
		note(`No search yet.${key && ` Press ${key} to search.`}`);
		return;
	}

	const all = page.blocks();
	const found = findBlock(all, searched, page.reading.place().chosen, direction);
	const block = found && all[found.index];
	if (!found || !block) {
		note(`“${searched}” not found.`);
		return;
	}

	// The match may be in a part that is collapsed.
	if (hasDetail(block)) {
		page.expand(found.index);
	}

	page.reading.choose(found.index);
	const keys = hintsOf(keymap, [
		['previous', 'transcript.next-match'],
		['next', 'transcript.previous-match'],
	]);
	const parts = [
		{text: `“${searched}”`, rank: 1, least: 8},
		...[`${found.place} of ${found.count}`, ...keys].map((text, index) => ({text, rank: 2 * index})),
	];
	note(
		fitParts(
			parts.map(part => ({...part, role: String})),
			page.size().columns,
		),
	);
}

/** Selects the previous (-1) or next message of the user. */
function findPrompt({page: {blocks, reading}, note}: Context, direction: 1 | -1): void {
	const all = blocks();
	const {chosen} = reading.place();
	const prompts = all.flatMap(({kind}, index) => (kind === 'user' ? [index] : []));
	const found = direction === 1 ? prompts.find(index => index > chosen) : prompts.findLast(index => index < chosen);
	if (found === undefined) {
		note(`No ${direction === 1 ? 'later' : 'earlier'} message of yours.`);
	} else {
		reading.choose(found);
		note(`Message ${prompts.indexOf(found) + 1} of ${prompts.length}`);
	}
}

function chosenBlock({blocks, reading}: TranscriptPage): {readonly index: number; readonly block: Shown | undefined} {
	const {chosen} = reading.place();
	return {index: chosen, block: blocks()[chosen]};
}

function toggleChosen({page, note}: Context): void {
	const {index, block} = chosenBlock(page);
	if (!block || !hasDetail(block)) {
		note('Nothing more to show.');
		return;
	}

	page.toggle(index);
	page.reading.choose(index);
}

function copyChosen({page, actions, note}: Context): void {
	const {block} = chosenBlock(page);
	const text = plainCopy(block ? textOf(block) : '');
	if (text === '') {
		note('Nothing to copy.');
		return;
	}

	const way = actions.copy(text);
	if (way) {
		note(copyNote(formatAmount(text.split('\n').length, 'line'), way));
	} else {
		actions.keepCopy(`${text}\n`).then(
			file => note(file === undefined ? 'Not copied: the app still starts.' : `Not copied. Saved to ${file}`),
			(error: unknown) => note(`Not copied: ${reportError(error).message}`),
		);
	}
}

function openLog({page, actions, note}: Context): void {
	const call = firstCall(chosenBlock(page).block);
	if (!call) {
		note('Select a tool call first.');
	} else if (!actions.openLogAt(Date.parse(call.at), call.arguments['environment'])) {
		note('No log is open. Open one: /env logs <id>');
	}
}
