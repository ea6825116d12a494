import type {Block} from '../../core/session/block.ts';

type Kind = Block['kind'] | 'print';

/** Something that was written and can be drawn again at another width. */
export type Item = {
	readonly kind: Kind;
	readonly draw: (width: number) => readonly string[];
	/** The same lines in parts, as many at any width, where there are several. */
	readonly parts?: (width: number) => readonly (readonly string[])[];
};

/** Lines in place of the last `count` of those that were written. */
export type Rewrapped = {readonly count: number; readonly lines: readonly string[]};

/** `whole` where the lines are all that is remembered. */
export type Recent = {readonly lines: readonly string[]; readonly whole: boolean};

/** What stands on the screen: how it is parted, and its end, which can be drawn again. */
export type Written = {
	/** What was written last, undefined for nothing. */
	last: Kind | undefined;
	/** The lines of an item with the blank line that parts it from the one before. */
	readonly spaced: (kind: Kind, lines: readonly string[]) => readonly string[];
	readonly remember: (item: Item) => void;
	/** How many items are remembered. */
	readonly count: () => number;
	/** The last `most` lines of what is remembered, drawn again at that width below `above`. */
	readonly recent: (most: number, width: number, above?: Kind) => Recent;
	/** The last of these lines at another width, in whole parts, as far back as they are what was drawn at that before. */
	readonly rewrap: (lines: readonly string[], before: number, width: number) => Rewrapped;
	/** Forgets the items, but not what was written last. */
	readonly forgetItems: () => void;
};

/** Most items that are kept for a repaint. */
const mostItems = 300;

export function createWritten(): Written {
	let items: Item[] = [];

	/** The parts of an item; the first begins with the blank line that parts it from the item before. */
	const partsOf = (index: number, width: number): readonly (readonly string[])[] => {
		const item = items[index];
		const parts = item?.parts?.(width) ?? [item?.draw(width) ?? []];
		const first = parts.findIndex(part => part.length > 0);
		written.last = items[index - 1]?.kind;
		return parts.map((part, at) => (item && at === first ? written.spaced(item.kind, part) : part));
	};

	const written: Written = {
		last: undefined,
		spaced(kind, lines) {
			const {last} = written;
			const joined = (kind === 'tool' || kind === 'reasoning') && (last === 'tool' || last === 'reasoning');
			written.last = lines.length === 0 ? last : kind;
			return lines.length === 0 || last === undefined || joined ? lines : ['', ...lines];
		},
		remember(item) {
			items.push(item);
			if (items.length > mostItems * 2) {
				items = items.slice(-mostItems);
			}
		},
		count: () => items.length,
		recent(most, width, above) {
			const parts: Array<readonly string[]> = [];
			let count = 0;
			let index = items.length;
			while (index > 0 && count < most) {
				index--;
				const item = items[index];
				written.last = index > 0 ? items[index - 1]?.kind : above;
				const lines = item ? written.spaced(item.kind, item.draw(width)) : [];
				parts.unshift(lines);
				count += lines.length;
			}

			written.last = items.at(-1)?.kind;
			const lines = parts.flat();
			return {lines: lines.slice(-most), whole: index === 0 && lines.length <= most};
		},
		rewrap(lines, before, width) {
			const {last} = written;
			const drawn: Array<readonly string[]> = [];
			let count = 0;
			const isNext = (part: readonly string[]) => {
				const from = lines.length - count - part.length;
				return from >= 0 && part.every((line, index) => line === lines[from + index]);
			};

			let isWhole = true;
			for (let index = items.length - 1; isWhole && index >= 0; index--) {
				const old = partsOf(index, before);
				const parts = partsOf(index, width);
				for (let part = old.length - 1; isWhole && part >= 0; part--) {
					isWhole = isNext(old[part] ?? []);
					if (isWhole) {
						drawn.unshift(parts[part] ?? []);
						count += old[part]?.length ?? 0;
					}
				}
			}

			written.last = last;
			return {count, lines: drawn.flat()};
		},
		forgetItems() {
			items = [];
		},
	};
	return written;
}
