import type {Act} from '../../../core/session/approval.ts';
import type {Judging, RuleEntry, Verdict} from '../verdict.ts';

/** Methods that change nothing on a server; any other is asked for each time. */
const readingMethods: readonly string[] = ['GET', 'HEAD'];

/** Matches the host of a request. An allowing rule without a port covers the scheme's own port alone. */
export function judgeFetch<Entry extends RuleEntry>(
	{url, method}: Extract<Act, {kind: 'fetch'}>,
	{rules}: Pick<Judging<Entry>, 'rules'>,
): Verdict<Entry> {
	const target = URL.canParse(url) ? new URL(url) : undefined;
	const reads = readingMethods.includes(method);
	const matching = rules.filter(({rule, effect}) => {
		if (rule.tool !== 'fetch_url') {
			return false;
		}

		if (rule.pattern === undefined) {
			return true;
		}

		return target !== undefined && matchesHost(rule.pattern.toLowerCase(), target, effect === 'deny');
	});
	const denying = matching.find(({effect}) => effect === 'deny');
	if (denying) {
		return {effect: 'deny', by: denying};
	}

	const [allowing] = matching;
	if (allowing && reads && target) {
		return {effect: 'allow', by: [allowing]};
	}

	const suggested = reads && target?.host ? [{tool: 'fetch_url', pattern: target.host} as const] : [];
	return {effect: 'ask', suggested, mayBeDenied: false};
}

function matchesHost(pattern: string, {host, hostname, port}: URL, anyPort: boolean): boolean {
	const [, name = '', ruledPort = ''] = /^(.*?)(?::(\d+))?$/.exec(pattern) ?? [];
	const bare = hostname.replace(/\.$/, '');
	const fits = name.startsWith('*.') ? bare.endsWith(name.slice(1)) : bare === name || host === pattern;
	return fits && (ruledPort === port || (anyPort && ruledPort === ''));
}
