const labels: Readonly<Record<string, string>> = {
	escape: 'Esc',
	up: '↑',
	down: '↓',
	left: '←',
	right: '→',
	'page-up': 'Page Up',
	'page-down': 'Page Down',
};

/** Returns a chord or a sequence as the user reads it: `Ctrl+X Ctrl+E`. A character alone stays as it is. */
export function keyLabel(key: string): string {
	if (key.length === 1) {
		return key;
	}

	return key
		.split(' ')
		.map(chord => {
			const [, modifiers = '', name = ''] = /^((?:(?:ctrl|alt|shift)\+)*)(.+)$/.exec(chord) ?? [];
			return modifiers.replaceAll(/\b[a-z]/g, upper) + (labels[name] ?? name.replace(/^[a-z]/, upper));
		})
		.join(' ');
}

/** Returns the same with PgUp and PgDn, as hints need little room. */
export function shortLabel(key: string): string {
	return keyLabel(key).replace('Page Up', 'PgUp').replace('Page Down', 'PgDn');
}

/** Actions with their keys. */
type Keys<A extends string> = {readonly keys: Readonly<Record<A, readonly string[]>>};

/**
 * Returns the first key of an action as a hint names it, '' if it has none. The keys of several actions stand side by side:
 * `Alt+↑↓`, `[ ]`.
 */
export function hintKey<A extends string>({keys}: Keys<A>, ...actions: readonly A[]): string {
	const [first = '', ...others] = actions.flatMap(action => (keys[action][0] ? [shortLabel(keys[action][0])] : []));
	const modifiers = /^.*(?=[↑↓←→]$)/.exec(first)?.[0];
	const arrows = others.map(label => label.slice(modifiers?.length));
	const areAlike =
		modifiers !== undefined && arrows.every((arrow, i) => /^[↑↓←→]$/.test(arrow) && others[i] === modifiers + arrow);
	return areAlike ? first + arrows.join('') : [first, ...others].join(' ');
}

/** Returns what keys do, `Enter open`, without the actions that have no key. */
export function hintsOf<A extends string>(
	keymap: Keys<A>,
	hints: ReadonlyArray<readonly [does: string, ...actions: readonly A[]]>,
): readonly string[] {
	return hints.flatMap(([does, ...actions]) => {
		const key = hintKey(keymap, ...actions);
		return key ? [`${key} ${does}`] : [];
	});
}

function upper(letter: string): string {
	return letter.toUpperCase();
}
