import {completionKeys, defaultKeys} from '../../editor/keymap/default-keys.ts';
import {keyLabel} from '../../editor/keymap/key-label.ts';
import {keymapOf, type OwnKeys} from '../../editor/keymap/keymap.ts';
import {padEnd, textWidth, truncate} from '../../terminal/text/width.ts';

const shownKeys = {...completionKeys, ...defaultKeys};

/** The keys that are worth a look, each in a word or two. `/keys-help` has all. */
const words: {readonly [action in keyof typeof shownKeys]?: string} = {
	'completion.complete': 'complete',
	'prompt.newline': 'new line',
	'prompt.undo': 'undo',
	'prompt.redo': 'redo',
	'prompt.editor': 'edit in $EDITOR',
	'prompt.stash': 'stash the draft',
	'prompt.search-history': 'earlier prompts',
	'prompt.paste-image': 'paste an image',
	'prompt.kill-word-back': 'cut a word',
	'prompt.kill-line-back': 'cut to the start',
	'prompt.yank': 'insert what was cut',
	'app.transcript': 'full transcript',
	'app.approval-mode': 'approval mode',
	'app.redraw': 'redraw',
	'app.suspend': 'suspend',
	'logs.viewer': 'log viewer',
	'logs.panel': 'collapse the logs',
};

const fixed: ReadonlyArray<readonly [string, string]> = [
	['/', 'commands'],
	['@', 'attach a file'],
	['!', 'run in your shell'],
	['Esc', 'interrupt'],
	['Esc Esc', 'edit your last message'],
	['Ctrl+C', 'clear, interrupt, quit'],
];

/** Fewest cells for two columns. */
const minWide = 72;

/** Returns the keys that are worth a look, as lines of at most `columns` cells; in a wide window, two beside each other. */
export function keyLines(own: OwnKeys, columns: number): readonly string[] {
	const {keys} = keymapOf(shownKeys, own);
	const shown = (Object.entries(words) as (readonly [keyof typeof words, string])[]).flatMap(([action, word]) => {
		const [key] = keys[action];
		return key === undefined ? [] : [[keyLabel(key), word] as const];
	});
	const rows = [...fixed, ...shown];
	const width = Math.max(...rows.map(([key]) => textWidth(key)));
	const cells = rows.map(([key, summary]) => `  ${padEnd(key, width)}  ${summary}`);
	const more = truncate('  /keys-help lists all keys, and how to bind your own.', columns);
	if (columns < minWide) {
		return [...cells.map(cell => truncate(cell, columns)), more];
	}

	const half = Math.ceil(cells.length / 2);
	const room = Math.floor(columns / 2) - 1;
	const lines = cells.slice(0, half).map((cell, index) => {
		const beside = cells[half + index] ?? '';
		return `${padEnd(truncate(cell, room), room)} ${truncate(beside, room)}`.trimEnd();
	});
	return [...lines, more];
}
