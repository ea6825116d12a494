import type {FolderAccess} from '../../config/folder-access.ts';
import type {SessionElsewhere} from '../../session/resume-session.ts';
import type {SessionInteraction} from '../interaction.ts';
import {shortFolder} from '../welcome.ts';

type Dependencies = {
	readonly folder: FolderAccess;
	readonly interact: SessionInteraction;
	readonly homeFolder: string | undefined;
};

export type FolderQuestions = {
	/**
	 * Asks whether the agent may read a folder that holds far more than a project: once, even if several messages wait
	 * for the answer. Returns the notice to show if the user declines.
	 */
	readonly ask: () => Promise<string | undefined>;
	/** Asks where to continue a session that began in another folder. */
	readonly choose: (session: SessionElsewhere) => Promise<'there' | 'here' | undefined>;
};

/** Asks about folders: the agent's tools read only those that the user allowed. */
export function createFolderQuestions({folder, interact, homeFolder}: Dependencies): FolderQuestions {
	const short = (path: string) => shortFolder(path, homeFolder);
	let asking: Promise<string | undefined> | undefined;

	const askOnce = async (wide: string) => {
		const path = short(folder.path());
		const isAllowed = await interact.confirm(`Let the agent read everything in ${path}?`, {
			title: `${path} is ${wide}, not a project`,
			facts: [
				['Yes', 'the agent can list, search and read all of it; not asked again'],
				['No', 'the agent works without files; or quit and start in a project folder'],
			],
		});
		await folder.answer(isAllowed);
		return isAllowed ? undefined : `The agent can't read files in ${path}. Start in a project folder for that.`;
	};

	return {
		async ask() {
			const wide = folder.unasked();
			if (!wide) {
				return undefined;
			}

			const isFirst = asking === undefined;
			asking ??= askOnce(wide).finally(() => {
				asking = undefined;
			});
			const refused = await asking;
			return isFirst ? refused : undefined;
		},
		async choose({folder: there, here, isThere}: SessionElsewhere) {
			const id = await interact.choose({
				title: `This session began in ${short(there)}${isThere ? '' : ', which is gone'}`,
				choices: [
					...(isThere
						? [{id: 'there', label: `Continue in ${short(there)}`, detail: 'the agent reads that folder'}]
						: []),
					{id: 'here', label: `Continue in ${short(here)}`, detail: 'the agent reads this folder'},
				],
			});
			return id === 'there' || id === 'here' ? id : undefined;
		},
	};
}
