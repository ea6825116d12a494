/** Actions with their keys. */
export type KeyTable = Readonly<Record<string, readonly string[]>>;

/**
 * Every action of the prompt that a key can be bound to, in the order in which they are shown, with its keys. A key is a chord,
 * as `chordOf` names it, or a sequence of two. This and the tables like it are the one source for the app, the help and the
 * user's own keys; `contexts` has all of them. A table begins with what is global where it is used. A hint names the first key.
 */
export const defaultKeys = {
	'prompt.send': ['enter'],
	'prompt.newline': ['alt+enter', 'ctrl+j', 'shift+enter', 'ctrl+enter'],
	'prompt.undo': ['ctrl+_', 'alt+z'],
	'prompt.redo': ['ctrl+alt+_', 'alt+shift+z', 'ctrl+shift+z'],
	'prompt.editor': ['ctrl+x ctrl+e'],
	'prompt.stash': ['ctrl+s'],
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
	'prompt.select-left': ['shift+left'],
	'prompt.select-right': ['shift+right'],
	'prompt.select-up': ['shift+up'],
	'prompt.select-down': ['shift+down'],
	'prompt.select-word-left': ['ctrl+shift+left', 'alt+shift+left'],
	'prompt.select-word-right': ['ctrl+shift+right', 'alt+shift+right'],
	'prompt.select-line-start': ['shift+home'],
	'prompt.select-line-end': ['shift+end'],
	'prompt.select-start': ['ctrl+shift+home'],
	'prompt.select-end': ['ctrl+shift+end'],
	'prompt.copy': ['alt+w', 'ctrl+shift+c'],
	'app.transcript': ['ctrl+o'],
	'app.approval-mode': ['shift+tab'],
	'app.next-session': ['ctrl+x b'],
	'app.redraw': ['ctrl+l'],
	'app.suspend': ['ctrl+z'],
	'logs.viewer': ['ctrl+g'],
	'logs.panel': ['alt+l'],
	'logs.taller': ['alt+up'],
	'logs.shorter': ['alt+down'],
	'logs.next': ['tab'],
} as const satisfies KeyTable;

export type Action = keyof typeof defaultKeys;

/** The actions of panels, with their keys: a picker, a table, lines, and the movement in questions, whose answers are fixed. */
export const panelKeys = {
	'app.suspend': defaultKeys['app.suspend'],
	'panel.open': ['enter', 'alt+enter', 'shift+enter', 'ctrl+enter'],
	'panel.up': ['up'],
	'panel.down': ['down'],
	'panel.page-up': ['page-up'],
	'panel.page-down': ['page-down'],
	'panel.scroll-up': ['shift+up'],
	'panel.scroll-down': ['shift+down'],
	'panel.first': [],
	'panel.last': [],
	'panel.close': [],
	'table.sort': ['tab'],
	'table.sort-back': ['shift+tab'],
	'table.times': ['ctrl+t'],
} as const satisfies KeyTable;

export type PanelAction = keyof typeof panelKeys;

/** The action that moves between the draft in the prompt and a question that is open. */
export const questionKeys = {
	'app.suspend': defaultKeys['app.suspend'],
	'question.focus': ['tab'],
} as const satisfies KeyTable;

/** The action that sends a running command to the background. While none runs, its keys are those of the prompt. */
export const commandKeys = {
	'app.suspend': defaultKeys['app.suspend'],
	'app.background': ['ctrl+b'],
} as const satisfies KeyTable;

/** The actions of the list of waiting messages; `panel.open` edits one. */
export const queueKeys = {
	'app.suspend': defaultKeys['app.suspend'],
	'queue.send-now': ['s'],
	'queue.earlier': ['K', 'alt+up'],
	'queue.later': ['J', 'alt+down'],
	'queue.remove': ['x', 'delete', 'backspace'],
} as const satisfies KeyTable;

/** The actions of the list that completes the prompt. `prompt.send` completes there, too, what is not typed yet. */
export const completionKeys = {
	'app.suspend': defaultKeys['app.suspend'],
	'completion.complete': ['tab'],
	'completion.up': ['up'],
	'completion.down': ['down'],
	'completion.close': [],
} as const satisfies KeyTable;

/** The actions of a login that waits for the browser. */
export const deviceKeys = {
	'app.suspend': defaultKeys['app.suspend'],
	'device.open': ['enter'],
	'device.copy-code': ['c'],
	'device.copy-url': ['u'],
	'device.paste': ['p'],
	'device.api-key': ['k'],
	'device.close': [],
} as const satisfies KeyTable;

export type DeviceAction = keyof typeof deviceKeys;
