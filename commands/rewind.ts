import * as z from 'zod/mini';
import {restore} from '../src/command/changes/restore.ts';
import {command} from '../src/command/command.ts';
import {messageLabel} from '../src/command/picker/message-label.ts';
import {unchanged} from '../src/command/result.ts';
import {formatAge, formatAmount} from '../src/core/format.ts';
import type {Choice} from '../src/core/question.ts';
import {type ChangeStep, changeSteps} from '../src/core/session/changes.ts';
import {blocksOf, type Transcript} from '../src/core/session/transcript.ts';
import {stepsOf} from '../src/core/session/undo.ts';
import {setComposerText} from '../src/editor/editor.ts';

export default command({
	name: 'rewind',
	summary: 'Go back to an earlier message, its files, or both',
	args: z.object({}),
	where: 'app',

	async run(_, context) {
		const {
			program: {store},
			ui: {interact, live},
			signal,
		} = context;
		const {transcript} = store.getState();
		const messages = blocksOf(transcript).filter(block => block.kind === 'user');
		if (messages.length === 0) {
			return {kind: 'text', text: 'Nothing to rewind: this session is empty.'};
		}

		const steps = changeSteps(transcript);
		const changes = await context.program.project.changes();
		const paths = await changes.pathsOf(steps, signal);
		const choices = rewindChoices(transcript, steps, paths);
		const id = await interact.choose({title: 'Rewind to before a message', choices});
		const index = messages.findIndex(message => message.id === id);
		const message = messages[index];
		if (!message) {
			return unchanged;
		}

		const undone = stepsOf(steps, new Set(messages.slice(index).map(each => each.id)));
		const kinds = rewindKinds(steps, undone, paths);
		const [only, ...others] = kinds.choices;
		const kind =
			others.length === 0 ? only?.id : await interact.choose({title: 'What to rewind', choices: kinds.choices});
		if (kind === undefined) {
			return unchanged;
		}

		const plan = kind === 'conversation' ? undefined : await changes.plan(steps, undone, signal);
		const report = plan ? await restore(plan, 'rewind', context) : {sentences: [], restored: 0};
		if (!report) {
			return unchanged;
		}

		const sentences = [...report.sentences, ...(kind === 'conversation' ? [] : kinds.notes)];
		if (kind === 'files') {
			return {kind: 'text', text: ['The conversation stays.', ...sentences].join(' ')};
		}

		await live?.fork(message.id);
		const {composer, setComposer} = store.getState();
		setComposer(setComposerText(composer, message.text));
		const text = ['Continues from before that message in a new session.', ...sentences].join(' ');
		return {kind: 'text', text, hint: `Go back: /resume ${transcript.session.slice(0, 8)}`};
	},
});

type PathsOf = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the user's messages, newest first, with how long ago they were sent and what was changed after them. */
function rewindChoices(transcript: Transcript, steps: readonly ChangeStep[], paths: PathsOf): readonly Choice[] {
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
function rewindKinds(
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
