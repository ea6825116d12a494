/** The commands of each group in the help, by the name of their entry. Commands that stand in none come last. */
const groups: Readonly<Record<string, string>> = {
	Chat: 'new sessions resume rename fork rewind undo diff plan approvals pin copy export replay bg jobs memory init skills mcp trust',
	'Model and cost': 'model effort keys usage budget context compact',
	'Sandboxes and logs': 'env logs watch runtime',
	Platform:
		'login logout whoami connect profile api-key mfa org workspace project session run item eval assessment finding trace traces credits',
	Server: 'serve openapi',
	'This program': 'settings config theme vim keys-help doctor completion clear help quit',
};

const lastGroup = 'More';
export const topicGroup = 'Topics';
export const keyGroup = 'Keys';

/** All groups, in the order shown. */
export const helpGroups: readonly string[] = [...Object.keys(groups), lastGroup];

const groupByName = new Map(
	Object.entries(groups).flatMap(([group, names]) => names.split(' ').map(name => [name, group] as const)),
);

/** Returns the group of a command. Prompt files, skills and prompts of MCP servers, which send a message, are chat. */
export function helpGroupOf(path: string, sendsMessage: boolean): string {
	return sendsMessage ? 'Chat' : (groupByName.get(path.split(' ', 1)[0] ?? '') ?? lastGroup);
}

/** The keys that the help of the app shows, with what each does. */
export const helpKeys: readonly (readonly [key: string, does: string])[] = [
	['Enter', 'send'],
	['\\+Enter', 'new line'],
	['Esc', 'interrupt'],
	['Ctrl+C twice', 'quit'],
	['@path', 'attach a file'],
	['!command', 'run it in your shell'],
	['Ctrl+V', 'paste an image'],
	['Ctrl+O', 'transcript'],
	['Ctrl+R', 'history'],
	['Ctrl+G', 'log viewer'],
	['Alt+L', 'log panel'],
	['Shift+Tab', 'what the agent may do without asking'],
];
