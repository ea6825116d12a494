import {expect, test} from 'vitest';
import {commands} from '../../commands/index.ts';
import {helpOfAll} from '../../src/command/help.ts';
import {setComposerText} from '../../src/editor/editor.ts';
import {setHistory} from '../../src/editor/editor-history.ts';
import {createAppStore} from '../../src/store/store.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {suggestionLines, suggestionsFor} from '../../src/ui/suggestions.ts';

const palette = createPalette({color: false});

/** Returns what a slash alone offers to a user with these earlier prompts. */
function offered(...history: readonly string[]) {
	const {composer, ...known} = createAppStore().getState();
	return suggestionsFor(commands, setComposerText(setHistory(composer, history), '/'), 0, known);
}

test('a slash alone offers the commands in the order of the help', () => {
	const help = helpOfAll(commands, true);
	const rows = help.kind === 'table' ? help.rows.map(([name]) => String(name).split(' ')[0]) : [];
	const named = [...new Set(rows)].filter(name => offered().some(({label}) => label === name));
	expect(offered().map(({label}) => label)).toEqual(named);
});

test('the commands that were sent last come first, each once', () => {
	const labels = offered('/diff', 'hello', '/usage', ' /model', '/keys list', '/usage', '/nothing').map(
		({label}) => label,
	);
	expect(labels.slice(0, 4)).toEqual(['/usage', '/keys', '/diff', offered()[0]?.label]);
	expect(labels).toHaveLength(offered().length);
});

test('a list says how many of its entries are out of sight', () => {
	const all = offered();
	const lines = (chosen: number, height: number) => suggestionLines(all, chosen, height, 80, palette);
	expect(lines(0, 8).at(-1)).toBe(`  ↓ ${all.length - 7} more`);
	expect(lines(10, 8)).toHaveLength(8);
	expect(lines(10, 8).at(-1)).toMatch(/^ {2}↑ \d+ · ↓ \d+ more$/);
	expect(lines(all.length - 1, 8).at(-1)).toBe(`  ↑ ${all.length - 7} more`);
	expect(lines(all.length - 1, 8).at(-2)).toMatch(/^❯/);
	expect(lines(0, all.length)).toHaveLength(all.length);
	expect(lines(0, 1)).toHaveLength(1);
});
