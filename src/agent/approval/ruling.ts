import {redactPositions} from '../../core/secrets/redact-positions.ts';
import type {Act, ApprovalMode} from '../../core/session/approval.ts';
import {pathText} from '../paths/path-text.ts';
import {judge} from '../policy/judge.ts';
import type {Places} from '../policy/protected-places.ts';
import {denialOf, ruleText} from '../policy/rules/rule.ts';
import type {RuleBook} from './rule-book.ts';

/** Where a rule is: its number in the list, and where it comes from. */
export type RulePlace = {readonly number: number; readonly source: string};

/** What rules say about an act. */
export type Verdict =
	/** `rules` are the texts of rules; none for a command that only reads. `places` says where they are in the list. */
	| {readonly effect: 'allow'; readonly rules: readonly string[]; readonly places?: readonly RulePlace[]}
	| {readonly effect: 'deny'; readonly rule: string}
	| ({readonly effect: 'ask'} & Uncovered);

/** What rules say about an act that none of them decides. */
export type Uncovered = {
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
	| ({readonly kind: 'ask'} & Uncovered);

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

type JudgeParts = {
	readonly book: Pick<RuleBook, 'list'>;
	/** Returns the working folder, a real path. */
	readonly workspace: () => string;
	readonly places: Places;
	/** Masks credentials. A rule that would hold one is never suggested: rules are kept and shown as they are (SAFETY 8). */
	readonly hide: (text: string) => string;
	/** Returns the settings file whose rules could not be read. Then a person looks at every act, in every mode. */
	readonly unreadable?: () => string | undefined;
};

/** Returns a judge by the rules of the moment. */
export function judgeByRules({book, workspace, places, hide, unreadable = () => undefined}: JudgeParts): Judge {
	return async act => {
		const rules = book.list();
		const verdict = await judge(act, {workspace: workspace(), places, rules});
		const file = unreadable();
		if (file !== undefined && verdict.effect !== 'deny') {
			const why = `may be denied by ${pathText(file)}, which is invalid`;
			return {effect: 'ask', suggestions: [], why, mayBeDenied: true};
		}

		switch (verdict.effect) {
			case 'allow':
				return verdict.by === 'read-only'
					? {effect: 'allow', rules: []}
					: {
							effect: 'allow',
							rules: verdict.by.map(({rule}) => ruleText(rule)),
							places: verdict.by.map(entry => ({number: rules.indexOf(entry) + 1, source: entry.source})),
						};
			case 'deny':
				return {effect: 'deny', rule: ruleText(verdict.by.rule)};
			default: {
				const {effect, suggested, ...rest} = verdict;
				const texts = mergeRules(suggested.map(ruleText));
				const hasCredential = texts.some(text => redactPositions(hide(text)) !== text);
				return {effect, suggestions: hasCredential ? [] : texts, ...rest};
			}
		}
	};
}

/**
 * Returns the rules without those that stand there twice, or without the `*` of another one: the user reads each of them before
 * it is kept.
 */
export function mergeRules(rules: readonly string[]): readonly string[] {
	return [...new Set(rules)].filter((rule, _, all) => !all.includes(rule.replace(/\)$/, ' *)')));
}
