import {formatAge, formatAmount} from '../../core/format.ts';
import type {Choice} from '../../core/question.ts';
import type {ChangeStep} from '../../core/session/changes.ts';
import {blocksOf, type Transcript} from '../../core/session/transcript.ts';
import {stepsOf} from '../../core/session/undo.ts';
import {messageLabel} from '../picker/message-label.ts';

type PathsOf = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the user's messages, newest first, with how long ago they were sent and what was changed after them. */
export function rewindChoices(transcript: Transcript, steps: readonly ChangeStep[], paths: PathsOf): readonly Choice[] {
	const blocks = blocksOf(transcript);
	const after = new Set<string>();
	const choices: Choice[] = [];
	let at = '';
	for (const block of blocks.toReversed()) {
		if ('at' in block) {
			({at} = block);
		}

		if (block.kind === 'user') {
			after.add(block.id);
			const label = messageLabel(block.text);
			const changed = filesOf(stepsOf(steps, after), paths).size;
			const files = changed === 0 ? 'no files changed' : `${formatAmount(changed, 'file')} changed`;
			choices.push({id: block.id, label, detail: at ? `${formatAge(at)} · ${files} since` : files});
		}
	}

	return choices;
}

/** Returns what can be rewound, and what the user must know about what stays. */
export function rewindKinds(
	steps: readonly ChangeStep[],
	undone: ReadonlySet<string>,
	paths: PathsOf,
): {readonly choices: readonly Choice[]; readonly notes: readonly string[]} {
	const changed = filesOf(undone, paths).size;
	const ranCommands = steps.some(({id, path}) => undone.has(id) && path === undefined);
	const conversation = {id: 'conversation', label: 'Conversation', detail: 'files stay as they are'};
	const files = `${formatAmount(changed, 'file')} restored`;
	return {
		choices:
			changed === 0
				? [conversation]
				: [
						{id: 'both', label: 'Conversation and files', detail: files},
						conversation,
						{id: 'files', label: 'Files', detail: `${files}, the conversation stays`},
					],
		notes: ranCommands ? ['Commands ran: what they did outside, or to ignored files, is not undone.'] : [],
	};
}

function filesOf(steps: ReadonlySet<string>, paths: PathsOf): ReadonlySet<string> {
	return new Set([...steps].flatMap(id => [...(paths.get(id) ?? [])]));
}
