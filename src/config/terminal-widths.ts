import type {Environment} from '../core/environment.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import {openHome} from '../storage/home.ts';
import {openKeptFile, withNewest} from '../storage/kept-file.ts';
import {type CellWidths, readCellWidths} from '../terminal/text/cell-widths.ts';

/** Measured character widths of terminals, for the next start. A convenience: nothing here ever throws. */
export type TerminalWidths = {
	/** Returns the widths of this terminal; undefined if it was never measured. Synchronous: the first frame waits for it. */
	readonly recall: () => CellWidths | undefined;
	readonly remember: (widths: CellWidths) => Promise<void>;
};

/** Variables that identify a terminal. */
const identityVariables = [
	'TERM',
	'TERM_PROGRAM',
	'TERM_PROGRAM_VERSION',
	'LC_TERMINAL',
	'LC_TERMINAL_VERSION',
	'VTE_VERSION',
	'KONSOLE_VERSION',
	'WT_SESSION',
] as const;
const maxTerminals = 20;

/** Opens the widths of the terminal that this environment describes. */
export function openTerminalWidths(env: Environment): TerminalWidths {
	const multiplexer = env['TMUX'] ? 'tmux' : env['STY'] ? 'screen' : '';
	const terminal = [
		...identityVariables.map(name => (name === 'WT_SESSION' && env[name] ? 'yes' : env[name])),
		multiplexer,
	]
		.map(part => part ?? '')
		.join('|');

	const openFile = () => openKeptFile(openHome(env).terminalsFile, {parse, print});
	return {
		recall() {
			try {
				const widths = openFile().read().get(terminal);
				return isJsonObject(widths) ? readCellWidths(widths) : undefined;
			} catch {
				return undefined;
			}
		},
		async remember(widths) {
			try {
				await openFile().update(terminals => withNewest(terminals, terminal, widths, maxTerminals));
			} catch {
				// The next start measures again.
			}
		},
	};
}

function parse(text: string | undefined): ReadonlyMap<string, unknown> {
	const terminals = parseJson(text ?? '');
	return new Map(isJsonObject(terminals) ? Object.entries(terminals) : []);
}

function print(terminals: ReadonlyMap<string, unknown>): string {
	return JSON.stringify(Object.fromEntries(terminals));
}
