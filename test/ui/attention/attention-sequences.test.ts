import fc from 'fast-check';
import {expect, test} from 'vitest';
import {isLikeXterm, terminalKind} from '../../../src/terminal/terminal-kind.ts';
import {noticeSequence, progressSequence, titleSequence} from '../../../src/ui/attention/attention.ts';

const bell = '\u0007';
const osc9 = '\u001b]9;service: Done; all\u001b\\';
const osc99 = '\u001b]99;i=service:d=0;service\u001b\\\u001b]99;i=service:d=1:p=body;Done; all\u001b\\';
const osc777 = '\u001b]777;notify;service;Done, all\u001b\\';
const throughTmux = (sequence: string) => `\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}\u001b\\${bell}`;

/** Each terminal: its variables, then what it gets for a notification, and whether for progress, focus and title. */
test.each([
	{env: {TERM: 'xterm-256color'}, notice: bell, title: true},
	{env: {TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app'}, notice: osc9, focus: true, title: true},
	{
		env: {TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app', TERM_FEATURES: 'T3CwLrMSc7UUw9Ts3BFGsSyHNoSxFP'},
		...{notice: osc9, progress: true, focus: true, title: true},
	},
	{
		env: {TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app', TERM_FEATURES: 'T3PsLr'},
		...{notice: osc9, focus: true, title: true},
	},
	{env: {TERM: 'xterm-256color', LC_TERMINAL: 'iTerm2'}, notice: osc9, focus: true, title: true},
	{env: {TERM: 'xterm-ghostty'}, notice: osc9, progress: true, focus: true, title: true},
	{env: {TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm'}, notice: osc9, progress: true, focus: true, title: true},
	{env: {TERM: 'xterm-kitty'}, notice: osc99, focus: true, title: true},
	{env: {TERM: 'foot'}, notice: osc777, focus: true, title: true},
	{env: {TERM: 'rxvt-unicode-256color'}, notice: osc777 + bell, title: true},
	{env: {TERM: 'xterm-256color', VTE_VERSION: '7600'}, notice: osc777 + bell, focus: true, title: true},
	{
		env: {TERM: 'xterm-256color', VTE_VERSION: '8000', PTYXIS_VERSION: '48.1'},
		...{notice: osc777 + bell, progress: true, focus: true, title: true},
	},
	{
		env: {TERM: 'xterm-256color', VTE_VERSION: '8000'},
		...{notice: osc777 + bell, progress: true, focus: true, title: true},
	},
	{env: {TERM: 'xterm-256color', WT_SESSION: 'x'}, notice: osc777 + bell, progress: true, focus: true, title: true},
	{env: {TERM: 'xterm-256color', KONSOLE_VERSION: '221203'}, notice: osc777, focus: true, title: true},
	{env: {TERM: 'xterm-256color', KONSOLE_VERSION: '210800'}, notice: bell, focus: true, title: true},
	{env: {TERM: 'xterm-256color', ConEmuANSI: 'ON'}, notice: bell, progress: true, title: true},
	{
		env: {TERM: 'xterm-256color', TERM_PROGRAM: 'vscode', VTE_VERSION: '7600'},
		...{notice: osc99 + bell, progress: true, focus: true, title: true},
	},
	{env: {TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal'}, notice: bell, focus: true, title: true},
	{env: {TERM: 'alacritty'}, notice: bell, focus: true, title: true},
	{
		env: {TERM: 'tmux-256color', TERM_PROGRAM: 'tmux', TMUX: '/tmp/tmux,1,0', GHOSTTY_RESOURCES_DIR: '/x'},
		...{notice: throughTmux(osc9), title: true},
	},
	{env: {TERM: 'tmux-256color', TMUX: '/tmp/x', KITTY_WINDOW_ID: '1'}, notice: throughTmux(osc99), title: true},
	{env: {TERM: 'screen-256color', TMUX: '/tmp/x', VTE_VERSION: '7600'}, notice: throughTmux(osc777), title: true},
	{env: {TERM: 'tmux-256color', TMUX: '/tmp/x'}, notice: bell, title: true},
	{env: {TERM: 'screen', STY: '1.tty', KITTY_WINDOW_ID: '1'}, notice: bell, title: true},
	{env: {TERM: 'linux'}, notice: bell},
	{env: {TERM: 'vt100'}, notice: bell},
	{env: {TERM: 'eterm-color'}, notice: bell},
	{env: {TERM: 'unknown'}, notice: bell},
	{env: {}, notice: bell},
])('$env gets the bytes that it understands', ({env, notice, progress = false, focus = false, title = false}) => {
	const kind = terminalKind(env);
	expect({
		notice: noticeSequence('Done; all', env),
		progress: kind.progress ?? false,
		focus: kind.focus ?? false,
		title: isLikeXterm(env),
	}).toEqual({notice, progress, focus, title});
});

test('progress goes on, waits, and ends', () => {
	expect((['working', 'waiting', undefined] as const).map(progressSequence)).toEqual([
		'\u001b]9;4;3;0\u001b\\',
		'\u001b]9;4;4;100\u001b\\',
		'\u001b]9;4;0;0\u001b\\',
	]);
});

test('[3] no text ends its sequence or begins another one', () => {
	const envs = [{TERM: 'xterm-kitty'}, {TERM: 'foot'}, {TERM_PROGRAM: 'WezTerm'}, {TMUX: 'x', TERM_PROGRAM: 'WezTerm'}];
	const hostile = fc.string({
		unit: fc.constantFrom('\u001b', '\u0007', '\u009c', '\\', ']', ';', '\n', '\u202e', 'é', '👍'),
	});
	const skeleton = (text: string) => text.replace(/[^\u0000-\u001f\u007f-\u009f]+/g, '.');
	fc.assert(
		fc.property(hostile, text => {
			for (const env of envs) {
				expect(skeleton(noticeSequence(`a${text}`, env))).toBe(skeleton(noticeSequence('a', env)));
			}

			const title = titleSequence(text);
			expect(title.startsWith('\u001b]2;') && title.endsWith('\u001b\\')).toBe(true);
			expect(title.slice(4, -2)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
		}),
	);
});

test('long texts are cut between characters', () => {
	expect(titleSequence('👍'.repeat(1000))).toBe(`\u001b]2;${'👍'.repeat(79)}…\u001b\\`);
	expect(noticeSequence('x'.repeat(1_000_000), {TERM: 'foot'}).length).toBeLessThan(250);
});

const leftovers = {
	TERM_PROGRAM: ['ghostty', 'WezTerm', 'iTerm.app', 'tmux', 'other'],
	GHOSTTY_RESOURCES_DIR: ['/usr/share/ghostty'],
	KITTY_WINDOW_ID: ['1'],
	WEZTERM_PANE: ['0'],
	VTE_VERSION: ['7600', '8000'],
	KONSOLE_VERSION: ['230804'],
	ALACRITTY_WINDOW_ID: ['94'],
	WT_SESSION: ['x'],
	ConEmuANSI: ['ON'],
};

test('a type that only one terminal has counts, whatever variables another one left; only Ghostty gets its status', () => {
	const types = {
		'xterm-ghostty': 'Ghostty',
		'xterm-kitty': 'kitty',
		wezterm: 'WezTerm',
		foot: 'foot',
		'foot-extra': 'foot',
		'rxvt-unicode-256color': 'rxvt',
		alacritty: 'Alacritty',
	};
	const variables = fc.record(
		Object.fromEntries(Object.entries(leftovers).map(([name, values]) => [name, fc.constantFrom(...values)])),
		{requiredKeys: []},
	);
	fc.assert(
		fc.property(variables, fc.constantFrom(...Object.entries(types)), (left, [term, name]) => {
			const {TERM_PROGRAM: _, ...others} = left;
			expect(terminalKind({...left, TERM: term}).name).toBe(name);
			expect(terminalKind({...left, TERM: term}).status ?? false).toBe(name === 'Ghostty');
			// Without a type of its own, its variables name it.
			const named = others['GHOSTTY_RESOURCES_DIR'] !== undefined || left['TERM_PROGRAM'] === 'ghostty';
			expect(terminalKind({...left, TERM: 'xterm-256color'}).status ?? false).toBe(named);
			expect(terminalKind({...left, TERM: 'tmux-256color'}).status).toBeUndefined();
		}),
	);
});
