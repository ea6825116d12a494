/**
 * Returns the known word that was probably meant: it starts with `word`, or differs by one letter, or by two in words of six
 * letters or more. Undefined if there is none. Known words of one or two letters resemble everything and never match.
 */
export function closest(word: string, known: readonly string[]): string | undefined {
	const near = known
		.filter(candidate => candidate.length > 2)
		.map(candidate => ({candidate, distance: candidate.startsWith(word) && word ? 0.5 : distance(word, candidate)}))
		.filter(({candidate, distance}) => distance <= (Math.min(word.length, candidate.length) < 6 ? 1 : 2))
		.sort((a, b) => a.distance - b.distance);
	return near[0]?.candidate;
}

/** Letters to insert, delete, replace or swap with a neighbour (optimal string alignment). */
function distance(a: string, b: string): number {
	const rows: number[][] = [Array.from({length: b.length + 1}, (_, index) => index)];
	const cell = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
	for (let row = 1; row <= a.length; row++) {
		rows.push([row]);
		for (let column = 1; column <= b.length; column++) {
			const same = a[row - 1] === b[column - 1];
			const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
			rows[row]?.push(
				Math.min(
					cell(row - 1, column) + 1,
					cell(row, column - 1) + 1,
					cell(row - 1, column - 1) + (same ? 0 : 1),
					swapped ? cell(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
				),
			);
		}
	}

	return cell(a.length, b.length);
}
