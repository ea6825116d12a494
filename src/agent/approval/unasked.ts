import type {Act, ApprovalAnswer} from '../../core/session/approval.ts';
import type {ApprovalQuestion} from './approval.ts';

/**
 * Returns the answers of a run without a user, which may do nothing that needs approval, edits of files, or everything that
 * isn't a secret. `all` is also a yes to commands that no sandbox holds, and says so once.
 * Fetches, commands with the network and secret files need a rule.
 */
export function decideUnasked(mode: 'never' | 'edits' | 'all') {
	let isToldOf = false;
	return async (question: ApprovalQuestion): Promise<ApprovalAnswer> => {
		const {act, verdict} = question;
		if (mode === 'all' && isUncontained(act) && !verdict.mayBeDenied) {
			const notice = isToldOf ? undefined : 'Commands run without a sandbox, because of --approve all.';
			isToldOf = true;
			return {allowed: true, by: 'flag', ...(notice && {notice})};
		}

		if (act.kind === 'agent' && mode === 'all' && !verdict.mayBeDenied) {
			const notice =
				isToldOf || act.isContained ? undefined : `${act.agent} works without a sandbox, because of --approve all.`;
			isToldOf = true;
			return {allowed: true, by: 'flag', ...(notice && {notice})};
		}

		const flags = flagsFor(question);
		return {allowed: false, by: 'flag', ...(flags && {flags})};
	};
}

/** True for a command where there is no sandbox, but not for one that would leave it. */
function isUncontained(act: Act): boolean {
	return act.kind === 'command' && act.containment === 'none' && !act.widened;
}

/** Returns the flags that allow this in a run without a user, as typed in a shell; '' if none does. */
export function flagsFor({act, verdict}: Pick<ApprovalQuestion, 'act' | 'verdict'>): string {
	const rules = verdict.suggestions.map(rule => `--allow ${quoted(rule)}`).join(' ');
	const mode = verdict.mayBeDenied ? undefined : modeFor(act);
	return [mode, rules].filter(Boolean).join(' or ');
}

function modeFor(act: Act): string | undefined {
	switch (act.kind) {
		case 'edit':
			return '--approve edits';
		case 'command':
			return act.containment === 'sandbox' || isUncontained(act) ? '--approve all' : undefined;
		case 'agent':
			return act.does === 'edit' && act.paths.length > 0 ? '--approve edits' : '--approve all';
		default:
			return undefined;
	}
}

/** Quotes a rule for a shell. */
function quoted(rule: string): string {
	return /["$`\\!]/.test(rule) ? `'${rule.replaceAll("'", "'\\''")}'` : `"${rule}"`;
}
