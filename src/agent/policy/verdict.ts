import type {Places} from './protected-places.ts';
import type {Rule} from './rules/rule.ts';

/** A rule with its effect, and whatever else its keeper knows about it: where it is kept, its number. */
export type RuleEntry = {readonly rule: Rule; readonly effect: 'allow' | 'deny'};

export type PolicyVerdict<Entry extends RuleEntry> =
	/** Allowed by these rules, or without any: a command that only reads inside the working folder. */
	| {readonly effect: 'allow'; readonly by: 'read-only' | readonly Entry[]}
	| {readonly effect: 'deny'; readonly by: Entry}
	| {
			readonly effect: 'ask';
			/** A clause about the command for the question: “runs a command inside another”. */
			readonly why?: string;
			/** The rules that together would allow it; none if rules can't. */
			readonly suggested: readonly Rule[];
			/**
			 * True if a person has to look in every mode: a rule may deny a part that wasn't understood, or git runs what is
			 * changed.
			 */
			readonly mayBeDenied: boolean;
			/** Why no tool opens that file, whatever the user says: “it is protected”. */
			readonly outOfReach?: string;
			/** The secret files that a command could read after a yes, relative to the working folder. */
			readonly reveals?: readonly string[];
	  };

export type Judging<Entry extends RuleEntry> = {
	/** The working folder, as an absolute real path. */
	readonly workspace: string;
	readonly places: Places;
	readonly rules: readonly Entry[];
};
