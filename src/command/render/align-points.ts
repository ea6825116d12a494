const number = /^-?\$?[\d,]+(?:\.\d+)?$/;

/** Returns the cells of a column with spaces behind the numbers, so that their decimal points stand below each other. */
export function alignPoints(cells: readonly string[]): readonly string[] {
	const decimals = cells.map(cell => (number.test(cell) && cell.includes('.') ? cell.length - cell.indexOf('.') : 0));
	const most = Math.max(0, ...decimals);
	return cells.map((cell, index) => (number.test(cell) ? cell + ' '.repeat(most - (decimals[index] ?? 0)) : cell));
}
