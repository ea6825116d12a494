import type {Program} from '../command/program.ts';
import {renderResult} from '../command/render/render.ts';
import type {Result} from '../command/result.ts';
import {withoutSecret} from '../command/secret-line.ts';
import {isPlainWord} from '../command/words.ts';
import {errorLine, nameCommands} from '../core/command-words.ts';
import {reportError} from '../core/error.ts';
import {needsUser} from '../store/panel-slice.ts';
import type {AppStore} from '../store/store.ts';
import {safeText} from '../terminal/text/safe-text.ts';
import {signOf} from '../terminal/text/signs.ts';
import type {Palette} from '../terminal/text/style.ts';
import {wrapLine} from '../terminal/text/wrap.ts';
import type {SessionInteraction} from './interaction.ts';
import type {LogDisplay} from './logs/log-display.ts';
import {endsWithApp} from './quit-words.ts';
import {messageLines} from './transcript/message-lines.ts';
import type {Painter} from './transcript/painter.ts';

export type ResultDependencies = {
	readonly entries: Program['commands']['all'];
	readonly store: AppStore;
	readonly palette: Palette;
	readonly painter: Painter;
	readonly interact: SessionInteraction;
	readonly logs: LogDisplay;
	/** Continues a session, and shows its notices. */
	readonly resume: (session: string, signal?: AbortSignal) => Promise<void>;
	readonly wipe: () => void;
	readonly quit: () => void;
	/** Returns true for a line that is on the screen already, as the user typed it. Always false by default. */
	readonly isOnScreen?: ((line: string) => boolean) | undefined;
};

type ShowOptions = {readonly exact: boolean; readonly signal: AbortSignal};

export type ResultView = {
	/** Shows the result of a slash line: above the prompt, in a panel, or by what the app does. */
	readonly show: (line: string, result: Result, options: ShowOptions) => Promise<void>;
	/**
	 * Shows an error after the line that caused it. One that would cut an answer in two is a panel, or a toast if the line is in
	 * the prompt again.
	 */
	readonly tell: (error: unknown, line?: string, isInPrompt?: boolean) => void;
	/** Prints the line that is carried out now, before something of it is in the conversation; its result follows without it. */
	readonly begin: (line: string) => void;
};

type Table = Extract<Result, {kind: 'table'}>;
type PanelResult = Extract<Result, {kind: 'panel'}>['panel'];
type View = ResultDependencies & {
	/** Returns what draws the line as it was sent, above its result; nothing if it is on the screen already. */
	readonly echoOf: (line: string) => (width: number) => readonly string[];
	/** Carries out a slash line, such as the one that opens a row of a table. */
	readonly carryOut: (line: string) => Promise<void>;
};

/** Rows of the window that a printed table needs besides its own: its head, its slash line, prompt and status. */
const otherRows = 6;

/** Creates the view of results. Opening a row of a table calls `carryOut` with a slash line. */
export function createResultView(
	dependencies: ResultDependencies,
	carryOut: (line: string) => Promise<void>,
): ResultView {
	const {store, palette, painter, entries, interact, isOnScreen = () => false} = dependencies;
	let begun: string | undefined;
	const echoOf = (line: string) => {
		const isShown = begun === line || isOnScreen(line);
		begun = undefined;
		return (width: number) =>
			isShown
				? []
				: wrapLine(palette.dim(safeText(withoutSecret(entries(), line))), width, {
						first: palette.dim(signOf('❯', palette)),
						rest: '  ',
					});
	};
	const view: View = {...dependencies, echoOf, carryOut};
	return {
		begin(line) {
			painter.print(echoOf(line));
			begun = line;
		},
		show: (line, result, options) => showResult(line, result, options, view),
		tell(error, line, isInPrompt = false) {
			const {message, hint} = reportError(error);
			const lines = (width: number) => messageLines('✗', palette.danger, message, hint, {width, palette});
			if (line === undefined || !interact.browse || !isRunVisible(store)) {
				const echo = line === undefined ? () => [] : echoOf(line);
				painter.print(width => [...echo(width), ...lines(width)]);
			} else if (isInPrompt) {
				// The completion of that line would hide it.
				store.getState().editPrompt({completion: -1, toast: errorLine(error)});
			} else {
				interact.show(withoutSecret(entries(), line), lines);
			}
		},
	};
}

async function showResult(line: string, result: Result, {exact, signal}: ShowOptions, view: View): Promise<void> {
	const {store, palette, painter, entries, interact, echoOf} = view;
	const {rows} = store.getState().size;
	if (result.kind === 'quit') {
		await confirmQuit(view);
	} else if (result.kind === 'panel') {
		await openPanel(result.panel, signal, view);
	} else if (result.kind === 'text' && result.leavesNothing && interact.browse) {
		store.getState().setToast(result.hint ? nameCommands(result.hint, 'app') : '');
	} else if (isRunVisible(store)) {
		// A message that was queued is shown as such.
		if (result.kind === 'lines' && result.lines.length === 0) {
			return;
		}

		interact.show(withoutSecret(entries(), line), width => renderResult(result, {width, palette, exact}));
	} else if (result.kind === 'table' && result.rows.length > rows - otherRows && interact.browse) {
		void browse(line, result, {exact, open: interact.browse}, view);
	} else {
		const echo = echoOf(line);
		painter.print(width => [...echo(width), ...renderResult(result, {width, palette, exact})]);
	}
}

async function confirmQuit({store, interact, quit}: View): Promise<void> {
	const ends = endsWithApp(store.getState());
	if (!ends || (await interact.confirm(`${ends} Quit?`))) {
		quit();
	}
}

async function openPanel(panel: PanelResult, signal: AbortSignal, view: View): Promise<void> {
	const {store, interact, logs, resume, wipe, quit} = view;
	const {focusLog, showLogPanel} = store.getState();
	switch (panel.show) {
		case 'clear':
			wipe();
			break;
		case 'queue':
			interact.manageQueue?.();
			break;
		case 'log':
			await logs.follow(panel.log, signal);
			break;
		case 'log-panel':
			focusLog(panel.focus);
			showLogPanel(panel.isShown);
			break;
		case 'session':
			await resume(panel.id, signal);
			break;
		case 'attach': {
			const {show: _, client: __, ...next} = panel;
			store.setState({next});
			quit();
			break;
		}
		case 'replay':
		case 'editor':
		case 'host':
		case 'bridge':
			// Only a shell plays sessions, and serves an editor or terminals.
			break;
		default:
			panel satisfies never;
	}
}

/** Returns true during a run whose answer a printed result would cut in two, while no panel asks anything. */
function isRunVisible(store: AppStore): boolean {
	const {transcript, manner} = store.getState();
	return transcript.run !== undefined && !needsUser({manner});
}

type Browsing = {readonly exact: boolean; readonly open: NonNullable<SessionInteraction['browse']>};

/** Shows a table that is longer than the window in a panel, which leaves nothing behind when it is closed. */
async function browse(line: string, table: Table, {exact, open}: Browsing, view: View): Promise<void> {
	const {entries, carryOut} = view;
	const {columns, rows, groups, title = withoutSecret(entries(), line), notes = [], opens} = table;
	const id = await open({
		kind: 'table',
		title,
		columns,
		rows,
		exact,
		notes: notes.map(note => nameCommands(note, 'app')),
		...(groups && {groups}),
		...(opens && {opens}),
	});
	if (opens && id?.split(' ').every(isPlainWord)) {
		await carryOut(`/${[...opens.words, id].join(' ')}`);
	}
}
