import {redactPositions} from '../../core/secrets/redact-positions.ts';
import type {Act, ApprovalMode} from '../../core/session/approval.ts';
import {pathText} from '../paths/path-text.ts';
import type {Places} from '../policy/protected-places.ts';
import type {FileRules, Rule, Verdict} from '../policy/rules/rule.ts';

/** Rules on an act: deny rules, plan mode, allow rules, the mode; whatever is left is asked. Pure. */
export function ruleOn(act: Act, mode: ApprovalMode, verdict: Verdict): Verdict {
	if (verdict.effect === 'deny') {
		return verdict;
	}

	if (mode === 'plan' && !isReading(act, verdict)) {
		return {effect: 'deny', by: 'mode'};
	}

	return verdict.effect === 'ask' && isAllowedByMode(act, mode) && !verdict.mayBeDenied
		? {effect: 'allow', by: 'mode'}
		: verdict;
}

/** True for what plan mode leaves to rules and the user: it changes nothing. */
function isReading(act: Act, verdict: Verdict): boolean {
	switch (act.kind) {
		case 'read-secret':
			return true;
		case 'fetch':
			return readingMethods.includes(act.method);
		case 'command':
			return verdict.effect === 'allow' && verdict.by === 'read-only';
		case 'agent':
			return act.does === 'read';
		case 'mcp':
			// What a server says of itself counts only together with a rule of the user.
			return act.claimsReadOnly === true && verdict.effect === 'allow';
		default:
			return false;
	}
}

function isAllowedByMode(act: Act, mode: ApprovalMode): boolean {
	const allowsEdits = mode === 'edits' || mode === 'all';
	if (act.kind === 'agent') {
		// The mode for edits is about files that the agent names; what it names none of may be anything.
		const isOfFiles = (act.does === 'edit' || act.does === 'read') && act.paths.length > 0;
		return (allowsEdits && isOfFiles) || (mode === 'all' && act.isContained);
	}

	return act.kind === 'command' ? mode === 'all' && act.containment === 'sandbox' : act.kind === 'edit' && allowsEdits;
}

type JudgeParts = {
	/** Returns the rules of the moment. */
	readonly list: () => readonly Rule[];
	/** Returns the working folder, a real path. */
	readonly workspace: () => string;
	readonly places: Places;
	/** Masks credentials. A rule that would hold one is never suggested: rules are kept and shown as they are (SAFETY 8). */
	readonly hide: (text: string) => string;
	/** Returns the settings file whose rules could not be read. Then a person looks at every act, in every mode. */
	readonly unreadable?: () => string | undefined;
};

/** Returns a judge by the rules of the moment. */
export function judgeByRules({list, workspace, places, hide, unreadable = () => undefined}: JudgeParts) {
	return async (act: Act): Promise<Verdict> => {
		const verdict = await judge(act, {folder: workspace(), entries: list()}, places);
		const file = unreadable();
		if (file !== undefined && verdict.effect !== 'deny') {
			const why = `may be denied by ${pathText(file)}, which is invalid`;
			return {effect: 'ask', suggestions: [], why, mayBeDenied: true};
		}

		if (verdict.effect !== 'ask') {
			return verdict;
		}

		const rules = mergeRules(verdict.suggestions);
		const hasCredential = rules.some(rule => redactPositions(hide(rule)) !== rule);
		return {...verdict, suggestions: hasCredential ? [] : rules};
	};
}

/**
 * Returns the rules without those that stand there twice, or without the `*` of another one: the user reads each of them before
 * it is kept.
 */
export function mergeRules(rules: readonly string[]): readonly string[] {
	return [...new Set(rules)].filter((rule, _, all) => !all.includes(rule.replace(/\)$/, ' *)')));
}

/**
 * Decides whether an act is allowed without asking (SAFETY 14): a denying rule beats an allowing one, and what no rule
 * covers asks. No rule allows what tools never write.
 */
export async function judge(act: Act, rules: FileRules, given: Places): Promise<Verdict> {
	const places = {...given, rules: () => rules};
	switch (act.kind) {
		case 'command': {
			// Loads with its first act, as what judges files does.
			const {judgeCommand} = await import('../policy/command/judge-command.ts');
			return judgeCommand(act, rules, places);
		}
		case 'fetch':
			return judgeFetch(act, rules.entries);
		case 'mcp':
			return judgeMcp(act, rules.entries);
		case 'agent': {
			const {judgeAgent} = await import('../policy/rules/judge-agent.ts');
			return judgeAgent(act, rules, places);
		}
		default: {
			const {judgePath} = await import('../policy/rules/judge-path.ts');
			return judgePath(act, rules, places);
		}
	}
}

/** Methods that change nothing on a server; any other is asked for each time. */
const readingMethods: readonly string[] = ['GET', 'HEAD'];

/** Matches the host of a request. An allowing rule without a port covers the scheme's own port alone. */
function judgeFetch({url, method}: Extract<Act, {kind: 'fetch'}>, rules: readonly Rule[]): Verdict {
	const target = URL.canParse(url) ? new URL(url) : undefined;
	const reads = readingMethods.includes(method);
	const matching = rules.filter(({tool, pattern, effect}) => {
		if (tool !== 'fetch_url') {
			return false;
		}

		if (pattern === undefined) {
			return true;
		}

		return target !== undefined && matchesHost(pattern.toLowerCase(), target, effect === 'deny');
	});
	const denying = matching.find(({effect}) => effect === 'deny');
	if (denying) {
		return {effect: 'deny', by: denying};
	}

	const [allowing] = matching;
	if (allowing && reads && target) {
		return {effect: 'allow', by: [allowing]};
	}

	return {effect: 'ask', suggestions: reads && target?.host ? [`fetch_url(${target.host})`] : []};
}

function matchesHost(pattern: string, {host, hostname, port}: URL, anyPort: boolean): boolean {
	const [, name = '', ruledPort = ''] = /^(.*?)(?::(\d+))?$/.exec(pattern) ?? [];
	const bare = hostname.replace(/\.$/, '');
	const fits = name.startsWith('*.') ? bare.endsWith(name.slice(1)) : bare === name || host === pattern;
	return fits && (ruledPort === port || (anyPort && ruledPort === ''));
}

/** Matches the server and the tool. A tool that changed since the user allowed it asks again, whatever allows it. */
function judgeMcp({server, tool, isChanged}: Extract<Act, {kind: 'mcp'}>, rules: readonly Rule[]): Verdict {
	const name = `${server}:${tool}`;
	const matching = rules.filter(rule => rule.tool === 'mcp' && matchesTool(rule.pattern, name));
	const denying = matching.find(({effect}) => effect === 'deny');
	if (denying) {
		return {effect: 'deny', by: denying};
	}

	if (isChanged) {
		return {effect: 'ask', suggestions: [], why: 'changed since you allowed it'};
	}

	const [allowing] = matching;
	return allowing ? {effect: 'allow', by: [allowing]} : {effect: 'ask', suggestions: [`mcp(${name})`]};
}

function matchesTool(pattern: string | undefined, name: string): boolean {
	if (pattern === undefined) {
		return true;
	}

	return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
