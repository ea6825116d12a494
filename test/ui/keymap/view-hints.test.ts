import {expect, test} from 'vitest';
import {readKeys} from '../../../src/command/keymap/read-keys.ts';
import type {Json} from '../../../src/core/json.ts';
import {ctrl, key, openReader} from '../transcript/reader.ts';

/** The keys of a user, none of which is refused. */
function ownKeys(value: Json) {
	const {own, faults} = readKeys(value);
	expect(faults).toEqual([]);
	return own;
}

test('the transcript view names the keys of the user, which work instead of the default ones', () => {
	const own = ownKeys({
		...{'transcript.open': 'o', 'transcript.copy': ['y', 'Y'], 'transcript.log': []},
		...{'transcript.previous-message': 'p', 'transcript.next-message': 'alt+n', 'transcript.search': 'f'},
		...{'transcript.next-match': 'ctrl+n', 'transcript.previous-match': 'ctrl+p', 'transcript.last': '$'},
		...{'transcript.up': 'i', 'transcript.first': '0', 'transcript.close': 'z', 'app.transcript': 'ctrl+t'},
	});
	const {shown, press, copied} = openReader(
		{own},
		{type: 'user-message', id: 'u1', text: 'one'},
		{type: 'user-message', id: 'u2', text: 'two'},
	);
	expect(shown().at(-1)).toBe('o open · p Alt+N your messages · f search · y copy · Esc close');
	press('c', 'q', key('enter'), ctrl('o'), key('up'), '/', '[');
	expect([copied, shown()[0]]).toEqual([[], 'Transcript · 2 of 2']);
	press('y', 'i', 'Y');
	expect([copied, shown()[0]]).toEqual([['two', 'one'], 'Transcript · 1 of 2 · $: jump to latest']);
	press('$', 'p');
	expect(shown().at(-1)).toBe('Message 1 of 2');
	press('o');
	expect(shown().at(-1)).toBe('Nothing more to show.');
	press(ctrl('n'));
	expect(shown().at(-1)).toBe('No search yet. Press f to search.');
	press('fone', key('enter'));
	expect(shown().at(-1)).toBe('“one” · 1 of 1 · Ctrl+N previous · Ctrl+P next');
	press('z', ctrl('t'), key('escape'), ctrl('c'));
	expect(copied).toEqual(['two', 'one', 'closed', 'closed', 'closed', 'closed']);
});
