import type {Environment} from '../core/environment.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import {openHome} from '../storage/home.ts';
import {readSmallFile, updateSmallFile} from '../storage/small-file.ts';
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

	return {
		recall() {
			try {
				const known = readTerminals(readSmallFile(openHome(env).terminalsFile))[terminal];
				return isJsonObject(known) ? readCellWidths(known) : undefined;
			} catch {
				return undefined;
			}
		},
		async remember(widths) {
			try {
				await updateSmallFile(openHome(env).terminalsFile, text => {
					const {[terminal]: _, ...others} = readTerminals(text);
					const kept = Object.entries(others).slice(1 - maxTerminals);
					return JSON.stringify(Object.fromEntries([...kept, [terminal, widths]]));
				});
			} catch {
				// The next start measures again.
			}
		},
	};
}

function readTerminals(text: string | undefined): Readonly<Record<string, unknown>> {
	const known = text === undefined ? undefined : parseJson(text);
	return isJsonObject(known) ? known : {};
}
