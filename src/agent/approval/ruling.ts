import type {Act, ApprovalMode} from '../../core/session/approval.ts';
import {denialOf} from '../policy/rules/rule.ts';

/** Where a rule is: its number in the list, and where it comes from. */
export type RulePlace = {readonly number: number; readonly source: string};

/** What rules say about an act. */
export type Verdict =
	/** `rules` are the texts of rules; none for a command that only reads. `places` says where they are in the list. */
	| {readonly effect: 'allow'; readonly rules: readonly string[]; readonly places?: readonly RulePlace[]}
	| {readonly effect: 'deny'; readonly rule: string}
	| {
			readonly effect: 'ask';
			/** Why no rule covers it, as a clause: “runs a command inside another”. */
			readonly why?: string;
			/** Rules that together would allow it; none if rules can't. */
			readonly suggestions: readonly string[];
			/** True if a rule may deny a part that wasn't understood, so that a person has to look in every mode. */
			readonly mayBeDenied?: boolean;
			/** Why no tool opens that file, whatever the user says: “it is protected”. */
			readonly outOfReach?: string;
			/** The secret files that a command could read after a yes, relative to the working folder. */
			readonly reveals?: readonly string[];
	  };

/** Returns what the rules of the moment say about an act. */
export type Judge = (act: Act) => Promise<Verdict>;

/** What happens to an act. `by` names who decided: rules, `mode`, or `read-only`. */
export type Ruling =
	| {
			readonly kind: 'allow';
			readonly by: string;
			readonly rules?: readonly string[];
			readonly places?: readonly RulePlace[];
	  }
	| {readonly kind: 'refuse'; readonly by: string; readonly message: string; readonly hint: string}
	| ({readonly kind: 'ask'} & Omit<Extract<Verdict, {effect: 'ask'}>, 'effect'>);

/** Rules on an act: deny rules, plan mode, allow rules, the mode; whatever is left is asked. Pure. */
export function ruleOn(act: Act, mode: ApprovalMode, verdict: Verdict): Ruling {
	if (verdict.effect === 'deny') {
		return {kind: 'refuse', by: verdict.rule, ...denialOf(verdict.rule)};
	}

	if (mode === 'plan' && !isReading(act, verdict)) {
		return {
			kind: 'refuse',
			by: 'mode',
			message: 'Not allowed in plan mode: nothing is changed or run until the user accepts your plan.',
			hint: 'Finish reading, then end your answer with the plan.',
		};
	}

	if (verdict.effect === 'allow') {
		const {rules, places} = verdict;
		return rules.length > 0
			? {kind: 'allow', by: rules.join(', '), rules, ...(places && {places})}
			: {kind: 'allow', by: 'read-only'};
	}

	const {effect, ...rest} = verdict;
	return isAllowedByMode(act, mode) && !rest.mayBeDenied ? {kind: 'allow', by: 'mode'} : {kind: 'ask', ...rest};
}

/** True for what plan mode leaves to rules and the user: it changes nothing. */
function isReading(act: Act, verdict: Verdict): boolean {
	switch (act.kind) {
		case 'read-secret':
			return true;
		case 'fetch':
			return act.method === 'GET' || act.method === 'HEAD';
		case 'command':
			return verdict.effect === 'allow' && verdict.rules.length === 0;
		case 'mcp':
			// What a server says of itself counts only together with a rule of the user.
			return act.claimsReadOnly === true && verdict.effect === 'allow';
		default:
			return false;
	}
}

function isAllowedByMode(act: Act, mode: ApprovalMode): boolean {
	const allowsEdits = mode === 'edits' || mode === 'all';
	return act.kind === 'command' ? mode === 'all' && act.containment === 'sandbox' : act.kind === 'edit' && allowsEdits;
}
