import {redactPositions} from '../../core/secrets/redact-positions.ts';
import type {Act} from '../../core/session/approval.ts';
import type {AgentEvent} from '../../core/session/event.ts';
import {countsIn, type SessionRule} from '../../core/session/session-rules.ts';
import {parseRule, type Rule, ruleText} from '../policy/rules/rule.ts';
import type {RuleEntry} from '../policy/verdict.ts';
import type {FolderRules} from './folder-rules.ts';

type SessionRuleEvent = Extract<AgentEvent, {type: 'session-rule'}>;

/** Where a rule comes from: the command line, this session, the user's choice for this folder, or a settings file. */
export type RuleSource = 'flag' | 'session' | 'folder' | 'settings';

export type KeptRule = RuleEntry & {
	readonly source: RuleSource;
	/** What it allowed last; untrusted. */
	readonly lastAllowed?: string;
};

/** The rules that count now. */
export type RuleBook = {
	/** Returns all rules in the order of their numbers, which count from 1. Throws what `FolderRules.read` throws. */
	readonly list: () => readonly KeptRule[];
	/** Adds a rule, once. Throws what `updateSmallFile` throws. */
	readonly add: (rule: Rule, effect: RuleEntry['effect'], source: 'session' | 'folder') => Promise<void>;
	/** Removes the rule with that number. Returns it; undefined if there is none. */
	readonly revoke: (number: number) => Promise<KeptRule | undefined>;
	/** Replaces the rules of the session by those of another, when that begins or is resumed. Ignores invalid ones. */
	readonly startSession: (rules?: readonly SessionRule[]) => void;
	/** Returns the rules that count for another session, with these rules of its own. */
	readonly forSession: (rules: readonly SessionRule[]) => Pick<RuleBook, 'list'>;
	/** Calls the listener with each change of the session's rules, but not for one that holds a credential (SAFETY 8). */
	readonly onSessionRule: (listener: (event: SessionRuleEvent) => void) => void;
	/** Calls the listener when rules may have changed, also by another process. Returns a function that stops that. */
	readonly onChange: (listener: () => void) => () => void;
	/** Notes what a rule has allowed. */
	readonly noteUse: (rules: readonly string[], act: Act) => void;
};

type Options = {
	/** Returns the working folder, a real path. */
	readonly folder: () => string;
	/** The rules of the command line. */
	readonly flags: readonly Rule[];
	readonly ofFolder: FolderRules;
	/** Returns what the settings files deny. */
	readonly denied?: () => readonly Rule[];
	/** Removes credentials from what is noted. */
	readonly hide: (text: string) => string;
};

/** Creates the rules of a program: those of the command line, of one session at a time, and of the folder. */
export function createRuleBook({folder, flags, ofFolder, denied = () => [], hide}: Options): RuleBook {
	const ofSession = createSessionRules({folder, hide});
	const uses = new Map<string, string>();
	const listeners = new Set<() => void>();
	const tellChange = () => {
		for (const listener of listeners) {
			listener();
		}
	};

	const listWith = (own: Pick<typeof ofSession, 'list'>) => [
		...flags.map(rule => kept({rule, effect: 'allow'}, 'flag')),
		...own.list().map(entry => kept(entry, 'session')),
		...ofFolder.read().map(entry => kept(entry, 'folder')),
		...denied().map(rule => kept({rule, effect: 'deny'}, 'settings')),
	];
	const kept = (entry: RuleEntry, source: RuleSource): KeptRule => {
		const lastAllowed = entry.effect === 'allow' ? uses.get(ruleText(entry.rule)) : undefined;
		return {...entry, source, ...(lastAllowed !== undefined && {lastAllowed})};
	};

	const list = () => listWith(ofSession);
	return {
		list,
		forSession(rules) {
			const own = createSessionRules({folder, hide});
			own.start(rules);
			return {list: () => listWith(own)};
		},
		async add(rule, effect, source) {
			const entry = {rule, effect};
			if (source === 'folder') {
				await ofFolder.change(entries => [...entries.filter(other => !isSame(other, entry)), entry]);
			} else {
				ofSession.add(entry);
			}

			tellChange();
		},
		async revoke(number) {
			const entry = list()[number - 1];
			if (entry?.source === 'folder') {
				await ofFolder.change(entries => entries.filter(other => !isSame(other, entry)));
			} else if (entry?.source === 'session') {
				ofSession.remove(entry);
			}

			tellChange();
			return entry;
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
				uses.set(rule, redactPositions(hide(subjectOf(act))));
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
		default:
			return act.path;
	}
}

type OfSession = RuleEntry & Pick<SessionRule, 'folder'>;

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

	const list = () => all.filter(entry => countsIn(saved(entry), folder()));
	return {
		list,
		add(entry: RuleEntry) {
			const added = {...entry, folder: folder()};
			all = [...all.filter(other => !isSame(other, added) || other.folder !== added.folder), added];
			tell(added);
		},
		/** Removes a rule of the list, also where it was made in other folders. */
		remove(entry: RuleEntry) {
			const removed = list().filter(other => isSame(other, entry));
			all = all.filter(other => !removed.includes(other));
			for (const rule of removed) {
				tell(rule, {removed: true});
			}
		},
		/** Replaces all rules by those of another session. Ignores invalid ones. */
		start(rules: readonly SessionRule[]) {
			all = rules.flatMap(readSaved);
		},
		onChange: (listener: (event: SessionRuleEvent) => void) => void listeners.push(listener),
	};
}

function saved({rule, effect, folder}: OfSession): SessionRule {
	return {rule: ruleText(rule), effect, folder};
}

function readSaved({rule, effect, folder}: SessionRule): readonly OfSession[] {
	try {
		return [{rule: parseRule(rule), effect, folder}];
	} catch {
		return [];
	}
}

/** Returns true if both rules have the same effect on the same acts. */
function isSame(one: RuleEntry, other: RuleEntry): boolean {
	return one.effect === other.effect && ruleText(one.rule) === ruleText(other.rule);
}
