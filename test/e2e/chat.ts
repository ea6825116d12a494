import {type ModelHost, startModelHost} from './model-host.ts';
import {startTerminal, type TestTerminal} from './terminal.ts';
import type {TerminalView} from './terminal-view.ts';

export const apiKey = 'sk-e2e-0123456789-wxyz';

/** The environment and flags with which a run talks to that host. */
export function connectedTo(host: {readonly baseUrl: string}, model = 'custom/alpha') {
	return {env: {CUSTOM_BASE_URL: host.baseUrl, CUSTOM_API_KEY: apiKey}, args: ['--model', model]};
}

type Options = NonNullable<Parameters<typeof startTerminal>[0]>;

export type Chat<Terminal extends TerminalView = TestTerminal> = {
	readonly host: ModelHost;
	readonly terminal: Terminal;
};

/** The app in a terminal, with a host that the test scripts as its model, ready for a prompt or with its first question. */
export async function startChat({args = [], env, ...options}: Options = {}): Promise<Chat<TestTerminal>> {
	const host = await startModelHost();
	const connected = connectedTo(host);
	const terminal = startTerminal({
		...options,
		env: {...connected.env, ...env},
		args: [...connected.args, ...args],
	});
	await waitForStart(terminal);
	return {host, terminal};
}

/** Waits until the app is connected, and idle or with its first question. */
export function waitForStart(terminal: TerminalView): Promise<void> {
	return terminal.waitFor(() => isConnected(terminal) && /○ idle|● waiting for you/.test(terminal.status()));
}

/** Waits until the app is idle and connected. */
export function waitForIdle(terminal: TerminalView): Promise<void> {
	return terminal.waitFor(() => isConnected(terminal) && terminal.status().includes('○ idle'));
}

function isConnected(terminal: TerminalView): boolean {
	return !terminal.status().includes('starting');
}

/** Answers the question on the screen with a key, once keys can answer it. */
export async function answer(terminal: TerminalView, key: string, question: RegExp): Promise<void> {
	await terminal.waitFor(() => question.test(openQuestion(terminal)));
	terminal.type(key);
	await terminal.waitFor(() => !question.test(openQuestion(terminal)));
}

/** Returns what waits for an answer, from the rule above it to its keys; empty if keys can't answer a question. */
function openQuestion(terminal: TerminalView): string {
	const shown = terminal
		.screen()
		.join('\n')
		.replace(/\n {2}(?=\S)/g, ' ');
	const keys = shown.lastIndexOf('y  Yes, once');
	return keys < 0 ? '' : shown.slice(shown.lastIndexOf('━', keys) + 1, keys);
}

/** Quits as a user does: Ctrl+C twice. */
export async function quit(terminal: TerminalView) {
	terminal.press('ctrl+c');
	await terminal.waitFor('Press Ctrl+C again');
	terminal.press('ctrl+c');
	return terminal.exit();
}
