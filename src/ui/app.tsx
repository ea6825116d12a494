import {memo, useLayoutEffect, useMemo} from 'react';
import {useStore} from 'zustand';
import {useShallow} from 'zustand/react/shallow';
import {shallow} from 'zustand/vanilla/shallow';
import {completionKeys, questionKeys} from '../editor/keymap/default-keys.ts';
import {hintKey} from '../editor/keymap/key-label.ts';
import {isHiddenByDraft, needsUser, type OpenPanel, panelHasFocus} from '../store/panel-slice.ts';
import type {AppState} from '../store/store.ts';
import {fitTitle} from '../terminal/text/fit-parts.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import type {Palette} from '../terminal/text/style.ts';
import {truncate} from '../terminal/text/width.ts';
import {wrapLine} from '../terminal/text/wrap.ts';
import {Composer, promptRows} from './composer.tsx';
import {useApp, useKeymap, useUi} from './context.ts';
import {Box, Text} from './ink.ts';
import {Lines} from './lines.tsx';
import type {PanelProps} from './panels/panel.ts';
import {moduleOf, panelHeight} from './panels/panels.ts';
import {waitingLines} from './prompt/waiting.ts';
import {type Layout, layOut, layOutBelow, logPanelHeight, todoHeight} from './screen/layout.ts';
import {sessionStrip} from './session-strip.ts';
import {Status} from './status-line.tsx';
import {createSuggestions, type Suggestions, suggestionLines} from './suggestions.ts';
import {todoLines} from './transcript/todo-lines.ts';

const editingNote = 'Editing your previous message · Ctrl+C cancel';

/** What the live region is laid out from, which stays the same while a user types. Its parts read the rest themselves. */
type LayoutParts = {
	readonly panel: AppState['panel'];
	readonly manner: AppState['manner'];
	readonly filter: AppState['filter'];
	readonly size: AppState['size'];
	readonly queue: AppState['queue'];
	readonly sending: AppState['sending'];
	readonly completion: number;
	readonly busy: boolean;
	readonly hasFocus: boolean;
	/** The panel is hidden behind a draft. */
	readonly isHidden: boolean;
	readonly toast: string;
	/** Rows of the prompt. */
	readonly prompt: number;
	readonly suggestions: Suggestions;
	/** Rows of the log panel. */
	readonly logPanel: number;
	readonly todo: AppState['transcript']['todo'];
	readonly isRunning: boolean;
	readonly isInserting: boolean;
	/** What the empty prompt offers. */
	readonly offer: string;
	/** The number of sessions in the background, and in other windows. */
	readonly sessions: number;
};

const layoutParts = (state: AppState, suggest: (state: AppState) => Suggestions): LayoutParts => {
	const {panel, manner, filter, queue, sending, size, completion, editing, toast, logs, logPanel, busy, transcript} =
		state;
	return {
		panel,
		manner,
		filter,
		queue,
		sending,
		size,
		sessions: state.background.length + state.others.length,
		completion,
		busy,
		hasFocus: panelHasFocus(state),
		isHidden: isHiddenByDraft(state),
		toast: toast || (editing && !panel ? editingNote : ''),
		prompt: promptRows(state),
		suggestions: suggest(state),
		logPanel: logPanelHeight({logs, logPanel}),
		todo: transcript.todo,
		isRunning: transcript.run !== undefined,
		isInserting: state.vim?.state.mode === 'insert',
		offer: state.offered?.label ?? '',
	};
};

/** The rows of the parts below the live lines. */
type Below = Omit<Layout, 'live'>;

/** Draws the live region below the live lines of the transcript: log panel, panel, queue, prompt and status. */
export function App() {
	const {store, palette, entries} = useUi();
	const suggest = useMemo(() => createSuggestions(entries), [entries]);
	const parts = useStore(
		store,
		useShallow(state => layoutParts(state, suggest)),
	);
	const {panel, queue, size, completion: chosen, toast, todo, suggestions} = parts;
	const {columns, rows} = size;
	const toPanel = hintKey(useKeymap(questionKeys), 'question.focus');
	// While the completion is open, it gets that key.
	const focusKey = toPanel && suggestions.length > 0 ? ['Esc', toPanel].join(' ') : toPanel;
	const insertKey = hintKey(useKeymap(completionKeys), 'completion.complete');
	const notes = suggestions.length === 0 && toast ? toastLines(toast, columns, palette) : [];
	const layout = useLayout({
		rows,
		panel: panelHeight(parts, parts.isHidden),
		// The list of all of them is open.
		queue: parts.sending.length + (panel?.kind === 'queue' ? 0 : queue.length),
		composer: parts.prompt,
		completion: suggestions.length || notes.length,
		logPanel: parts.logPanel,
		isAsking: needsUser(parts),
		isFramed: panel !== undefined && moduleOf(panel).isFramed,
		todo: todoHeight(todo),
		strip: parts.sessions,
	});
	const above =
		layout.gap +
		layout.logPanel +
		layout.frame +
		layout.panel +
		layout.queue +
		layout.todo +
		layout.strip +
		layout.rule;

	return (
		<Box flexDirection="column">
			{layout.gap > 0 && <Text> </Text>}
			{layout.logPanel > 0 && <LogPanel rows={layout.logPanel} />}
			{layout.frame > 0 && <Text wrap="truncate">{palette.rule('question', columns)}</Text>}
			{panel && layout.panel > 0 && (
				<Box height={layout.panel} overflow="hidden" flexDirection="column">
					<PanelView panel={panel} height={layout.panel} focusKey={focusKey} />
				</Box>
			)}
			{layout.queue > 0 && <WaitingQueue rows={layout.queue} />}
			{layout.todo > 0 && <Lines lines={todoLines(todo, {rows: layout.todo, width: columns, palette})} />}
			{layout.strip > 0 && <SessionStrip />}
			{layout.rule > 0 && <Text wrap="truncate">{palette.rule('prompt', columns)}</Text>}
			<Composer
				height={layout.composer}
				top={above}
				focused={!parts.hasFocus}
				elsewhere={parts.hasFocus ? caretElsewhere(parts, layout) : undefined}
				placeholder={placeholderOf(parts, insertKey)}
			/>
			{suggestions.length > 0 && (
				<Lines lines={suggestionLines(suggestions, chosen, layout.completion, columns, palette)} />
			)}
			{notes.length > 0 && layout.completion > 0 && <Lines lines={notes.slice(0, layout.completion)} />}
			{layout.status > 0 && <Status />}
		</Box>
	);
}

