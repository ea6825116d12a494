import {unwatchFile, watchFile} from 'node:fs';
import {AppError} from '../../core/error.ts';
import {isJsonObject, type Json, type JsonObject, parseJson} from '../../core/json.ts';
import {redactPositions} from '../../core/secrets/redact-positions.ts';
import type {Act} from '../../core/session/approval.ts';
import type {AgentEvent} from '../../core/session/event.ts';
import {countsIn, type SessionRule} from '../../core/session/session-rules.ts';
import {openKeptFile} from '../../storage/kept-file.ts';
import {parseRule, type Rule, ruleText} from '../policy/rules/rule.ts';

type SessionRuleEvent = Extract<AgentEvent, {type: 'session-rule'}>;

/** The rules that count now. */
export type RuleBook = {
	/** Returns all rules in the order of their numbers. Throws AppError("failed") if those of the folder can't be read. */
	readonly list: () => readonly Rule[];
	/** Returns the list of the rules that count for another session, with these rules of its own. */
	readonly forSession: (rules: readonly SessionRule[]) => () => readonly Rule[];
	/** Adds a rule, once. Throws what `updateSmallFile` throws. */
	readonly add: (rule: Rule, source: 'session' | 'folder') => Promise<void>;
	/** Removes the rule with that number. Returns it; undefined if there is none. */
	readonly revoke: (number: number) => Promise<Rule | undefined>;
	/** Replaces the rules of the session by those of another, when that begins or is resumed. Ignores invalid ones. */
	readonly startSession: (rules?: readonly SessionRule[]) => void;
	/** Calls the listener with each change of the session's rules, but not for one that holds a credential (SAFETY 8). */
	readonly onSessionRule: (listener: (event: SessionRuleEvent) => void) => void;
	/** Calls the listener when rules may have changed, also by another process. Returns a function that stops that. */
	readonly onChange: (listener: () => void) => () => void;
	/** Notes what rules have allowed. */
	readonly noteUse: (rules: readonly Rule[], act: Act) => void;
};

type Options = {
	/** Returns the working folder, a real path. */
	readonly folder: () => string;
	/** The rules of the command line. */
	readonly flags: readonly Rule[];
	/** The file with the rules of all folders. It need not exist. */
	readonly path: string;
	/** Returns what the settings files deny. */
	readonly denied?: () => readonly Rule[];
	/** Removes credentials from what is noted. */
	readonly hide: (text: string) => string;
};

/** Creates the rules of a program: those of the command line, of one session at a time, and of the folder. */
export function createRuleBook({folder, flags, path, denied = () => [], hide}: Options): RuleBook {
	const ofFolder = openFolderRules(path, folder);
	const ofSession = createSessionRules({folder, hide});
	const uses = new Map<string, string>();
	const listeners = new Set<() => void>();
	const tellChange = () => {
		for (const listener of listeners) {
			listener();
		}
	};

	const listWith = (own: readonly Rule[]): readonly Rule[] =>
		[
			...flags.map(rule => [rule, 'flag'] as const),
			...own.map(rule => [rule, 'session'] as const),
			...ofFolder.read().map(rule => [rule, 'folder'] as const),
			...denied().map(rule => [rule, 'settings'] as const),
		].map(([rule, source], index) => kept(rule, {number: index + 1, source}));
	const kept = (rule: Rule, place: NonNullable<Rule['place']>): Rule => {
		const lastAllowed = rule.effect === 'allow' ? uses.get(ruleText(rule)) : undefined;
		return {...rule, place, ...(lastAllowed !== undefined && {lastAllowed})};
	};

	const list = () => listWith(ofSession.list());
	return {
		list,
		forSession(rules) {
			const own = createSessionRules({folder, hide});
			own.start(rules);
			return () => listWith(own.list());
		},
		async add(rule, source) {
			if (source === 'folder') {
				await ofFolder.change(rules => [...rules.filter(other => !isSame(other, rule)), rule]);
			} else {
				ofSession.add(rule);
			}

			tellChange();
		},
		async revoke(number) {
			const rule = list()[number - 1];
			if (rule?.place?.source === 'folder') {
				await ofFolder.change(rules => rules.filter(other => !isSame(other, rule)));
			} else if (rule?.place?.source === 'session') {
				ofSession.remove(rule);
			}

			tellChange();
			return rule;
		},
		startSession(rules = []) {
			ofSession.start(rules);
			uses.clear();
		},
		onSessionRule: ofSession.onChange,
		onChange(listener) {
			listeners.add(listener);
			const stop = ofFolder.watch(listener);
			return () => {
				listeners.delete(listener);
				stop();
			};
		},
		noteUse(rules, act) {
			for (const rule of rules) {
				uses.set(ruleText(rule), redactPositions(hide(subjectOf(act))));
			}
		},
	};
}

/** Returns what an act is about, in a few words. */
function subjectOf(act: Act): string {
	switch (act.kind) {
		case 'command':
			return act.command;
		case 'fetch':
			return `${act.method} ${act.url}`;
		case 'mcp':
			return `${act.server}:${act.tool} ${JSON.stringify(act.arguments)}`.slice(0, 500);
		case 'agent':
			return `${act.agent}: ${act.title}`;
		default:
			return act.path;
	}
}

