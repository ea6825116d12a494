import type {Environment} from '../core/environment.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import {openHome} from '../storage/home.ts';
import {readSmallFile, updateSmallFile} from '../storage/small-file.ts';
import {type CellWidths, readCellWidths} from '../terminal/text/cell-widths.ts';

/** The widths that a terminal was measured to have, for its next start. It is a comfort: nothing here ever throws. */
export type TerminalWidths = {
	/** Synchronous, because the first frame waits for it; undefined for a terminal that was never measured. */
	readonly recall: () => CellWidths | undefined;
	readonly remember: (widths: CellWidths) => Promise<void>;
};

/** What tells one terminal from another, as far as it says so. */
const identity = [
	'TERM',
	'TERM_PROGRAM',
	'TERM_PROGRAM_VERSION',
	'LC_TERMINAL',
	'LC_TERMINAL_VERSION',
	'VTE_VERSION',
	'KONSOLE_VERSION',
	'WT_SESSION',
] as const;
const mostTerminals = 20;

/** Opens what is known of the terminal that this environment describes. */
export function openTerminalWidths(env: Environment): TerminalWidths {
	const multiplexer = env['TMUX'] ? 'tmux' : env['STY'] ? 'screen' : '';
	const terminal = [...identity.map(name => (name === 'WT_SESSION' && env[name] ? 'yes' : env[name])), multiplexer]
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
					const kept = Object.entries(others).slice(1 - mostTerminals);
					return JSON.stringify(Object.fromEntries([...kept, [terminal, widths]]));
				});
			} catch {
				// It is measured again at the next start.
			}
		},
	};
}

function readTerminals(text: string | undefined): Readonly<Record<string, unknown>> {
	const known = text === undefined ? undefined : parseJson(text);
	return isJsonObject(known) ? known : {};
}
