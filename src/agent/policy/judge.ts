import type {Act} from '../../core/session/approval.ts';
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
			// Each kind loads with its first act.
			const {judgeCommand} = await import('./command/judge-command.ts');
			return judgeCommand(act, judging);
		}
		case 'fetch': {
			const {judgeFetch} = await import('./rules/judge-fetch.ts');
			return judgeFetch(act, judging);
		}
		case 'mcp': {
			const {judgeMcp} = await import('./rules/judge-mcp.ts');
			return judgeMcp(act, judging);
		}
		default: {
			const {judgePath} = await import('./rules/judge-path.ts');
			return judgePath(act, judging);
		}
	}
}
