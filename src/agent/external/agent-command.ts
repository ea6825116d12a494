import {type Environment, setVariables} from '../../core/environment.ts';
import {providerRows} from '../../core/provider-rows.ts';

/** What starts an agent. */
export type AgentCommand = {
	/** What the screen calls it. */
	readonly name: string;
	/** The program and its arguments. */
	readonly command: readonly string[];
	/** Variables that it gets beside those that every agent inherits: their values, or undefined to pass on our own. */
	readonly env?: Readonly<Record<string, string | undefined>>;
	/** True if our sandbox holds it. */
	readonly isContained?: boolean;
};

/** An agent that speaks the protocol, as far as its program is known: no claim about what it can do. */
type KnownAgent = {
	readonly name: string;
	readonly command: readonly string[];
	/** The variables of its own keys, which it inherits. */
	readonly keys: readonly string[];
	/** Its own folders and files below the home folder, which it needs in a sandbox, too. */
	readonly state: readonly string[];
};

/** Agents whose programs are offered if they are on PATH. */
export const knownAgents: readonly KnownAgent[] = [
	{name: 'claude', command: ['claude-agent-acp'], keys: ['ANTHROPIC_API_KEY'], state: ['.claude', '.claude.json']},
	{name: 'codex', command: ['codex-acp'], keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'], state: ['.codex']},
	{name: 'gemini', command: ['gemini', '--acp'], keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'], state: ['.gemini']},
	{name: 'qwen', command: ['qwen', '--acp'], keys: ['OPENAI_API_KEY'], state: ['.qwen']},
	{
		name: 'opencode',
		command: ['opencode', 'acp'],
		keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY'],
		state: ['.config/opencode', '.local/share/opencode', '.local/state/opencode'],
	},
	{
		name: 'goose',
		command: ['goose', 'acp'],
		keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GOOGLE_API_KEY', 'OPENROUTER_API_KEY'],
		state: ['.config/goose', '.local/share/goose', '.local/state/goose'],
	},
	{name: 'copilot', command: ['copilot', '--acp'], keys: [], state: ['.copilot']},
	{name: 'kimi', command: ['kimi', 'acp'], keys: ['MOONSHOT_API_KEY'], state: ['.kimi']},
	{name: 'vibe', command: ['vibe-acp'], keys: ['MISTRAL_API_KEY'], state: ['.vibe']},
];

/** Returns what is known of the program that a command starts. */
export function knownProgram([program = '']: readonly string[]): KnownAgent | undefined {
	const name = program.replace(/^.*[/\\]/, '');
	return knownAgents.find(({command}) => command[0] === name);
}

/** Variables with keys of ours: another agent needs none of them. */
const ownKeys: ReadonlySet<string> = new Set([
	'SERVICE_API_KEY',
	...Object.values(providerRows).flatMap(({keyVariables}) => keyVariables),
]);

/**
 * Returns the environment of an agent: ours without our keys and those of vendors, but for the variables of its own keys and
 * those that the user named for it.
 */
export function agentEnvironment({command, env: given = {}}: AgentCommand, env: Environment): Record<string, string> {
	const kept = new Set([...(knownProgram(command)?.keys ?? []), ...Object.keys(given)]);
	return {...setVariables(env, name => !ownKeys.has(name) || kept.has(name)), ...setVariables(given)};
}
