import type {Block} from '../../core/session/block.ts';
import {plainText} from '../../terminal/text/ansi.ts';

export type Kind = Block['kind'] | 'print';

/** Something on the screen that can be drawn again at another width. */
export type Item = {
	readonly kind: Kind;
	readonly draw: (width: number) => readonly string[];
	/** How it is drawn from the next time on, if what it says has changed. */
	readonly next?: (width: number) => readonly string[];
	/** The same lines in parts, if there are several. Their number is the same at every width. */
	readonly parts?: (width: number) => readonly (readonly string[])[];
};

/** Lines that replace the last `count` of those on the screen. */
export type Rewrapped = {readonly count: number; readonly lines: readonly string[]};

/** `whole` is true if nothing is left out. */
type Recent = {readonly lines: readonly string[]; readonly whole: boolean};

/** What is on the screen: the kind of the last item, and the latest items. */
export type Written = {
	/** The kind of the last item; undefined on an empty screen. */
	last: Kind | undefined;
	/** Returns the lines of the next item below the blank line that separates it from the last one. */
	readonly spaced: (kind: Kind, lines: readonly string[]) => readonly string[];
	readonly remember: (item: Item) => void;
	/** Draws these items below the last one, as at most `maxLines` lines of that width, the last ones. Remembers them. */
	readonly append: (added: readonly Item[], maxLines: number, width: number) => Recent;
	/** Draws the last items again, as at most `maxLines` lines of that width. */
	readonly recent: (maxLines: number, width: number) => Recent;
	/** Draws the last of these lines at another width, in whole parts, up to the first that isn't as drawn at `oldWidth`. */
	readonly rewrap: (lines: readonly string[], oldWidth: number, width: number) => Rewrapped;
	/** Draws an item otherwise from the next time on. */
	readonly renew: (draw: Item['draw'], next: Item['draw']) => void;
	/** Forgets the items, but not the kind of the last one. */
	readonly forgetItems: () => void;
};

const maxItems = 300;

export function createWritten(): Written {
	let items: Item[] = [];
	const remember = (added: readonly Item[]) => {
		items.push(...added.slice(-maxItems));
		if (items.length > maxItems * 2) {
			items = items.slice(-maxItems);
		}
	};
	const written: Written = {
		last: undefined,
		spaced(kind, lines) {
			const {last} = written;
			written.last = lines.length === 0 ? last : kind;
			return spacedAfter(last, kind, lines);
		},
		remember: item => remember([item]),
		append(added, maxLines, width) {
			const {last} = written;
			remember(added);
			written.last = added.at(-1)?.kind ?? last;
			return recentOf(added, maxLines, width, last);
		},
		recent(maxLines, width) {
			written.last = items.at(-1)?.kind;
			items = items.map(renewed);
			return recentOf(items, maxLines, width, undefined);
		},
		rewrap: (lines, oldWidth, width) => rewrapItems(items, lines, oldWidth, width),
		renew(draw, next) {
			items = items.map(item => (item.draw === draw || item.next === draw ? {...item, next} : item));
		},
		forgetItems() {
			items = [];
		},
	};
	return written;
}

/** Returns lines below a blank one, except on an empty screen. Tool calls and thoughts stay together, and so do
 * a message and what is attached to it. */
export function spacedAfter(last: Kind | undefined, kind: Kind, lines: readonly string[]): readonly string[] {
	const isAttached = kind === 'attachment' && (last === 'user' || last === 'attachment');
	const isJoined = isAttached || (isStep(kind) && isStep(last));
	return lines.length === 0 || last === undefined || isJoined ? lines : ['', ...lines];
}

function isStep(kind: Kind | undefined): boolean {
	return kind === 'tool' || kind === 'reasoning';
}

function recentOf(items: readonly Item[], maxLines: number, width: number, above: Kind | undefined): Recent {
	const parts: Array<readonly string[]> = [];
	let count = 0;
	let index = items.length;
	while (index > 0 && count < maxLines) {
		index--;
		const item = items[index];
		const last = index > 0 ? items[index - 1]?.kind : above;
		const lines = item ? spacedAfter(last, item.kind, item.draw(width)) : [];
		parts.unshift(lines);
		count += lines.length;
	}

	const lines = parts.flat();
	return {lines: lines.slice(-maxLines), whole: index === 0 && lines.length <= maxLines};
}

function renewed(item: Item): Item {
	return item.next ? {kind: item.kind, draw: item.next} : item;
}

/** Draws items again, and renews those that it draws. */
function rewrapItems(items: Item[], lines: readonly string[], oldWidth: number, width: number): Rewrapped {
	const drawn: Array<readonly string[]> = [];
	let count = 0;
	for (let index = items.length - 1; index >= 0; index--) {
		const oldParts = partsOf(items, index, oldWidth);
		const parts = partsOf(items.map(renewed), index, width);
		for (let part = oldParts.length - 1; part >= 0; part--) {
			const old = oldParts[part] ?? [];
			const next = parts[part] ?? [];
			// At the same width, the last lines of a part are drawn again even if its first ones can't be.
			const left = lines.length - count;
			const shown = width === oldWidth ? Math.min(old.length, left) : old.length;
			if ((width === oldWidth && left === 0) || !standsAt(lines, left - shown, old.slice(old.length - shown))) {
				return {count, lines: drawn.flat()};
			}

			drawn.unshift(width === oldWidth ? next.slice(shown < old.length ? Math.max(0, next.length - shown) : 0) : next);
			count += shown;
		}

		items.splice(index, 1, ...items.slice(index, index + 1).map(renewed));
	}

	return {count, lines: drawn.flat()};
}

/** Returns the parts of an item, the first one below the blank line that separates it from the item before. */
function partsOf(items: readonly Item[], index: number, width: number): readonly (readonly string[])[] {
	const item = items[index];
	const parts = item?.parts?.(width) ?? [item?.draw(width) ?? []];
	const first = parts.findIndex(part => part.length > 0);
	const last = items[index - 1]?.kind;
	return parts.map((part, at) => (item && at === first ? spacedAfter(last, item.kind, part) : part));
}

/** Returns true if the lines from `from` on are those of the part, in whatever colours. */
function standsAt(lines: readonly string[], from: number, part: readonly string[]): boolean {
	return from >= 0 && part.every((line, index) => plainText(line) === plainText(lines[from + index] ?? ''));
}
