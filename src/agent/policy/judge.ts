import type {Act} from '../../core/session/approval.ts';
import {judgeFetch} from './rules/judge-fetch.ts';
import {judgeMcp} from './rules/judge-mcp.ts';
import {judgePath} from './rules/judge-path.ts';
import type {Judging, RuleEntry, Verdict} from './verdict.ts';

/**
 * Decides whether an act is allowed without asking (SAFETY 14): a denying rule beats an allowing one, and what no rule
 * covers asks. No rule allows what tools never write.
 */
export async function judge<Entry extends RuleEntry>(act: Act, given: Judging<Entry>): Promise<Verdict<Entry>> {
	const {workspace: folder, rules: entries} = given;
	const judging = {...given, places: {...given.places, rules: () => ({folder, entries})}};
	switch (act.kind) {
		case 'command': {
			// The parser loads with the first command.
			const {judgeCommand} = await import('./command/judge-command.ts');
			return judgeCommand(act, judging);
		}
		case 'fetch':
			return judgeFetch(act, judging);
		case 'mcp':
			return judgeMcp(act, judging);
		default:
			return judgePath(act, judging);
	}
}
