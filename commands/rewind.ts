import * as z from 'zod/mini';
import {restore} from '../src/command/changes/restore.ts';
import {rewindChoices, rewindKinds} from '../src/command/changes/rewind-choices.ts';
import {command} from '../src/command/command.ts';
import {changeSteps} from '../src/core/session/changes.ts';
import {blocksOf} from '../src/core/session/transcript.ts';
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
			return {kind: 'text', text: 'Nothing changed.'};
		}

		const undone = stepsOf(steps, new Set(messages.slice(index).map(each => each.id)));
		const kinds = rewindKinds(steps, undone, paths);
		const [only, ...others] = kinds.choices;
		const kind =
			others.length === 0 ? only?.id : await interact.choose({title: 'What to rewind', choices: kinds.choices});
		if (kind === undefined) {
			return {kind: 'text', text: 'Nothing changed.'};
		}

		const plan = kind === 'conversation' ? undefined : await changes.plan(steps, undone, signal);
		const report = plan ? await restore(plan, 'rewind', context) : {sentences: [], restored: 0};
		if (!report) {
			return {kind: 'text', text: 'Nothing changed.'};
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
