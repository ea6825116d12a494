import type {InputToken} from './input/token.ts';
import {modes} from './terminal-modes.ts';
import {type CellWidths, readCellWidths, sampleNames, sampleText} from './text/cell-widths.ts';

type Dependencies = {
	/** Writes to the terminal, unchanged. */
	readonly write: (text: string) => void;
	/** The width of the window in cells. */
	readonly columns: number;
	/** Called once, after the last answer. */
	readonly onMeasured: (widths: CellWidths) => void;
};

type WidthMeasure = {
	/**
	 * Asks the terminal how many cells it gives each sample. That depends on the terminal, its version, its settings
	 * and a multiplexer, so that no table has it. Rows must not wrap meanwhile.
	 */
	readonly begin: () => void;
	/** True for a token that is an answer. */
	readonly take: (token: InputToken) => boolean;
	/** How many answers are missing. */
	readonly outstanding: () => number;
};

const save = '\u001b7';
const restore = '\u001b8';
const eraseRest = '\u001b[K';
const askPosition = '\u001b[6n';

const {on: hold, off: show} = modes['synchronized-output'];

/** Asks for the cursor position, first alone, then after each sample, which is erased before the terminal shows it. */
const question = [
	`${hold}${save}${askPosition}`,
	...sampleNames.map(name => `${sampleText(name)}${askPosition}${restore}${eraseRest}`),
	show,
].join('');

/**
 * Asks the terminal how many cells it gives each sample. No table says that: it depends on the terminal, its version, its
 * settings and the multiplexer in front of it. Rows must not wrap meanwhile.
 */
export function createWidthMeasure({write, columns, onMeasured}: Dependencies): WidthMeasure {
	let places: readonly {readonly row: number; readonly column: number}[] = [];
	let left = 0;

	const finish = () => {
		const [start = {row: 0, column: 0}, ...ends] = places;
		// The margin stops a cursor that does not wrap: a sample that ends there may be wider.
		if (ends.every(({row, column}) => row === start.row && column < columns - 1)) {
			const cells = sampleNames.map((name, index) => [name, (ends[index]?.column ?? 0) - start.column] as const);
			onMeasured(readCellWidths(Object.fromEntries(cells)));
		}
	};

	return {
		begin() {
			left = sampleNames.length + 1;
			write(question);
		},
		take(token) {
			if (left === 0 || token.type !== 'reply' || token.reply !== 'cursor-position') {
				return false;
			}

			places = [...places, token];
			left--;
			if (left === 0) {
				finish();
			}

			return true;
		},
		outstanding: () => left,
	};
}
