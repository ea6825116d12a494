import {isJsonObject, type Json, parseJson} from '../src/core/json.ts';
import {mask} from '../src/core/secrets/secret.ts';

type Hide = (text: string) => string;
type Chunk = readonly [atMs: number, text: string];

/**
 * Returns chunks of a stream with credentials hidden, also one that is split over chunks, or over the events of a stream
 * that each bring a few characters of it.
 */
export function hideInChunks(chunks: readonly Chunk[], hide: Hide): readonly Chunk[] {
	const lines = chunks
		.map(([, text]) => text)
		.join('')
		.split('\n');
	const shown = hideInTexts(lines, hide).map(hide);
	return cutAgain(chunks, lines, shown);
}

/** A text in a line's JSON. */
type Leaf = {readonly line: number; text: string};

/** Masks what only appears when the texts at one place of all lines are joined. */
function hideInTexts(lines: readonly string[], hide: Hide): readonly string[] {
	const places = new Map<string, Leaf[]>();
	const trees = lines.map((line, index) => {
		const value = parseJson(line.replace(/^data:/, ''));
		return value === undefined ? undefined : gather(value, index, '', places);
	});
	const changed = new Set<number>();
	for (const leaves of places.values()) {
		const range = hiddenRange(leaves.map(({text}) => text).join(''), hide);
		for (const leaf of range ? maskRange(leaves, ...range) : []) {
			changed.add(leaf.line);
		}
	}

	return lines.map((line, index) => {
		const tree = changed.has(index) ? trees[index] : undefined;
		return tree ? `${line.startsWith('data:') ? 'data: ' : ''}${JSON.stringify(tree())}` : line;
	});
}

/** Adds the texts of a value to their places. Returns a function that rebuilds the value from them. */
function gather(value: Json, line: number, at: string, places: Map<string, Leaf[]>): () => Json {
	if (typeof value === 'string') {
		const leaf: Leaf = {line, text: value};
		const others = places.get(at);
		if (others) {
			others.push(leaf);
		} else {
			places.set(at, [leaf]);
		}

		return () => leaf.text;
	}

	if (Array.isArray(value)) {
		const items = value.map((item, index) => gather(item, line, `${at}/${index}`, places));
		return () => items.map(item => item());
	}

	if (isJsonObject(value)) {
		const fields = Object.entries(value).map(
			([name, inner]) => [name, gather(inner, line, `${at}/${name}`, places)] as const,
		);
		return () => Object.fromEntries(fields.map(([name, field]) => [name, field()]));
	}

	return () => value;
}

/** Returns the part of a text that `hide` changes, with all that lies between two credentials. */
function hiddenRange(text: string, hide: Hide): readonly [from: number, to: number] | undefined {
	const shown = hide(text);
	const pieces = shown.split(mask);
	return shown === text ? undefined : [pieces[0]?.length ?? 0, text.length - (pieces.at(-1)?.length ?? 0)];
}

/** Replaces the characters of a range, counted over all leaves. Returns the leaves that it touched. */
function maskRange(leaves: readonly Leaf[], from: number, to: number): readonly Leaf[] {
	let offset = 0;
	return leaves.filter(leaf => {
		const start = Math.max(0, from - offset);
		const end = Math.min(leaf.text.length, to - offset);
		offset += leaf.text.length;
		if (start >= end) {
			return false;
		}

		leaf.text = leaf.text.slice(0, start) + '*'.repeat(end - start) + leaf.text.slice(end);
		return true;
	});
}

/** Cuts the shown lines where the chunks were cut; a cut in a line that got shorter moves to its end. */
function cutAgain(chunks: readonly Chunk[], lines: readonly string[], shown: readonly string[]): readonly Chunk[] {
	const text = shown.join('\n');
	let line = 0;
	let lineStart = 0;
	let shownStart = 0;
	let offset = 0;
	let before = 0;
	return chunks.map(([atMs, chunk], index) => {
		offset += chunk.length;
		while (line < lines.length - 1 && offset > lineStart + (lines[line] ?? '').length) {
			lineStart += (lines[line] ?? '').length + 1;
			shownStart += (shown[line] ?? '').length + 1;
			line += 1;
		}

		const isLast = index === chunks.length - 1;
		const end = isLast ? text.length : shownStart + Math.min(offset - lineStart, (shown[line] ?? '').length);
		const part = text.slice(before, end);
		before = end;
		return [atMs, part] as const;
	});
}
