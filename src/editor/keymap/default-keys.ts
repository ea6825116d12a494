/**
 * Every action that a key can be bound to, in the order in which they are shown, with its keys. A key is a chord, as
 * `chordOf` names it, or a sequence of two. This is the one source for the prompt, the help and the user's own keys.
 */
export const defaultKeys = {
	'prompt.send': ['enter'],
	'prompt.newline': ['alt+enter', 'ctrl+j', 'shift+enter', 'ctrl+enter'],
	'prompt.undo': ['ctrl+_', 'alt+z'],
	'prompt.redo': ['ctrl+alt+_', 'alt+shift+z', 'ctrl+shift+z'],
	'prompt.search-history': ['ctrl+r'],
	'prompt.paste-image': ['ctrl+v'],
	'prompt.up': ['up', 'ctrl+p'],
	'prompt.down': ['down', 'ctrl+n'],
	'prompt.left': ['left', 'ctrl+b'],
	'prompt.right': ['right', 'ctrl+f'],
	'prompt.word-left': ['ctrl+left', 'alt+left', 'alt+b'],
	'prompt.word-right': ['ctrl+right', 'alt+right', 'alt+f'],
	'prompt.line-start': ['home', 'ctrl+a'],
	'prompt.line-end': ['end', 'ctrl+e'],
	'prompt.start': ['ctrl+home'],
	'prompt.end': ['ctrl+end'],
	'prompt.delete-back': ['backspace', 'ctrl+h'],
	'prompt.delete': ['delete'],
	'prompt.delete-or-quit': ['ctrl+d'],
	'prompt.kill-word-back': ['ctrl+w'],
	'prompt.kill-part-back': ['alt+backspace', 'ctrl+backspace'],
	'prompt.kill-word': ['alt+d', 'alt+delete', 'ctrl+delete'],
	'prompt.kill-line': ['ctrl+k'],
	'prompt.kill-line-back': ['ctrl+u'],
	'prompt.yank': ['ctrl+y'],
	'prompt.yank-earlier': ['alt+y'],
	'prompt.transpose': ['ctrl+t'],
	'app.transcript': ['ctrl+o'],
	'app.approval-mode': ['shift+tab'],
	'app.redraw': ['ctrl+l'],
	'app.suspend': ['ctrl+z'],
	'logs.viewer': ['ctrl+g'],
	'logs.panel': ['alt+l'],
	'logs.taller': ['alt+up'],
	'logs.shorter': ['alt+down'],
	'logs.next': ['tab'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Action = keyof typeof defaultKeys;
