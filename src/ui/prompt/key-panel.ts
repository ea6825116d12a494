import {briefKeys} from '../../command/keymap/key-list.ts';
import {pressedLabel} from '../../command/keymap/pressed-label.ts';
import type {Environment} from '../../core/environment.ts';
import type {OwnKeys} from '../../editor/keymap/keymap.ts';
import {padEnd, textWidth, truncate} from '../../terminal/text/width.ts';

/** Fewest cells for two columns. */
const minWide = 72;

/** Returns the keys that are worth a look, as lines of at most `columns` cells; in a wide window, two beside each other. */
export function keyLines(own: OwnKeys, columns: number, env: Environment): readonly string[] {
	const rows = briefKeys(own).map(([key, does]) => [pressedLabel(key, env), does] as const);
	const width = Math.max(...rows.map(([key]) => textWidth(key)));
	const cells = rows.map(([key, summary]) => `  ${padEnd(key, width)}  ${summary}`);
	const more = truncate('  /keys-help lists all keys, and how to bind your own.', columns);
	if (columns < minWide) {
		return [...cells.map(cell => truncate(cell, columns)), more];
	}

	const half = Math.ceil(cells.length / 2);
	const room = Math.floor(columns / 2) - 1;
	const lines = cells.slice(0, half).map((cell, index) => {
		const beside = cells[half + index] ?? '';
		return `${padEnd(truncate(cell, room), room)} ${truncate(beside, room)}`.trimEnd();
	});
	return [...lines, more];
}
