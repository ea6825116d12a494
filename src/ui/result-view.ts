import type {Program} from '../command/program.ts';
import {renderResult} from '../command/render/render.ts';
import type {Result} from '../command/result.ts';
import {withoutSecret} from '../command/secret-line.ts';
import {isPlainWord} from '../command/words.ts';
import {reportError} from '../core/error.ts';
import {formatNumber} from '../core/format.ts';
import type {AppStore} from '../store/store.ts';
import {safeText} from '../terminal/text/safe-text.ts';
import type {Palette} from '../terminal/text/style.ts';
import {wrapLine} from '../terminal/text/wrap.ts';
import type {AppInteraction} from './interaction.ts';
import type {LogDisplay} from './logs/log-display.ts';
import {endsWithApp} from './quit-words.ts';
import type {Painter} from './screen/painter.ts';
import {messageLines} from './transcript/block-lines.ts';

/** What the results of commands are shown with. */
export type ResultDependencies = Pick<Program, 'entries'> & {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly painter: Painter;
	readonly interact: AppInteraction;
	readonly logs: LogDisplay;
	/** Continues a session, and says what the user must know of it. */
	readonly resume: (session: string) => Promise<void>;
	readonly wipe: () => void;
	readonly quit: () => void;
	/** True for a line that stands on the screen already, as it was typed; none does by default. */
	readonly isOnScreen?: ((line: string) => boolean) | undefined;
};

type Shown = {readonly exact: boolean; readonly signal: AbortSignal};

export type ResultView = {
	/** Shows what came of a slash line: above the prompt, in the panel, or as the app does what was asked of it. */
	readonly show: (line: string, result: Result, shown: Shown) => Promise<void>;
	/** Writes an error above the prompt, below the line that it came of. */
	readonly tell: (error: unknown, line?: string) => void;
};

type Table = Extract<Result, {kind: 'table'}>;
type Browsing = {readonly exact: boolean; readonly ask: NonNullable<AppInteraction['browse']>};
type Panel = Extract<Result, {kind: 'panel'}>['panel'];

/** Lines that a printed table needs besides its rows: its head, the line that asked for it, prompt and status. */
const chrome = 6;

/** Opening a row of a table is a slash line of its own, which `carryOut` is given. */
export function createResultView(
	{store, palette, painter, entries, interact, logs, resume, wipe, quit, isOnScreen = () => false}: ResultDependencies,
	carryOut: (line: string) => Promise<void>,
): ResultView {
	/** The line as it was sent, above what came of it. */
	const echo = (line: string, width: number) =>
		isOnScreen(line)
			? []
			: wrapLine(palette.dim(safeText(withoutSecret(entries, line))), width, {first: palette.dim('❯ '), rest: '  '});

	/** A table that is longer than the window is looked through in the panel. */
	const browse = async (line: string, table: Table, {exact, ask}: Browsing) => {
		const {columns, rows, title = withoutSecret(entries, line), notes = [], opens} = table;
		const said = {kind: 'text', text: `${formatNumber(rows.length)} rows.`, hint: notes.join(' ')} as const;
		painter.print(width => [...echo(line, width), ...renderResult(said, {width, palette})]);
		const id = await ask({kind: 'table', title, columns, rows, exact, ...(opens && {opens})});
		if (opens && id?.split(' ').every(isPlainWord)) {
			await carryOut(`/${[...opens.words, id].join(' ')}`);
		}
	};

	const open = async (panel: Panel, signal: AbortSignal) => {
		const {focusLog, showLogDock} = store.getState();
		switch (panel.show) {
			case 'clear':
				wipe();
				break;
			case 'log':
				await logs.follow(panel.log, signal);
				break;
			case 'dock':
				focusLog(panel.focus);
				showLogDock(panel.isShown);
				break;
			case 'session':
				await resume(panel.id);
				break;
			default:
				panel satisfies never;
		}
	};

	/** True while an answer goes on that would be cut in two, and nothing is asked in the panel. */
	const isFreeBesideRun = () => {
		const {transcript, panel} = store.getState();
		return transcript.run !== undefined && (panel === undefined || panel.kind === 'lines');
	};

	return {
		async show(line, result, {exact, signal}) {
			const {columns, rows} = store.getState().size;
			if (result.kind === 'quit') {
				const ends = endsWithApp(store.getState().ownSandboxes);
				if (!ends || (await interact.confirm(`${ends} Quit?`))) {
					quit();
				}
			} else if (result.kind === 'panel') {
				await open(result.panel, signal);
			} else if (isFreeBesideRun()) {
				interact.show(withoutSecret(entries, line), renderResult(result, {width: columns, palette, exact}));
			} else if (result.kind === 'table' && result.rows.length > rows - chrome && interact.browse) {
				void browse(line, result, {exact, ask: interact.browse});
			} else {
				painter.print(width => [...echo(line, width), ...renderResult(result, {width, palette, exact})]);
			}
		},
		tell(error, line) {
			const {message, hint} = reportError(error);
			painter.print(width => [
				...(line === undefined ? [] : echo(line, width)),
				...messageLines('✗', palette.danger, message, hint, {width, palette}),
			]);
		},
	};
}
