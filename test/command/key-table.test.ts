import {expect, test} from 'vitest';
import {keyTable} from '../../src/command/keymap/key-table.ts';
import type {Json} from '../../src/core/json.ts';
import {drawn} from '../commands/context.ts';

function tableWith(keys?: Json) {
	return keyTable({file: '/home/ada/.service/settings.json', value: () => keys as never});
}

test('each action is listed with its keys and its name, in 80 columns, too', () => {
	const text = drawn(tableWith(), 80);
	expect(text).toMatch(/Ctrl\+_, Alt\+Z +prompt\.undo +undo/);
	expect(text).toMatch(/Ctrl\+X Ctrl\+E +prompt\.editor +edit .+/);
	expect(text).toMatch(/Ctrl\+Alt\+_ … +prompt\.redo +redo/);
	expect(text).toMatch(/\nTranscript view\n.+transcript\.open/);
	expect(text).toContain('settings.json');
});

test("the user's own keys are marked, and conflicts are named", () => {
	const {rows, notes = []} = tableWith({'prompt.undo': 'ctrl+o', 'prompt.redo': []});
	expect(rows.find(row => row[1] === 'prompt.undo')).toEqual(['Ctrl+O', 'prompt.undo', 'undo', 'yours']);
	expect(rows.find(row => row[1] === 'prompt.redo')).toEqual(['–', 'prompt.redo', 'redo', 'yours']);
	expect(notes[0]).toBe('! app.transcript has no key now: Ctrl+O is bound to prompt.undo.');
});
