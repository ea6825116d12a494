import {expect, test} from 'vitest';
import {readKeys} from '../../../src/command/keymap/read-keys.ts';
import type {Json} from '../../../src/core/json.ts';
import {keyToken} from '../../../src/terminal/input/token.ts';
import {openAppLogs} from '../app-logs-harness.ts';
import {openReview, twoHunks} from '../changes/reviewer.ts';
import {framesOf} from '../log-frames.ts';
import {logOf} from '../log-parts.ts';
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
		...{'prompt.line-start': 'ctrl+s'},
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
	press('fne', ctrl('a'), ctrl('s'), 'o', key('enter'));
	expect(shown().at(-1)).toBe('“one” · 1 of 1 · Ctrl+N previous · Ctrl+P next');
	press('z', ctrl('t'), key('escape'), ctrl('c'));
	expect(copied).toEqual(['two', 'one', 'closed', 'closed', 'closed', 'closed']);
});

const viewerKeys = {
	...{'viewer.search': 'f', 'viewer.next-match': 'ctrl+n', 'viewer.previous-match': [], 'viewer.filter': 'i'},
	...{'viewer.raw': 'r', 'viewer.mark': 'v', 'viewer.copy': 'y', 'viewer.save': ['S'], 'viewer.attach': 'alt+a'},
	...{'viewer.wrap': 'z', 'viewer.help': 'f1', 'viewer.last': '$', 'viewer.close': 'x', 'viewer.next-log': '>'},
	...{'viewer.page-down': 'd', 'viewer.up': 'e', 'logs.viewer': 'ctrl+t', 'prompt.kill-line-back': 'ctrl+x'},
};

test('the log viewer names the keys of the user, also in its help and its notes, and they work', async () => {
	const {store, follow, lines, appLogs, press, window, copied, fullScreen} = openAppLogs(90, 34);
	const bottomIs = (text: string) => expect.poll(() => window().at(-1), {interval: 5}).toBe(text);
	const usual = 'F1 help · f search · i filter · $ latest · v mark · Alt+A attach · r raw · Esc close';
	store.getState().setOwnKeys(ownKeys(viewerKeys));
	follow(async () => ({kind: 'window', text: 'GET /one\nGET /two\n'}));
	await expect.poll(lines, {interval: 5}).toBe(2);
	appLogs.openViewer();
	await bottomIs(usual);
	press('q', '/', 'w', 'p', 'm', 'c', '\u0007', 'v');
	await bottomIs('Mark set. Move to the other end: y copy · S save · Alt+A attach.');
	press('e', 'y');
	expect(copied).toEqual(['GET /one\nGET /two']);
	press('z', '\u001b[C');
	await bottomIs('Lines are wrapped. Press z to cut them.');
	press('\u000e');
	await bottomIs('No search yet. Press f to search.');
	press('ftwo\u0015', '\u0018', 'one');
	await bottomIs('Search: one');
	press('\u0014');
	await bottomIs(usual);

	press('\u001bOP');
	await bottomIs('Esc close');
	const help = window().join('\n');
	expect(help).toMatch(/^ {2}e ↓ {2}j +a line up or down; this pauses until \$$/m);
	expect(help).toMatch(/^ {2}f Ctrl\+N +search with a regex/m);
	expect(help).toMatch(/^ {2}← → +scroll long lines sideways; z wraps them$/m);
	expect(help).toMatch(/^ {2}x Ctrl\+T {2}Esc +close the log viewer$/m);
	expect(help).not.toMatch(/[&/?]|Ctrl\+G/);
	press('x', '\u0014');
	expect(fullScreen.isOpen()).toBe(false);
});

test('the log panel names the keys of the user', () => {
	const own = ownKeys({'logs.viewer': 'f2', 'logs.panel': 'f3', 'logs.taller': 'ctrl+up', 'logs.shorter': 'alt+s'});
	const title = framesOf({log: logOf(['one']), ownKeys: own, columns: 100}).panel(6)[0];
	expect(title).toMatch(/· F2 open · F3 hide · Ctrl\+↑ Alt\+S resize/);
});

test('the review of changes names the keys of the user, which work instead of the default ones', () => {
	const own = ownKeys({
		...{'review.select': 's', 'review.confirm': 'ctrl+s', 'review.fold': 'o', 'review.close': 'z'},
		...{'review.up': 'alt+up', 'review.down': ['alt+down', 'n']},
	});
	const {draw, type, press, ended} = openReview([twoHunks], {own});
	const bottom = () => draw(80).at(-1);
	expect(bottom()).toBe('s select to undo · Alt+↑↓ move · o fold · Esc close');
	type('xq j');
	press(keyToken('enter'));
	press(keyToken('down'));
	expect([bottom(), ended, draw()[1]]).toEqual([
		's select to undo · Alt+↑↓ move · o fold · Esc close',
		[],
		'❯ [ ] ▾ a.txt +1 −1',
	]);
	press(ctrl('s'));
	expect(bottom()).toBe('Nothing selected. Press s on what to undo.');
	type('s');
	expect(bottom()).toBe('2 changes selected · Ctrl+S undo · s select · Esc close');
	press(ctrl('s'));
	expect(draw(80).slice(-4, -1)).toEqual(['? Undo 2 changes?', '  y  Yes', '❯ n  No']);
	type('s');
	expect(bottom()).toBe('Nothing was undone.');
	type('z');
	expect(ended).toEqual([undefined]);
	expect(openReview([twoHunks], {own, isReadOnly: true}).draw(80).at(-1)).toBe(
		'read-only during a run · Alt+↑↓ move · o fold · Esc close',
	);
});
