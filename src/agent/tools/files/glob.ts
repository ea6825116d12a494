/** More alternatives than this in one pattern are not told apart. */
const mostAlternatives = 64;

/**
 * Returns a test for paths with `/`: `*` and `?` within a name, `**` over folders, `{a,b}`. A pattern without `/` is
 * meant for the name alone, wherever the file is. Matching takes at most the product of both lengths, whatever the
 * pattern.
 */
export function compileGlob(pattern: string): (path: string) => boolean {
	const clean = pattern.replace(/^\.?\//, '');
	const alternatives = expandBraces(clean).map(alternative => alternative.split('/'));
	const anywhere = !clean.includes('/');
	return path => {
		const names = path.split('/');
		const tested = anywhere ? names.slice(-1) : names;
		return alternatives.some(segments => matches(segments, tested, s => s === '**', matchesName));
	};
}

function matchesName(pattern: string, name: string): boolean {
	return matches(
		[...pattern],
		[...name],
		c => c === '*',
		(p, c) => p === '?' || p === c,
	);
}

/** Wildcard matching with one point of return: only the last wildcard ever has to take more. */
function matches<Item>(
	pattern: readonly Item[],
	items: readonly Item[],
	isWild: (item: Item) => boolean,
	fits: (pattern: Item, item: Item) => boolean,
): boolean {
	let at = 0;
	let wild = -1;
	let taken = 0;
	for (let index = 0; index < items.length; ) {
		const [expected, item] = [pattern[at], items[index]];
		if (expected !== undefined && isWild(expected)) {
			wild = at++;
			taken = index;
		} else if (expected !== undefined && item !== undefined && fits(expected, item)) {
			at++;
			index++;
		} else if (wild >= 0) {
			at = wild + 1;
			index = ++taken;
		} else {
			return false;
		}
	}

	return pattern.slice(at).every(isWild);
}

function expandBraces(pattern: string): readonly string[] {
	const found: string[] = [];
	const waiting = [pattern];
	for (let text = waiting.pop(); text !== undefined && found.length < mostAlternatives; text = waiting.pop()) {
		const brace = /^(.*)\{([^{}]*)\}(.*)$/s.exec(text);
		if (brace) {
			const [, before = '', inside = '', after = ''] = brace;
			waiting.push(...inside.split(',', mostAlternatives).map(choice => before + choice + after));
		} else {
			found.push(text);
		}
	}

	return found;
}
