import {lineWidth, sliceLine, truncate} from './width.ts';

/** A part of a line; those of a higher rank are left out first. One without `least` is never cut. */
export type RankedPart = {
	readonly text: string;
	readonly role: (text: string) => string;
	readonly rank: number;
	/** The fewest cells that it is cut to before another part is left out. */
	readonly least?: number | undefined;
};

const separator = ' · ';

/** The most cells of a part that may be cut, from the widest. */
const cuts = [40, 32, 24, 16];

/**
 * Returns the parts on one line. If they don't fit, the least important parts are left out, but names are cut before one of
 * them, or a more important part, is. `between` separates them.
 */
export function fitParts(parts: readonly RankedPart[], columns: number, between = separator): string {
	const lineAt = (kept: readonly RankedPart[], most: number) =>
		kept
			.map(({text, role, least}) => role(least === undefined ? text : truncate(text, Math.max(least, most))))
			.join(between);
	const fits = (line: string) => lineWidth(line) <= columns;
	const lastName = Math.max(-1, ...parts.map(({rank, least}) => (least === undefined ? -1 : rank)));
	let kept = parts;
	for (;;) {
		const highest = Math.max(...kept.map(({rank}) => rank));
		if (kept.length <= 1 || fits(lineAt(kept, highest > lastName ? Number.POSITIVE_INFINITY : 0))) {
			break;
		}

		const dropped = kept.findLastIndex(({rank}) => rank === highest);
		kept = kept.toSpliced(dropped, 1);
	}

	const lines = [Number.POSITIVE_INFINITY, columns, ...cuts].map(most => lineAt(kept, most));
	return lines.find(fits) ?? truncate(lineAt(kept, 0), columns);
}

/** Returns facts that `·` separates: the first ones that fit, each whole; a first one that doesn't fit is cut. */
export function fitFacts(facts: string, columns: number): string {
	const parts = facts.split(separator);
	const fits = parts.map((_, left) => parts.slice(0, parts.length - left).join(separator));
	return fits.find(line => lineWidth(line) <= columns) ?? truncate(parts[0] ?? '', columns);
}

/** Returns names in so many cells. Those that would look the same at their beginnings are cut in the middle. */
export function cutApart(names: readonly string[], columns: number): readonly string[] {
	const cut = names.map(name => truncate(name, columns));
	return cut.map((text, index) => {
		const name = names[index] ?? '';
		const hasTwin = text !== name && cut.some((other, at) => other === text && names[at] !== name);
		return hasTwin ? cutMiddle(name, columns) : text;
	});
}

/** Returns a line of plain text with its beginning and its end in so many cells. */
function cutMiddle(line: string, columns: number): string {
	const head = truncate(line, Math.ceil(columns / 2));
	const width = lineWidth(line);
	const tail = sliceLine(line, width - columns + lineWidth(head)).trimStart();
	return `${head}${tail}`;
}

/** Returns hints on one line: the first ones that fit, and the last one, which says how to close. None of them is cut. */
export function fitHints(hints: readonly string[], columns: number): string {
	const lines = fewerAndFewer(hints).map(kept => kept.join(separator));
	return lines.find(line => lineWidth(line) <= columns) ?? '';
}

type Beside = {
	/** Ways to say how much there is, the best first. */
	readonly facts?: readonly string[];
	readonly hints: readonly string[];
	readonly role: (text: string) => string;
};

/** The fewest cells of a title beside a hint. */
const leastTitle = 16;

/** Returns a title with facts and hints behind it: as many whole ones as fit. The title is cut beside the last hint only. */
export function fitTitle(title: string, {facts = [''], hints, role}: Beside, columns: number): string {
	const hinted = fewerAndFewer(hints).map(kept => kept.map(hint => separator + hint).join(''));
	const ways = [...hinted.flatMap(text => facts.map(fact => fact + text)), hinted.at(-1) ?? ''];
	const beside =
		ways.find(way => lineWidth(title) + lineWidth(way) <= columns) ??
		ways.slice(-2).find(way => leastTitle + lineWidth(way) <= columns) ??
		'';
	return truncate(title, columns - lineWidth(beside)) + role(beside);
}

/** Returns the hints, then fewer and fewer of them: the last one stays, and of the others the last one is left out first. */
function fewerAndFewer(hints: readonly string[]): ReadonlyArray<readonly string[]> {
	return hints.map((_, leftOut) => [...hints.slice(0, -1).slice(0, hints.length - 1 - leftOut), ...hints.slice(-1)]);
}
