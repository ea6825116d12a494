import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {AskToStart, StartGate} from '../agent/unseen/start-gate.ts';
import type {Interaction} from '../platform/interaction.ts';
import type {Slot} from '../session/conversations.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';

/**
 * Creates what lets programs start outside the sandbox. `interaction` asks the user, as long as `inFront` lets it; it returns
 * undefined where nobody can be asked.
 */
export async function openStartGate(
	{trust = false}: ProgramOptions,
	{home, project}: LocalState,
	interaction: () => Interaction | undefined,
	inFront: Slot['inFront'] = (ask, signal) => ask(signal),
): Promise<StartGate> {
	const {createStartGate} = await import('../agent/unseen/start-gate.ts');
	const root = async () => (await project.state()).root;
	return createStartGate({
		stateFolder: home.path,
		root,
		trustsAll: trust,
		ask() {
			const inquire = interaction()?.inquire;
			return inquire && askWith(inquire, root, inFront);
		},
	});
}

function askWith(
	inquire: NonNullable<Interaction['inquire']>,
	root: () => Promise<string>,
	inFront: Slot['inFront'],
): AskToStart {
	return async ({who}, unseen, signal) => {
		const {unseenDrawing} = await import('../command/views/project/unseen-drawing.ts');
		const question = `${who} runs outside the sandbox. Start it with these files?`;
		const answers = [{key: 'y', label: 'Start it now', value: 'yes'}];
		const folder = await root();
		const subject = unseenDrawing(unseen, folder, existsSync(join(folder, '.git')));
		const inquiry = {question, subject, answers, isOfRun: true};
		return (await inFront(shown => inquire(inquiry, shown), signal)) === 'yes';
	};
}
