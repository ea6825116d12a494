import {randomUUID} from 'node:crypto';
import type {RestoreChoice, Restored} from '../../agent/changes/apply-restore.ts';
import type {PlannedFile, RestorePlan} from '../../agent/changes/plan-restore.ts';
import {pathText} from '../../agent/paths/path-text.ts';
import {formatAmount} from '../../core/format.ts';
import type {RestoreKind} from '../../core/session/changes.ts';
import type {CommandContext} from '../context.ts';
import {unifiedLines} from './diff-result.ts';

/** What a restore did, as sentences for the user; undefined if they cancelled it. */
export type RestoreReport = {readonly sentences: readonly string[]; readonly restored: number};

/**
 * Carries a plan out, after asking about each file that the user changed, too. Returns undefined if they cancel; then
 * nothing was changed.
 */
export async function restore(
	plan: RestorePlan,
	how: RestoreKind,
	context: CommandContext,
): Promise<RestoreReport | undefined> {
	const choices = await askAbout(plan, context);
	if (!choices) {
		return undefined;
	}

	const changes = await context.program.project.changes();
	const {
		signal,
		program: {store},
		ui: {live},
	} = context;
	const request = {id: randomUUID(), session: store.getState().transcript.session, how, signal};
	const done = await changes.apply(plan, path => choices.get(path) ?? 'mine', request);
	if (done.event) {
		live?.restored(done.event);
	}

	return {sentences: sentencesOf(plan, choices, done), restored: done.restored.length};
}

function sentencesOf(
	{files}: RestorePlan,
	choices: ReadonlyMap<string, RestoreChoice>,
	{failed}: Restored,
): readonly string[] {
	const left = files.filter(({path, state}) => state === 'changed' && (choices.get(path) ?? 'mine') === 'mine');
	const [kept, asItIs] = [left.filter(({job}) => job === undefined), left.filter(({job}) => job !== undefined)];
	const lost = files.filter(({state}) => state === 'lost');
	return [
		...(kept.length > 0 ? [`Kept your version: ${namesOf(kept)}.`] : []),
		...(asItIs.length > 0 ? [`Left as they are: ${namesOf(asItIs)}.`] : []),
		...(lost.length > 0 ? [`Can’t restore (too large, or its name suggests secrets): ${namesOf(lost)}.`] : []),
		...failed.map(message => (message.endsWith('.') ? message : `${message}.`)),
	];
}

const maxNames = 8;

function namesOf(files: readonly {readonly path: string}[]): string {
	const names = files.slice(0, maxNames).map(({path}) => pathText(path));
	return names.join(', ') + (files.length > maxNames ? ` and ${files.length - maxNames} more` : '');
}

/** Asks what to do about each file that the user changed, too. Returns undefined if they cancel. */
async function askAbout(
	{files}: RestorePlan,
	context: CommandContext,
): Promise<ReadonlyMap<string, RestoreChoice> | undefined> {
	const choices = new Map<string, RestoreChoice>();
	const changed = files.filter(({state}) => state === 'changed');
	for (const [index, file] of changed.entries()) {
		const rest = changed.slice(index);
		const answer = await askAboutOne(file, rest.length, context);
		if (answer === undefined) {
			return undefined;
		}

		const choice = answer.replace(/-all$/, '') as RestoreChoice;
		for (const {path} of answer.endsWith('-all') ? rest : [file]) {
			choices.set(path, choice);
		}

		if (answer.endsWith('-all')) {
			break;
		}
	}

	return choices;
}

async function askAboutOne(file: PlannedFile, left: number, context: CommandContext): Promise<string | undefined> {
	const name = pathText(file.path);
	const oldLabel = file.wanted ? 'Restore the old version' : 'Delete it, as before';
	const title = file.job
		? `${name} was changed while job ${file.job} ran`
		: file.shared
			? `Another session worked here, and may have changed ${name}`
			: `You changed ${name}, too`;
	const mine = file.job || file.shared ? 'Keep it as it is' : 'Keep my version';
	for (;;) {
		const answer = await context.ui.interact.choose({
			title,
			choices: [
				{id: 'mine', label: mine},
				...(file.merged ? [{id: 'merged', label: 'Keep my changes, undo the agent’s lines'}] : []),
				{id: 'old', label: oldLabel, detail: '/undo --redo brings yours back'},
				{id: 'diff', label: 'Show the difference'},
				...(left > 1
					? [
							{id: 'mine-all', label: `Keep all ${formatAmount(left, 'file')} as they are`},
							{id: 'old-all', label: `Restore the old versions of all ${formatAmount(left, 'file')}`},
						]
					: []),
			],
		});
		if (answer !== 'diff') {
			return answer;
		}

		await showDifference(file, context);
	}
}

async function showDifference(file: PlannedFile, {program, ui: {interact}}: CommandContext): Promise<void> {
	const difference = await (await program.project.changes()).difference(file);
	if (!difference) {
		interact.say('This is not a text file, so its difference can’t be shown.');
	} else if (interact.review) {
		await interact.review({title: 'Your version → the old one', files: [difference], isReadOnly: true});
	} else {
		for (const line of unifiedLines(difference)) {
			interact.say(line);
		}
	}
}
