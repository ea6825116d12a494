import {AppError} from '../../../core/error.ts';
import {foldedPath} from '../../paths/path-text.ts';
import {isSecretFile} from '../secret-files.ts';
import {readCommandPattern} from './command-pattern.ts';

/**
 * The tools that rules name. `edit_file` and `write_file` mean the same: every change of a file. `mcp` stands for all tools of
 * MCP servers.
 */
export const ruleTools = ['run_command', 'edit_file', 'write_file', 'read_file', 'fetch_url', 'mcp'] as const;

/** What is allowed or denied: without a pattern, every act of the tool. */
export type Rule = {
	readonly tool: (typeof ruleTools)[number];
	readonly pattern?: string;
	readonly effect: 'allow' | 'deny';
	/** Where it is kept: its number in the list of all rules, from 1, and where that part of the list comes from. */
	readonly place?: {readonly number: number; readonly source: 'flag' | 'session' | 'folder' | 'settings'};
	/** What it allowed last; untrusted. */
	readonly lastAllowed?: string;
};

/** Rules of the moment, and the working folder, which the paths of those about files are relative to: a real path. */
export type FileRules = {readonly folder: string; readonly entries: readonly Rule[]};

/** What is decided about an act: by rules, and by the mode if no rule decides. */
export type Verdict =
	/** Allowed by these rules, the mode, an earlier answer of the user, or because it only reads in the working folder. */
	| {readonly effect: 'allow'; readonly by: 'read-only' | 'mode' | 'user' | readonly Rule[]}
	| {readonly effect: 'deny'; readonly by: 'mode' | Rule}
	| {
			readonly effect: 'ask';
			/** Why no rule covers it, as a clause: “runs a command inside another”. */
			readonly why?: string;
			/** The rules that together would allow it; none if rules can't. */
			readonly suggestions: readonly string[];
			/**
			 * True if a person has to look in every mode: a rule may deny a part that wasn't understood, or git runs what is
			 * changed.
			 */
			readonly mayBeDenied?: boolean;
			/** Why no tool opens that file, whatever the user says: “it is protected”. */
			readonly outOfReach?: string;
			/** The secret files that a command could read after a yes, relative to the working folder. */
			readonly reveals?: readonly string[];
	  };

/** The tools of rules about reading a file, and about changing one. */
export const fileRuleTools = {
	read: ['read_file'],
	edit: ['edit_file', 'write_file'],
} as const satisfies Readonly<Record<string, ReadonlyArray<Rule['tool']>>>;

export const maxRuleLength = 2000;
const maxAlternatives = 64;

/** What a rule looks like, for the hint of an error and for help. */
const examples: Readonly<Record<Rule['tool'], string>> = {
	run_command: 'run_command(npm test *)',
	edit_file: 'edit_file(src/**)',
	write_file: 'write_file(docs/*.md)',
	read_file: 'read_file(.env)',
	fetch_url: 'fetch_url(api.example.com)',
	mcp: 'mcp(github:get_issue)',
};

/** Reads a rule such as `run_command(git diff *)`. Throws `AppError("usage")` that says what is valid. */
export function parseRule(text: string, effect: Rule['effect'] = 'allow'): Rule {
	const [, name = '', pattern] = /^([a-z_]+)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
	const tool = ruleTools.find(known => known === name);
	if (tool === undefined) {
		throw new AppError('usage', `Invalid rule “${text}”.`, {
			hint: `Write a tool and a pattern, for example “${examples.run_command}”. Tools: ${ruleTools.join(', ')}.`,
		});
	}

	const rule: Rule = {tool, effect, ...(pattern !== undefined && {pattern: pattern.trim()})};
	const fault = faultOf(rule);
	if (fault !== undefined) {
		throw new AppError('usage', `Invalid rule “${text}”: ${fault}.`, {
			hint: `Write it like “${examples[tool]}”, or “${tool}” for everything.`,
		});
	}

	return rule;
}

/** Returns the rule as `parseRule` reads it. */
export function ruleText({tool, pattern}: Rule): string {
	return pattern === undefined ? tool : `${tool}(${pattern})`;
}

