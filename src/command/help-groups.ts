import {type Action, defaultKeys} from '../editor/keymap/default-keys.ts';
import {hintKey} from '../editor/keymap/key-label.ts';
import {keymapOf, type OwnKeys} from '../editor/keymap/keymap.ts';

/** The commands of each group in the help, by the name of their entry. Commands that stand in none come last. */
const groups: Readonly<Record<string, string>> = {
	Chat: 'new session resume rename fork rewind undo diff plan approvals pin copy export import replay queue bg attach detach drive handoff jobs memory init skills mcp trust',
	'Model and cost': 'agent model effort keys usage budget context compact',
	'Sandboxes and logs': 'env logs watch runtime',
	Platform:
		'login logout whoami connect profile api-key mfa org member user workspace project run item eval assessment finding trace credits',
	Server: 'serve openapi acp host',
	'This program': 'config theme vim keys-help doctor completion clear help quit',
};

const lastGroup = 'More';
export const topicGroup = 'Topics';
export const keyGroup = 'Keys';

export type HelpKeys = ReadonlyArray<readonly [key: string, does: string]>;

/** All groups, in the order shown. */
export const helpGroups: readonly string[] = [...Object.keys(groups), lastGroup];

const groupByName = new Map(
	Object.entries(groups).flatMap(([group, names]) => names.split(' ').map(name => [name, group] as const)),
);

/** Returns the group of a command. Prompt files, skills and prompts of MCP servers, which send a message, are chat. */
export function helpGroupOf(path: string, sendsMessage: boolean): string {
	return sendsMessage ? 'Chat' : (groupByName.get(path.split(' ', 1)[0] ?? '') ?? lastGroup);
}

/** The keys of the app without a screen, where a line is typed as in a shell, and what each does. */
export const lineKeys: HelpKeys = [
	['Enter', 'send'],
	['Ctrl+C', 'interrupt, or clear the line; twice: quit'],
	['Ctrl+D', 'quit, on an empty line'],
	['/', 'begin a command'],
	['@path', 'attach a file'],
	['!command', 'run it in your shell'],
	['?', 'show the keys, as a line of its own'],
];

/** Returns the keys that the help of the app shows, with what each does; those without a key are left out. */
export function helpKeys(ownKeys: OwnKeys): HelpKeys {
	const keymap = keymapOf(defaultKeys, ownKeys);
	const key = (action: Action) => hintKey(keymap, action);
	const rows = [
		[key('prompt.send'), 'send'],
		[`\\+${key('prompt.send')}`, 'new line'],
		['Esc', 'interrupt'],
		['Ctrl+C twice', 'quit'],
		['@path', 'attach a file'],
		['!command', 'run it in your shell'],
		[key('prompt.paste-image'), 'paste an image'],
		[key('app.transcript'), 'transcript'],
		[key('prompt.search-history'), 'history'],
		[key('logs.viewer'), 'log viewer'],
		[key('logs.panel'), 'log panel'],
		[key('app.approval-mode'), 'what the agent may do without asking'],
	] as const;
	return rows.filter(([name]) => name !== '');
}
