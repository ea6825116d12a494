import {lineKeys} from '../src/command/help-groups.ts';
import {allKeys} from '../src/editor/keymap/contexts.ts';
import {keyLabel, shortLabel} from '../src/editor/keymap/key-label.ts';

const lineLabels = new Set(lineKeys.map(([key]) => key));

/** Labels that name a key wherever they stand: a chord, an arrow, and none that is an ordinary word, such as Delete. */
const isUnmistakable = (label: string) =>
	/\+.|^(?:Tab|PgUp|PgDn|Page Up|Page Down|[↑↓])$/.test(label) && !/[→←]/.test(label);

const labels = new Set(
	Object.values(allKeys)
		.flat()
		.flatMap(key => [keyLabel(key), shortLabel(key)])
		.flatMap(label => [label, ...label.split(' ')])
		.filter(label => isUnmistakable(label) && !lineLabels.has(label)),
);

const escaped = ['Esc', ...labels].map(label => label.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
const pattern = new RegExp(String.raw`(?<![\w+])(?:${escaped.join('|')})(?![\w+])`, 'g');

/** Returns the keys in a text that only the app with a screen has. */
export function screenKeysIn(text: string): readonly string[] {
	return text.match(pattern) ?? [];
}
