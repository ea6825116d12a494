import {redactPositions} from '../../core/secrets/redact-positions.ts';
import {pathText} from '../paths/path-text.ts';
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
	/** Masks credentials. A rule that would hold one is never suggested: rules are kept and shown as they are (SAFETY 8). */
	readonly hide: (text: string) => string;
	/** Returns the settings file whose rules could not be read. Then a person looks at every act, in every mode. */
	readonly unreadable?: () => string | undefined;
};

/** Returns a judge by the rules of the moment. */
export function judgeByRules({book, workspace, places, hide, unreadable = () => undefined}: Options): Judge {
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
