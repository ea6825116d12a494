import type {Act} from '../../../core/session/approval.ts';
import type {Places} from '../protected-places.ts';
import {isSecretFile} from '../secret-files.ts';
import {judgePath} from './judge-path.ts';
import type {FileRules, Verdict} from './rule.ts';

/**
 * Judges what another agent asks for. Rules that deny hold for the files and the command that it names. Nothing else of ours
 * allows it: what it says of itself can raise no rights, so a rule for our own tools is no yes to it. Files that are secret,
 * protected or outside of the folder are asked about in every mode.
 */
export async function judgeAgent(
	{does, paths, command, hasRefusal}: Extract<Act, {kind: 'agent'}>,
	rules: FileRules,
	places: Places,
): Promise<Verdict> {
	const reasons: string[] = hasRefusal ? [] : ['comes without an answer that refuses'];
	for (const path of paths) {
		const isSecret = isSecretFile(path.replaceAll('\\', '/'));
		const kind = does === 'read' ? 'read-secret' : isSecret ? 'edit-secret' : 'edit';
		const verdict = await judgePath({kind, path}, rules, places);
		if (verdict.effect === 'deny') {
			return verdict;
		}

		if (isSecret) {
			reasons.push(`${does === 'read' ? 'reads' : 'changes'} a file that may hold secrets`);
		} else if (verdict.effect === 'ask' && (verdict.outOfReach || verdict.mayBeDenied)) {
			reasons.push(verdict.why ?? 'names a file that is protected or outside of the folder');
		}
	}

	if (command !== undefined) {
		const {judgeCommand} = await import('../command/judge-command.ts');
		const act = {kind: 'command', command, folder: rules.folder, containment: 'none'} as const;
		const verdict = await judgeCommand(act, rules, places);
		if (verdict.effect === 'deny') {
			return verdict;
		}

		if (verdict.effect === 'ask' && verdict.mayBeDenied) {
			reasons.push(verdict.why ?? 'may be denied by a rule');
		}
	}

	const [why] = reasons;
	return {effect: 'ask', suggestions: [], ...(why !== undefined && {why, mayBeDenied: true})};
}
