/** Most alternatives of one pattern; further ones are ignored. */
const maxAlternatives = 64;

/**
 * Returns a test for paths with `/`: `*` and `?` match within a name, `**` across folders, `{a,b}` either. A pattern
 * without `/` matches the name in any folder. Matching takes at most the product of both lengths, for any pattern.
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

/** Matches wildcards with one backtracking point: only the last wildcard may have to match more. */
function matches<Item>(
	pattern: readonly Item[],
	items: readonly Item[],
	isWild: (item: Item) => boolean,
	isMatch: (pattern: Item, item: Item) => boolean,
): boolean {
	let at = 0;
	let wild = -1;
	let taken = 0;
	for (let index = 0; index < items.length; ) {
		const [expected, item] = [pattern[at], items[index]];
		if (expected !== undefined && isWild(expected)) {
			wild = at++;
			taken = index;
		} else if (expected !== undefined && item !== undefined && isMatch(expected, item)) {
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
	for (let text = waiting.pop(); text !== undefined && found.length < maxAlternatives; text = waiting.pop()) {
		const brace = /^(.*)\{([^{}]*)\}(.*)$/s.exec(text);
		if (brace) {
			const [, before = '', inside = '', after = ''] = brace;
			waiting.push(...inside.split(',', maxAlternatives).map(choice => before + choice + after));
		} else {
			found.push(text);
		}
	}

	return found;
}
