const labels: Readonly<Record<string, string>> = {
	escape: 'Esc',
	up: '↑',
	down: '↓',
	left: '←',
	right: '→',
	'page-up': 'Page Up',
	'page-down': 'Page Down',
};

/** Returns a chord or a sequence as the user reads it: `Ctrl+X Ctrl+E`. */
export function keyLabel(key: string): string {
	return key
		.split(' ')
		.map(chord => {
			const [, modifiers = '', name = ''] = /^((?:(?:ctrl|alt|shift)\+)*)(.+)$/.exec(chord) ?? [];
			return modifiers.replaceAll(/\b[a-z]/g, upper) + (labels[name] ?? name.replace(/^[a-z]/, upper));
		})
		.join(' ');
}

function upper(letter: string): string {
	return letter.toUpperCase();
}