/** The most rows of a toast: an error with its hint needs two in a window of 80 columns. */
const maxToastRows = 3;

/** Returns the rows of a toast, whose way out stands at its end. */
function toastLines(toast: string, columns: number, palette: Palette): readonly string[] {
	const lines = wrapLine(palette.dim(safeLine(toast)), columns);
	const last = maxToastRows - 1;
	return lines.length > maxToastRows
		? [...lines.slice(0, last), truncate(lines.slice(last).join(' '), columns)]
		: lines;
}

/**
 * Returns the rows of each part below the live lines, and limits those. They change with each token; the parts below them are
 * drawn again only if the live lines need their rows.
 */
function useLayout(wanted: Parameters<typeof layOutBelow>[0]): Below {
	const {live, limitLive} = useUi();
	useLayoutEffect(() => limitLive(lines => layOut({...wanted, live: lines}).live));
	return useStore(live, belowLines(wanted));
}

/** Returns a function that lays out below live lines: the same object until a part gets other rows. */
function belowLines(wanted: Parameters<typeof layOutBelow>[0]): (live: readonly string[]) => Below {
	let last: {readonly length: number; readonly below: Below} | undefined;
	return ({length}) => {
		if (last?.length !== length) {
			const below = layOutBelow(wanted, length);
			last = {length, below: last && shallow(last.below, below) ? last.below : below};
		}

		return last.below;
	};
}

/** Draws the log panel, whenever a log has more to show. */
const LogPanel = memo(function LogPanel({rows}: {readonly rows: number}) {
	const {logs} = useUi();
	const {columns} = useApp(state => state.size);
	useApp(state => state.logs);
	useApp(state => state.logFocus);
	useApp(state => state.logVersion);
	useApp(state => state.ownKeys);
	return <Lines lines={logs()?.panelLines({columns, rows}) ?? []} />;
});

/** Shows the messages that wait for the agent. */
function WaitingQueue({rows}: {readonly rows: number}) {
	const {palette} = useUi();
	const queue = useApp(state => state.queue);
	const sending = useApp(state => state.sending);
	const size = useApp(state => state.size);
	const keymap = useApp(state => state.keymap);
	const composer = useApp(state => state.composer);
	const editing = useApp(state => state.editing);
	return <Lines lines={waitingLines({queue, sending, size, keymap, composer, editing}, rows, palette)} />;
}

/** Shows the open sessions beside this one. */
function SessionStrip() {
	const {palette} = useUi();
	const background = useApp(state => state.background);
	const others = useApp(state => state.others);
	const size = useApp(state => state.size);
	const keymap = useApp(state => state.keymap);
	return <Text wrap="truncate">{sessionStrip({background, others, size, keymap}, palette)}</Text>;
}

/**
 * Returns the hints in the empty prompt: none while a question is open, which shows its own keys. Esc closes a panel first, and
 * ends the insert mode of Vim.
 */
function placeholderOf(
	{panel, hasFocus, isRunning, busy, isInserting, offer}: LayoutParts,
	insertKey: string,
): readonly string[] {
	if (hasFocus) {
		return [];
	}

	const interrupt = panel ? [] : [isInserting ? 'Ctrl+C to interrupt' : 'Esc to interrupt'];
	return isRunning
		? ['Type to queue a message', ...interrupt]
		: busy
			? interrupt
			: [offer && insertKey ? `${safeLine(offer)} · ${insertKey} insert` : 'Ask something, or / for commands'];
}

/** Returns the place of the caret in the field of the open panel; undefined if it has none. */
function caretElsewhere({panel: open, filter, size: {columns}}: LayoutParts, {gap, logPanel, frame, panel}: Below) {
	const caret = open && moduleOf(open).caret?.(open, filter, {columns, height: panel});
	return caret && {row: gap + logPanel + frame + caret.row, column: caret.column};
}

/** Shows the open panel above the prompt. */
function PanelView({panel, height, focusKey}: PanelProps<OpenPanel>) {
	const isHidden = useApp(isHiddenByDraft);
	const {draw: Draw, title} = moduleOf(panel);
	return isHidden ? (
		<Waiting title={title(panel)} focusKey={focusKey} />
	) : (
		<Draw key={panel.askedAt} panel={panel} height={height} focusKey={focusKey} />
	);
}

/** Shows in one row which panel waits beside the draft, and how to get there. */
function Waiting({title, focusKey}: {readonly title: string; readonly focusKey: string}) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const hints = [...(focusKey ? [`${focusKey} answer`] : []), 'Esc cancel'];
	return <Lines lines={[palette.dim(fitTitle(`? ${safeLine(title)}`, {hints, role: String}, columns))]} />;
}
