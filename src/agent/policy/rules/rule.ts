import {AppError} from '../../../core/error.ts';
import {foldedPath} from '../../paths/path-text.ts';
import {isSecretFile} from '../secret-files.ts';
import {readCommandPattern} from './command-pattern.ts';

/**
 * The tools that rules name. `edit_file` and `write_file` mean the same: every change of a file. `mcp` stands for all tools of
 * MCP servers.
 */
export const ruleTools = ['run_command', 'edit_file', 'write_file', 'read_file', 'fetch_url', 'mcp'] as const;
export type RuleTool = (typeof ruleTools)[number];

/** What a rule covers; without a pattern, every act of the tool. Whether it allows or denies is said beside it. */
export type Rule = {readonly tool: RuleTool; readonly pattern?: string};

/** Rules of the moment, and the folder that the paths of those about files are relative to, a real path. */
export type FileRules = {
	readonly folder: string;
	readonly entries: ReadonlyArray<{readonly rule: Rule; readonly effect: 'allow' | 'deny'}>;
};

export const maxRuleLength = 2000;
const maxAlternatives = 64;

/** What a rule looks like, for the hint of an error and for help. */
const examples: Readonly<Record<RuleTool, string>> = {
	run_command: 'run_command(npm test *)',
	edit_file: 'edit_file(src/**)',
	write_file: 'write_file(docs/*.md)',
	read_file: 'read_file(.env)',
	fetch_url: 'fetch_url(api.example.com)',
	mcp: 'mcp(github:get_issue)',
};

/** Reads a rule such as `run_command(git diff *)`. Throws `AppError("usage")` that says what is valid. */
export function parseRule(text: string): Rule {
	const [, name = '', pattern] = /^([a-z_]+)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
	const tool = ruleTools.find(known => known === name);
	if (tool === undefined) {
		throw new AppError('usage', `Invalid rule “${text}”.`, {
			hint: `Write a tool and a pattern, for example “${examples.run_command}”. Tools: ${ruleTools.join(', ')}.`,
		});
	}

	const rule: Rule = pattern === undefined ? {tool} : {tool, pattern: pattern.trim()};
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

/** Returns what the model reads about an act that a rule denies. */
export function denialOf(rule: string): {readonly message: string; readonly hint: string} {
	return {
		message: `Not allowed: the user's rule “${rule}” denies this.`,
		hint: 'Continue without it, or tell the user what you need.',
	};
}

/** True if the pattern of a rule can only be meant for secret files: `.env`, `config/*.pem`, but not `**`. */
export function namesSecrets({pattern}: Rule): boolean {
	return pattern !== undefined && isSecretFile(pattern);
}

/**
 * Reads a rule that is made now: throws `AppError("usage")` also for one that would change nothing, which whoever makes it
 * takes for a fence or a permission.
 */
export function parseNewRule(text: string, effect: 'allow' | 'deny'): Rule {
	const rule = parseRule(text);
	const fault = whyWithoutEffect(rule, effect);
	if (fault !== undefined) {
		throw new AppError('usage', `The rule “${text}” would have no effect: ${fault[0]}.`, {hint: fault[1]});
	}

	return rule;
}

/** Returns why a valid rule changes nothing, as a clause, and what to do instead. */
function whyWithoutEffect(rule: Rule, effect: 'allow' | 'deny'): readonly [why: string, hint: string] | undefined {
	const {tool, pattern = ''} = rule;
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
