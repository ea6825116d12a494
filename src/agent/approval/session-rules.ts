import {redactPositions} from '../../core/secrets/redact-positions.ts';
import type {AgentEvent} from '../../core/session/event.ts';
import {countsIn, type SessionRule} from '../../core/session/session-rules.ts';
import {parseRule, ruleText} from '../policy/rules/rule.ts';
import type {RuleEntry} from '../policy/verdict.ts';

export type SessionRuleEvent = Extract<AgentEvent, {type: 'session-rule'}>;

type OfSession = RuleEntry & Pick<SessionRule, 'folder'>;

type Options = {
	/** Returns the working folder, a real path. */
	readonly folder: () => string;
	/** Masks credentials. */
	readonly hide: (text: string) => string;
};

/** Creates the rules of one session at a time. Those that count in the working folder are listed. */
export function createSessionRules({folder, hide}: Options) {
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
export function isSame(one: RuleEntry, other: RuleEntry): boolean {
	return one.effect === other.effect && ruleText(one.rule) === ruleText(other.rule);
}
