import {expect, test} from 'vitest';
import {briefKeys, fixedKeys, keyRows} from '../../../src/command/keymap/key-list.ts';
import {keyTable} from '../../../src/command/keymap/key-table.ts';
import {pressedLabel} from '../../../src/command/keymap/pressed-label.ts';
import {readKeys} from '../../../src/command/keymap/read-keys.ts';
import {pageOf} from '../../../src/command/topics/pages.ts';
import type {Environment} from '../../../src/core/environment.ts';
import type {Json} from '../../../src/core/json.ts';
import {drawn} from '../../commands/context.ts';

function tableWith(keys?: Json, env: Environment = {}) {
	return keyTable({value: () => keys as never}, env);
}

test('the prefix of tmux is listed as it reaches the program there', () => {
	expect(drawn(tableWith(), 120)).toMatch(/^ *Ctrl\+B {2,}send the command/m);
	expect(drawn(tableWith(undefined, {TMUX: '/tmp/tmux-0/default'}), 120)).toMatch(
		/^ *Ctrl\+B Ctrl\+B {2,}send the command/m,
	);
	expect(pressedLabel('Ctrl+X Ctrl+B', {TMUX: 'x'})).toBe('Ctrl+X Ctrl+B Ctrl+B');
	expect(pressedLabel('Ctrl+Backspace', {TMUX: 'x'})).toBe('Ctrl+Backspace');
});

test('each action is listed with its keys, what they do and its name', () => {
	const text = drawn(tableWith(), 120);
	expect(text).toMatch(/Ctrl\+_, Alt\+Z +undo +prompt\.undo/);
	expect(text).toMatch(/Ctrl\+X Ctrl\+E +edit the prompt in \$VISUAL or \$EDITOR, else in vi +prompt\.editor/);
	expect(text).toMatch(/Ctrl\+Alt\+_ … +redo +prompt\.redo/);
	expect(text).toMatch(/\nTranscript view\n.+transcript\.open/);
});

test('what keys do is never cut in 80 columns, where `help keys` has the names of actions', () => {
	const text = drawn(tableWith(), 80);
	expect(text).toContain('interrupt; twice: clear, or edit the previous message');
	expect(text).not.toContain('…\n');
	expect(drawn(tableWith(), 60)).toMatch(/Ctrl\+_, Alt\+Z +undo/);
	expect(text).toContain('Set your own: /config set keys.<action> <key>\nNames of actions: /help keys');
});

test("the user's own keys are marked, and conflicts are named", () => {
	const {rows, notes = []} = tableWith({'prompt.undo': 'ctrl+o', 'prompt.redo': []});
	expect(rows.find(row => row[2] === 'prompt.undo')).toEqual(['Ctrl+O', 'undo', 'prompt.undo', 'yours']);
	expect(rows.find(row => row[2] === 'prompt.redo')).toEqual(['–', 'redo', 'prompt.redo', 'yours']);
	expect(notes[0]).toBe('! app.transcript has no key now: Ctrl+O is bound to prompt.undo.');
});

test('where a sequence loses to its first chord, the conflict names that chord', () => {
	const {notes = []} = tableWith({'prompt.send': 'ctrl+x'});
	expect(notes[0]).toBe('! prompt.editor has no key now: Ctrl+X is bound to prompt.send.');
});

test('“?”, keys-help and `help keys` have the same keys, those of the user included', () => {
	const keys = {'prompt.undo': 'ctrl+x u', 'app.transcript': ['f2', 'f3'], 'prompt.yank': []};
	const {own} = readKeys(keys);
	const {rows} = tableWith(keys);
	const page = pageOf('keys', own);
	for (const {key, summary} of fixedKeys) {
		expect(rows).toContainEqual([key, summary, '', 'fixed']);
		expect(page).toContain(` | ${summary} |`);
	}

	for (const {action, summary, isOwn} of keyRows(own)) {
		expect(rows).toContainEqual([expect.any(String), summary, action, isOwn ? 'yours' : 'default']);
		expect(page).toContain(` | ${summary} | \`${action}\` |`);
	}

	const brief = briefKeys(own).map(([key]) => key);
	expect(brief).toEqual(expect.arrayContaining(['Ctrl+X U', 'F2', 'Esc', '@']));
	expect(brief).not.toContain('Ctrl+Y');
	expect(brief.slice(6).filter(key => !page.includes(`| ${key}`))).toEqual([]);
});