type OfSession = {readonly rule: Rule; readonly folder: string};

type SessionParts = {
	/** Returns the working folder, a real path. */
	readonly folder: () => string;
	/** Masks credentials. */
	readonly hide: (text: string) => string;
};

/** Creates the rules of one session at a time. Those that count in the working folder are listed. */
function createSessionRules({folder, hide}: SessionParts) {
	let all: readonly OfSession[] = [];
	const listeners: Array<(event: SessionRuleEvent) => void> = [];

	const tell = (entry: OfSession, more?: Pick<SessionRuleEvent, 'removed'>) => {
		const event = {type: 'session-rule', ...saved(entry), ...more} as const;
		// Masked it would be another rule.
		if (redactPositions(hide(event.rule)) === event.rule) {
			for (const listener of listeners) {
				listener(event);
			}
		}
	};

	const counting = () => all.filter(entry => countsIn(saved(entry), folder()));
	return {
		list: () => counting().map(({rule}) => rule),
		add(rule: Rule) {
			const added = {rule, folder: folder()};
			all = [...all.filter(other => !isSame(other.rule, rule) || other.folder !== added.folder), added];
			tell(added);
		},
		/** Removes a rule of the list, also where it was made in other folders. */
		remove(rule: Rule) {
			const removed = counting().filter(other => isSame(other.rule, rule));
			all = all.filter(other => !removed.includes(other));
			for (const entry of removed) {
				tell(entry, {removed: true});
			}
		},
		/** Replaces all rules by those of another session. Ignores invalid ones. */
		start(rules: readonly SessionRule[]) {
			all = rules.flatMap(readSaved);
		},
		onChange: (listener: (event: SessionRuleEvent) => void) => void listeners.push(listener),
	};
}

function saved({rule, folder}: OfSession): SessionRule {
	return {rule: ruleText(rule), effect: rule.effect, folder};
}

function readSaved({rule, effect, folder}: SessionRule): readonly OfSession[] {
	try {
		return [{rule: parseRule(rule, effect), folder}];
	} catch {
		return [];
	}
}

/** Returns true if both rules have the same effect on the same acts. */
function isSame(one: Rule, other: Rule): boolean {
	return one.effect === other.effect && ruleText(one) === ruleText(other);
}

const watchIntervalMs = 500;

/**
 * Opens the rules that the user keeps for the folder. They are in the state folder: no file of a project can add one. `path` is
 * the file of all folders, `folder` returns the real path of this one.
 */
function openFolderRules(path: string, folder: () => string) {
	const file = openKeptFile<JsonObject>(path, {
		parse: text => parse(text, path),
		print: folders => `${JSON.stringify({folders}, undefined, '\t')}\n`,
	});
	return {
		/** Throws AppError("failed") if the file can't be read: a rule that denies might be in it. */
		read: () => rulesOf(file.read(), folder()),
		/** Changes the rules without losing a change of another process (SAFETY 18). Throws what `updateSmallFile` throws. */
		async change(change: (rules: readonly Rule[]) => readonly Rule[]) {
			const of = folder();
			await file.update(folders => {
				const after = change(rulesOf(folders, of)).map(rule => ({effect: rule.effect, rule: ruleText(rule)}));
				const unknown = rawEntries(folders, of).filter(entry => ruleOf(entry) === undefined);
				return {...folders, [of]: [...unknown, ...after]};
			});
		},
		/** Calls the listener when another process may have changed them. Returns a function that stops that. */
		watch(listener: () => void) {
			watchFile(path, {interval: watchIntervalMs, persistent: false}, listener);
			return () => unwatchFile(path, listener);
		},
	};
}

function parse(text: string | undefined, path: string): JsonObject {
	if (text === undefined) {
		return {};
	}

	const file = parseJson(text);
	const folders = isJsonObject(file) ? file['folders'] : undefined;
	if (!isJsonObject(folders)) {
		throw new AppError('failed', `The approval rules in ${path} can't be read.`, {
			hint: 'Fix that file, or delete it.',
		});
	}

	return folders;
}

function rawEntries(folders: JsonObject, folder: string): readonly Json[] {
	const entries = Object.hasOwn(folders, folder) ? folders[folder] : undefined;
	return Array.isArray(entries) ? entries : [];
}

/** Returns the rules that this version understands. */
function rulesOf(folders: JsonObject, folder: string): readonly Rule[] {
	return rawEntries(folders, folder).flatMap(entry => ruleOf(entry) ?? []);
}

function ruleOf(entry: unknown): Rule | undefined {
	if (!isJsonObject(entry)) {
		return undefined;
	}

	const {effect, rule} = entry;
	if ((effect !== 'allow' && effect !== 'deny') || typeof rule !== 'string') {
		return undefined;
	}

	try {
		return parseRule(rule, effect);
	} catch {
		return undefined;
	}
}
