import {useStore} from 'zustand';
import {layoutComposer} from '../editor/editor-layout.ts';
import type {AppState} from '../store/store.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import {textWidth, truncate} from '../terminal/text/width.ts';
import {promptWidth} from './approvals/approval-mode.ts';
import {Composer} from './composer.tsx';
import {useUi} from './context.ts';
import {Box, Text} from './ink.ts';
import {drawLine} from './line-field.ts';
import {Lines} from './lines.tsx';
import {type AskPanel, answerLabel, askRows, fieldRow} from './panels/ask-state.ts';
import {deviceRows} from './panels/device-panel.tsx';
import {editorIndent, editorLayout, editorRows, titleRows} from './panels/edit-keys.ts';
import {PanelView} from './panels/panel-view.tsx';
import {filterLabel, filterRow} from './panels/picker-state.ts';
import {questionRows} from './panels/question.ts';
import {tableFrame} from './panels/table-view.tsx';
import {type Layout, layOut, logPanelHeight, todoHeight} from './screen/layout.ts';
import {StatusLine} from './status-line.tsx';
import {suggestionLines, suggestionsFor} from './suggestions.ts';
import {todoLines} from './transcript/todo-lines.ts';
import {useElapsed} from './use-elapsed.ts';

const editingNote = 'Editing your previous message · Ctrl+C cancel';

/** Draws the live region: the live lines of the transcript, log panel, panel, queue, prompt and status. */
export function App() {
	const ui = useUi();
	const {palette, entries, logs} = ui;
	const state = useStore(ui.store);
	const live = useStore(ui.live);
	const {panel, queue, composer, size, completion: chosen, editing, transcript} = state;
	const toast = state.toast || (editing ? editingNote : '');
	const {columns, rows} = size;
	const elapsedMs = useElapsed(transcript.run?.startedAt);

	const suggestions = panel ? [] : suggestionsFor(entries(), composer.text, chosen, state);
	const room = columns - promptWidth(state.approvalMode);
	const prompt = layoutComposer(composer, room, 10);
	const layout = layOut({
		rows,
		live: live.length,
		panel: panelHeight(state, columns),
		queue: queue.length,
		composer: prompt.rows.length,
		completion: suggestions.length || (toast ? 1 : 0),
		dock: logPanelHeight(state),
		isAsking: panel?.kind === 'confirm',
		todo: todoHeight(transcript.todo),
	});
	const shown = prompt.rows.length === layout.composer ? prompt : layoutComposer(composer, room, layout.composer);
	const above = layout.live + layout.gap + layout.dock + layout.panel + layout.queue + layout.todo + layout.rule;

	return (
		<Box flexDirection="column">
			{layout.live > 0 && <Lines lines={live.slice(-layout.live)} />}
			{layout.gap > 0 && <Text> </Text>}
			{layout.dock > 0 && <Lines lines={logs()?.panelLines({columns, rows: layout.dock}) ?? []} />}
			{panel && layout.panel > 0 && (
				<Box height={layout.panel} overflow="hidden" flexDirection="column">
					<PanelView panel={panel} height={layout.panel} />
				</Box>
			)}
			{layout.queue > 0 && (
				<Lines
					lines={queue
						.slice(-layout.queue)
						.map(({text}) => truncate(palette.dim(`  queued: ${safeLine(text)}`), columns))}
				/>
			)}
			{layout.todo > 0 && <Lines lines={todoLines(transcript.todo, {rows: layout.todo, width: columns, palette})} />}
			{layout.rule > 0 && <Text wrap="truncate">{palette.dim('─'.repeat(columns / textWidth('─')))}</Text>}
			<Composer
				layout={shown}
				top={above}
				focused={!panel || panel.kind === 'lines'}
				elsewhere={caretElsewhere(state, layout)}
				placeholder={placeholderOf(state)}
			/>
			{suggestions.length > 0 && (
				<Lines lines={suggestionLines(suggestions, chosen, layout.completion, columns, palette)} />
			)}
			{suggestions.length === 0 && toast && layout.completion > 0 && (
				<Text wrap="truncate">{truncate(palette.dim(safeLine(toast)), columns)}</Text>
			)}
			{layout.status > 0 && <StatusLine elapsedMs={elapsedMs} />}
		</Box>
	);
}

/** Returns the text of the empty prompt: none while a question is open, which shows its own keys. */
function placeholderOf({panel, transcript, busy}: AppState): string {
	if (panel && panel.kind !== 'lines') {
		return '';
	}

	return transcript.run
		? 'Type to queue a message · Esc to interrupt'
		: busy
			? 'Esc to interrupt'
			: 'Ask something, or / for commands';
}

/** Returns the place of the caret in the field of an open panel; undefined if it has none. */
function caretElsewhere(state: AppState, layout: Layout) {
	switch (state.panel?.kind) {
		case 'pick':
			return filterCaret(state, layout);
		case 'edit':
			return editorCaret(state, layout);
		case 'ask':
			return answerCaret(state.panel, state, layout);
		default:
			return undefined;
	}
}

/** Returns the place of the caret in the field of a question; undefined if it has choices, or no room for the field. */
function answerCaret(asked: AskPanel, {filter, size: {columns}}: AppState, {live, gap, dock, panel}: Layout) {
	const row = fieldRow(asked, columns, panel);
	return asked.choices.length === 0 && row < panel
		? {row: live + gap + dock + row, column: drawLine(answerLabel, filter, columns).column}
		: undefined;
}

/** Returns the place of the caret in an open picker's filter, or undefined if the window is too low for the filter. */
function filterCaret({filter, size}: AppState, {live, gap, dock, panel}: Layout) {
	const row = filterRow(panel);
	return row === undefined
		? undefined
		: {row: live + gap + dock + row, column: drawLine(filterLabel, filter, size.columns).column};
}

/** Returns the place of the caret in an open editor. */
function editorCaret({filter, size}: AppState, {live, gap, dock, panel}: Layout) {
	const {caret} = editorLayout(filter, size.columns, panel);
	return {row: live + gap + dock + titleRows(panel) + caret.row, column: editorIndent + caret.column};
}

function panelHeight({panel, filter}: AppState, columns: number): number {
	switch (panel?.kind) {
		case undefined:
			return 0;
		case 'pick':
			return Math.min(14, panel.choices.length + 2);
		case 'table':
			return panel.rows.length + tableFrame;
		case 'lines':
			return panel.lines.length + 1;
		case 'device':
			return deviceRows;
		case 'edit':
			return editorRows(filter, columns);
		case 'ask':
			return askRows(panel, columns);
		case 'confirm':
			return questionRows(panel, columns);
		default:
			return 1;
	}
}
