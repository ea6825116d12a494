import type {Act} from '../../core/session/approval.ts';
import type {Judging, PolicyVerdict, RuleEntry} from './verdict.ts';

/**
 * Decides whether an act is allowed without asking (SAFETY 14): a denying rule beats an allowing one, and what no rule
 * covers asks. No rule allows what tools never write.
 */
export async function judge<Entry extends RuleEntry>(act: Act, given: Judging<Entry>): Promise<PolicyVerdict<Entry>> {
	const {workspace: folder, rules: entries} = given;
	const judging = {...given, places: {...given.places, rules: () => ({folder, entries})}};
	switch (act.kind) {
		case 'command': {
			// Loads with its first act, as what judges files does.
			const {judgeCommand} = await import('./command/judge-command.ts');
			return judgeCommand(act, judging);
		}
		case 'fetch':
			return judgeFetch(act, judging);
		case 'mcp':
			return judgeMcp(act, judging);
		default: {
			const {judgePath} = await import('./rules/judge-path.ts');
			return judgePath(act, judging);
		}
	}
}

/** Methods that change nothing on a server; any other is asked for each time. */
const readingMethods: readonly string[] = ['GET', 'HEAD'];

/** Matches the host of a request. An allowing rule without a port covers the scheme's own port alone. */
function judgeFetch<Entry extends RuleEntry>(
	{url, method}: Extract<Act, {kind: 'fetch'}>,
	{rules}: Pick<Judging<Entry>, 'rules'>,
): PolicyVerdict<Entry> {
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

/** Matches the server and the tool. A tool that changed since the user allowed it asks again, whatever allows it. */
function judgeMcp<Entry extends RuleEntry>(
	{server, tool, isChanged}: Extract<Act, {kind: 'mcp'}>,
	{rules}: Pick<Judging<Entry>, 'rules'>,
): PolicyVerdict<Entry> {
	const name = `${server}:${tool}`;
	const matching = rules.filter(({rule}) => rule.tool === 'mcp' && matchesTool(rule.pattern, name));
	const denying = matching.find(({effect}) => effect === 'deny');
	if (denying) {
		return {effect: 'deny', by: denying};
	}

	if (isChanged) {
		return {effect: 'ask', suggested: [], why: 'changed since you allowed it', mayBeDenied: false};
	}

	const [allowing] = matching;
	return allowing
		? {effect: 'allow', by: [allowing]}
		: {effect: 'ask', suggested: [{tool: 'mcp', pattern: name}], mayBeDenied: false};
}

function matchesTool(pattern: string | undefined, name: string): boolean {
	if (pattern === undefined) {
		return true;
	}

	return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