/** Returns the error that the model reads about an act that a rule denies, or plan mode. */
export function denial(by: 'mode' | Rule): AppError {
	return by === 'mode'
		? new AppError('failed', 'Not allowed in plan mode: nothing is changed or run until the user accepts your plan.', {
				hint: 'Finish reading, then end your answer with the plan.',
			})
		: new AppError('failed', `Not allowed: the user's rule “${ruleText(by)}” denies this.`, {
				hint: 'Continue without it, or tell the user what you need.',
			});
}

/** Returns the error for what the user refused: the model reads their reason, or asks for it. */
export function refusal(refused: string, reason: string | undefined): AppError {
	return reason
		? new AppError('failed', `${refused} They said: ${reason}`)
		: new AppError('failed', refused, {hint: 'Ask what they want instead.'});
}

/** True if the pattern of a rule can only be meant for secret files: `.env`, `config/*.pem`, but not `**`. */
export function namesSecrets({pattern}: Rule): boolean {
	return pattern !== undefined && isSecretFile(pattern);
}

/**
 * Reads a rule that is made now: throws `AppError("usage")` also for one that would change nothing, which whoever makes it
 * takes for a fence or a permission.
 */
export function parseNewRule(text: string, effect: Rule['effect']): Rule {
	const rule = parseRule(text, effect);
	const fault = whyWithoutEffect(rule);
	if (fault !== undefined) {
		throw new AppError('usage', `The rule “${text}” would have no effect: ${fault[0]}.`, {hint: fault[1]});
	}

	return rule;
}

/** Returns why a valid rule changes nothing, as a clause, and what to do instead. */
function whyWithoutEffect(rule: Rule): readonly [why: string, hint: string] | undefined {
	const {tool, pattern = '', effect} = rule;
	if (tool !== 'read_file' && tool !== 'edit_file' && tool !== 'write_file') {
		return undefined;
	}

	if (pattern.includes('\\')) {
		return ['paths are written with “/”', `Write “${tool}(${pattern.replaceAll('\\', '/')})”.`];
	}

	if (effect === 'allow' && pattern.split('/').some(name => foldedPath(name) === '.git')) {
		return ['tools never read or write the data of git', 'Allow a command of git instead.'];
	}

	return effect === 'allow' && tool === 'read_file' && !namesSecrets(rule)
		? [
				'files are read without asking, but for those whose names suggest secrets',
				`Name such a file: “${examples.read_file}”.`,
			]
		: undefined;
}

/** Returns why a rule is invalid, as a clause. */
function faultOf({tool, pattern}: Rule): string | undefined {
	if (pattern === undefined) {
		return undefined;
	}

	if (pattern === '') {
		return 'the pattern is empty';
	}

	if (pattern.length > maxRuleLength || /\p{Cc}/u.test(pattern)) {
		return 'the pattern is too long or has control characters';
	}

	if (tool === 'run_command') {
		const read = readCommandPattern(pattern);
		return 'fault' in read ? read.fault : undefined;
	}

	switch (tool) {
		case 'fetch_url':
			return hostFault(pattern);
		case 'mcp':
			return toolFault(pattern);
		default:
			return pathFault(pattern);
	}
}

function pathFault(pattern: string): string | undefined {
	if (/^[/~\\]|^[A-Za-z]:/.test(pattern) || pattern.split('/').includes('..')) {
		return 'paths are relative to the working folder';
	}

	return pattern.split(/[{,]/).length > maxAlternatives ? 'it has too many alternatives' : undefined;
}

function toolFault(pattern: string): string | undefined {
	return /^[\w-]+:(?:[\w-]+\*?|\*)$/.test(pattern)
		? undefined
		: 'a tool is written “server:tool”, all tools of a server “server:*”';
}

function hostFault(pattern: string): string | undefined {
	if (!/^(?:\*\.)?(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(pattern)) {
		return 'a host is a name such as “api.example.com”, “*.example.com” or “127.0.0.1:8080”';
	}

	// A URL has its host in one form only, such as 127.0.0.1 for 127.1: no other one would ever match.
	const bare = pattern.replace(/^\*\./, '').toLowerCase();
	const host = URL.canParse(`http://${bare}`) ? new URL(`http://${bare}`).host : undefined;
	return host === bare || `${host}:80` === bare ? undefined : `that host is written “${host ?? 'name:port'}”`;
}
