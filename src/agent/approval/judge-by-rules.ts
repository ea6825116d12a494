import {judge} from '../policy/judge.ts';
import type {Places} from '../policy/protected-places.ts';
import {ruleText} from '../policy/rules/rule.ts';
import type {RuleBook} from './rule-book.ts';
import type {Judge} from './ruling.ts';

type Options = {
	readonly book: Pick<RuleBook, 'list'>;
	/** Returns the working folder, a real path. */
	readonly workspace: () => string;
	readonly places: Places;
};

/** Returns a judge by the rules of the moment. */
export function judgeByRules({book, workspace, places}: Options): Judge {
	return async act => {
		const verdict = await judge(act, {workspace: workspace(), places, rules: book.list()});
		switch (verdict.effect) {
			case 'allow':
				return verdict.by === 'read-only'
					? {effect: 'allow', rules: []}
					: {effect: 'allow', rules: verdict.by.map(({rule}) => ruleText(rule))};
			case 'deny':
				return {effect: 'deny', rule: ruleText(verdict.by.rule)};
			default: {
				const {effect, suggested, ...rest} = verdict;
				return {effect, suggestions: suggested.map(ruleText), ...rest};
			}
		}
	};
}
