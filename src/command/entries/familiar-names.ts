import * as z from 'zod/mini';
import {nameCommands} from '../../core/command-words.ts';
import type {Action} from '../../editor/keymap/default-keys.ts';
import {hintKey} from '../../editor/keymap/key-label.ts';
import {defaultKeymap, type Keymap} from '../../editor/keymap/keymap.ts';
import {command} from '../command.ts';
import type {Command, Entry} from '../context.ts';
import {dispatch} from '../dispatch.ts';
import {readLine} from '../line.ts';
import {isLineByLine} from '../line-by-line.ts';
import {findCommand} from '../table.ts';
import {splitWords} from '../words.ts';

/** What other programs call a command, by the command that is the same here. */
const sameAs: Readonly<Record<string, string>> = {
	approvals: 'permissions allowed-tools allow policy',
	'approvals mode': 'mode approval-mode yolo',
	bg: 'background',
	compact: 'compress summarize',
	context: 'tokens',
	doctor: 'debug diagnostics diagnose',
	effort: 'thinking think reasoning',
	'env list': 'sandbox sandboxes pods po deployments dp',
	'env logs': 'tail follow log',
	'env show': 'describe services svc events',
	'env stop': 'kill',
	export: 'save share',
	fork: 'branch',
	'help hooks': 'hooks hook',
	'help keys': 'keymap',
	'help settings': 'preferences',
	'help access': 'privacy privacy-settings',
	jobs: 'tasks bashes ps',
	keys: 'credentials secrets provider providers',
	'keys-help': 'keybindings keyboard shortcuts bindings',
	login: 'signin sign-in',
	logout: 'signout sign-out',
	mcp: 'tools servers',
	memory: 'remember rules instructions',
	'model list': 'models',
	new: 'reset restart',
	profile: 'ctx contexts accounts',
	'project list': 'ns namespaces',
	quit: 'bye close wq qa',
	rename: 'title',
	resume: 'load open',
	rewind: 'checkpoint checkpoints restore rollback',
	trace: 'telemetry otel',
	undo: 'revert',
	'undo --redo': 'redo',
	usage: 'top pulses',
	'usage month': 'stats insights',
};

/** A sentence of the app with a screen, where keys are named by action, and the same without one. */
type Pointer = string | {readonly onScreen: string; readonly inLines: string};

/** What stands elsewhere, by the names that other programs have for it. Each sentence says where. */
const elsewhere: Readonly<Record<string, Pointer>> = {
	'status info':
		'Model and its window: `/context`. Cost: `usage`. What runs without asking: `approvals`. Login: `whoami`. Checks: `doctor`',
	'todos todo plan-list': {
		onScreen: 'The steps of the agent stand above the prompt while it has a list.',
		inLines: 'The steps of the agent are printed when it lists others.',
	},
	'bug feedback report': 'Write a file for a bug report with `doctor --bundle report.json`',
	'agents subagents': 'The agent starts sub-agents itself. Send a whole run to the background with `/bg`',
	'review security-review pr-comments': 'Ask for it in words, such as: review the changes since main',
	'plugin plugins extensions apps marketplace':
		'Tools come from MCP servers: `mcp`. Instructions come from skills: `skills`',
	'output-style personality style': 'Describe the style in the memory of the folder: `/memory edit`',
	'statusline status-line': 'The parts of the status line are fixed. Settings: `config`',
	'terminal-setup ide': {
		onScreen: 'Nothing to set up: [prompt.newline] makes a new line in every terminal. All keys: `keys-help`',
		inLines: 'Nothing to set up. All keys: `keys-help`',
	},
	'history search find': {
		onScreen: 'Press [prompt.search-history] to search earlier prompts. Earlier sessions: `resume`',
		inLines: 'Earlier sessions, with their prompts: `resume`',
	},
	'mention file files add-dir': 'Type @ and a part of its path, in a message.',
	'paste image': {
		onScreen: 'Press [prompt.paste-image] to insert the image in the clipboard, or type @ and its path.',
		inLines: 'Type @ and the path of the image, in a message.',
	},
	'edit editor': {
		onScreen: 'Press [prompt.editor] to open the prompt in your editor.',
		inLines: 'The prompt opens in an editor in the app with a screen.',
	},
	'stop cancel abort interrupt': {
		onScreen: 'Press Esc to interrupt the agent. End its commands in the background with `/jobs stop`',
		inLines: 'Press Ctrl+C to interrupt the agent. End its commands in the background with `/jobs stop`',
	},
	'shell bash sh terminal exec': 'Begin the line with ! to run it in your shell, such as !ls',
	'ls cd pwd cat git': 'Begin the line with ! to run it in your shell, such as !git status',
	'pr issue repo browse gist release workflow api gh label codespace ruleset variable':
		'Run it in your shell, such as !gh pr list',
	'get apply delete scale nodes no kubectl k9s':
		'Sandboxes: `env list`. Suspended runtimes: `resume`. For a cluster, begin the line with !, such as !kubectl get pods',
	'port-forward pf': 'The addresses of the services of a sandbox: `env show <id>`',
	'yaml json': 'Add --json in a shell. A session as JSON: `export session.json`',
	fast: 'A faster model: `/model`. Less reasoning: `/effort low`',
	'btw side': 'Ask in a copy of the session with `/fork`, or send this run to the background with `/bg`',
	'goal loop': 'The agent works until it has an answer. Its limits: `/budget`',
	'auth account': 'Log in with `login`. Who is logged in: `whoami`',
	'upgrade update release-notes changelog version': 'Update it as you installed it. Its version: `doctor`',
};

/** Returns commands for the names that other programs use. A built-in command of the same name is not replaced. */
export function familiarNames(builtIn: readonly Entry[]): readonly Entry[] {
	const same = Object.entries(sameAs).flatMap(([words, names]) =>
		split(names).map(name => alias(name, words, builtIn)),
	);
	const told = Object.entries(elsewhere).flatMap(([names, text]) => split(names).map(name => pointer(name, text)));
	return [...same, ...told];
}

const split = (names: string) => names.split(' ');

/** Returns the command that runs another one, with what is typed behind it. */
function alias(name: string, words: string, builtIn: readonly Entry[]): Command {
	const {whileRunning, where} = findCommand(builtIn, splitWords(words)).command;
	return command({
		...base(name, `Same as /${words}`),
		...(whileRunning && {whileRunning}),
		...(where && {where}),

		run({arguments: typed = ''}, context) {
			const {flags, rest} = readLine(`/${words} ${typed}`, builtIn);
			return dispatch(rest, {...context, flags: {...context.flags, ...flags}});
		},
	});
}

function pointer(name: string, about: Pointer): Command {
	const {onScreen, inLines} = typeof about === 'string' ? {onScreen: about, inLines: about} : about;
	return command({
		...base(name, nameCommands(withKeys(onScreen, defaultKeymap), 'app')),
		whileRunning: true,
		run(_, context) {
			const {program, ui} = context;
			const text = isLineByLine(context) ? inLines : withKeys(onScreen, program.store.getState().keymap);
			return {kind: 'text', text: nameCommands(text, ui.live ? 'app' : 'shell')};
		},
	});
}

/** Returns a sentence with the keys of the actions in its brackets. */
function withKeys(text: string, keymap: Keymap): string {
	return text.replace(/\[([a-z.-]+)\]/g, (_, action: Action) => hintKey(keymap, action) || action);
}

const base = (name: string, summary: string) => ({
	name,
	summary,
	args: z.object({arguments: z.optional(z.string())}),
	positional: ['arguments'] as const,
	rest: true,
	takesLine: true,
	isUnlisted: true as const,
});
